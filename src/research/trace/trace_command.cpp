// brokkr trace: renders a scene by path tracing, evenly or with more samples where the picture is worst.
#include "trace/trace_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "app/aov.h"
#include "app/input.h"
#include "app/parse.h"
#include "app/picture.h"
#include "app/stop_signals.h"
#include "app/text.h"
#include "base/loading.h"
#include "brokkr/image.h"
#include "log/text.h"
#include "trace/tracer.h"

namespace brokkr::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kPauseMs = 500;  // between two progress reports
constexpr uint32_t kMaxSamples = 1048576;

// Processor time of all threads of this process so far.
double processor_ms() { return 1000 * double(std::clock()) / CLOCKS_PER_SEC; }

// Parses "0.5" or "0.5,0.6,0.7".
glm::vec3 color_of(const std::string& text, const std::string& option) {
  std::vector<float> values;
  for (const std::string& part : split(text)) {
    size_t used = 0;
    float value = -1;
    try {
      value = std::stof(part, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != part.size() || !(value >= 0) || !std::isfinite(value)) {
      values.clear();
      break;
    }
    values.push_back(value);
  }
  if (values.size() == 1) return glm::vec3(values[0]);
  if (values.size() == 3) return {values[0], values[1], values[2]};
  throw UsageError(option + ": '" + text +
                   "' is neither a brightness such as 0.5 nor a colour such as 0.5,0.6,0.7, with numbers from 0");
}

trace::SceneOptions scene_options(const Arguments& arguments) {
  trace::SceneOptions options;
  if (arguments.has("sky")) options.sky = color_of(arguments.text("sky"), "--sky");
  if (arguments.has("sun")) options.sun = color_of(arguments.text("sun"), "--sun");
  options.aperture = float(arguments.real("aperture", 0));
  if (arguments.has("focus") && options.aperture <= 0) throw UsageError("--focus: needs a lens; give --aperture R too");
  options.focus = float(arguments.real("focus", 0));
  return options;
}

trace::TraceOptions trace_options(const Arguments& arguments) {
  trace::TraceOptions o;
  const std::string structure = arguments.text("structure", "bvh");
  o.structure = structure == "kd"     ? trace::StructureKind::kd
                : structure == "grug" ? trace::StructureKind::grug
                                      : trace::StructureKind::bvh;
  o.grid = uint32_t(arguments.integer("grid", o.grid));
  o.bvh_children = uint32_t(arguments.integer("children", 0));
  o.samples = uint32_t(arguments.integer("samples", arguments.has("seconds") ? kMaxSamples : o.samples));
  o.seed = uint32_t(arguments.integer("seed", o.seed));
  o.bounces = uint32_t(arguments.integer("bounces", o.bounces));
  o.workers = uint32_t(arguments.integer("workers", o.workers));
  o.adaptive = arguments.has("adaptive");
  if (arguments.text("metric", "gain") == "contrast") {
    o.metric = trace::Metric::contrast;
    o.high_error = 10;
  }
  if (arguments.has("worst-error")) o.high_error = float(arguments.real("worst-error", 1));
  o.neighbors = float(arguments.real("neighbors", 0));
  o.decreasing_priorities = arguments.has("decreasing-priorities");
  if (!o.adaptive && (arguments.has("metric") || arguments.has("worst-error") || arguments.has("neighbors") ||
                      o.decreasing_priorities))
    throw UsageError(
        "--metric, --worst-error, --neighbors and --decreasing-priorities choose where samples go: give --adaptive "
        "with them");
  if (arguments.has("children") && structure != "bvh") throw UsageError("--children: only --structure bvh has them");
  if (arguments.has("grid") && structure != "grug") throw UsageError("--grid: only --structure grug has one");
  return o;
}

std::unique_ptr<TaskMachine> task_machine_of(const Arguments& arguments) {
  std::string name = arguments.text("machine", "auto"), isa = arguments.text("isa");
  if (isa == "emulated" && (name == "auto" || name == "emulated")) {
    name = isa;
    isa.clear();
  }
  try {
    return make_task_machine(name, isa);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

// Returns the exposure of the pixels; nothing for files that hold linear light.
std::optional<float> write_picture(const std::string& path, const trace::TracePicture& picture,
                                   const Arguments& arguments, const glm::vec3& sky) {
  if (is_exr(path)) {
    write_exr(path, picture.width, picture.height, 3, picture.rgb);
  } else if (path.size() > 4 && path.substr(path.size() - 4) == ".pfm") {
    write_pfm(path, picture.width, picture.height, 3, picture.rgb);
  } else {
    const auto tone = arguments.text("tone", "clamp") == "filmic" ? trace::Tone::filmic : trace::Tone::clamp;
    const float exposure =
        arguments.has("exposure") ? float(arguments.real("exposure", 0)) : trace::automatic_exposure(picture, sky);
    write_pixels(path, picture.width, picture.height, trace::screen_pixels(picture, exposure, tone));
    return exposure;
  }
  return std::nullopt;
}

Json report_of(const trace::Tracer& tracer, const trace::TraceScene& scene, const trace::TraceReport& r,
               const trace::TracePicture& picture, const Json& progress) {
  const trace::Structure& s = tracer.structure();
  const auto [least, most] = std::minmax_element(picture.samples.begin(), picture.samples.end());
  const double seconds = std::max(r.ms, 1e-3) / 1000;
  return {{"machine", tracer.machine().name},
          {"detail", tracer.machine().detail},
          {"workers", tracer.workers()},
          {"width", picture.width},
          {"height", picture.height},
          {"triangles", scene.triangles.size()},
          {"triangles_dropped", scene.dropped},
          {"lights", scene.lights.size()},
          {"depth", s.depth},
          {"tree_bytes", s.tree_bytes()},
          {"bounds_bytes", s.bounds_bytes()},
          {"table_bytes", s.table_bytes()},
          {"groups", s.groups.size()},
          {"ms", r.ms},
          {"tasks", r.tasks},
          {"segments", r.segments},
          {"shadow_rays", r.shadow_rays},
          {"steps", r.steps},
          {"groups_entered", r.groups},
          {"tests", r.tests},
          {"halvings", r.halvings},
          {"segments_per_s", double(r.segments) / seconds},
          {"least_samples", *least},
          {"most_samples", *most},
          {"progress", progress}};
}

// Prints a line such as "traced.png: 320x200 pixels, 64.0 samples each, 12 345 678 rays in 3.2 s, exposure -0.3".
void print_summary(const std::string& output, const trace::TracePicture& picture, const trace::TraceReport& report,
                   std::optional<float> exposure, uint64_t dropped) {
  const double samples = std::accumulate(picture.samples.begin(), picture.samples.end(), 0.0);
  std::cout << fmt::format("{}: {}x{} pixels, {:.1f} samples each, {} rays in {:.1f} s", output, picture.width,
                           picture.height, samples / double(picture.samples.size()),
                           grouped(report.segments + report.shadow_rays), report.ms / 1000);
  if (exposure) std::cout << fmt::format(", exposure {:+.2f}", *exposure);
  if (dropped > 0) std::cout << "; " << counted(dropped, "triangle") << " without area left out";
  std::cout << '\n';
}

// Throws UsageError.
void check_outputs(const std::string& output, const Arguments& arguments) {
  if (output == "-" && arguments.text("json") == "-")
    throw UsageError("--output, --json: only one of them can be standard output");
  if (output.empty()) throw UsageError("-o: name the picture to write: -o FILE.png, .pfm or .exr");
  require_picture(output, {".png", ".pfm", ".exr"}, "-o");
  if (arguments.has("sample-map"))
    require_ending(arguments.text("sample-map"), {".png", ".pfm", ".exr"}, "--sample-map");
}

int run_trace(const Arguments& arguments) {
  const std::string output = arguments.text("output");
  check_outputs(output, arguments);
  const std::vector<AovRequest> aovs = read_aovs(arguments);
  const trace::TraceOptions options = trace_options(arguments);
  const trace::SceneOptions lit = scene_options(arguments);
  const std::string file = arguments.text("FILE");
  Progress progress;
  const auto budget =
      std::make_shared<MemoryBudget>(int(arguments.integer("memory-limit", 0)),
                                     "choose a smaller --size, or a scene with fewer triangles and texels", file);
  trace::TraceScene scene;
  {
    const Frame frame = load_input(file, arguments, progress);
    const HeldMemory frame_memory(budget, memory_of(frame), "frame");
    if (!aovs.empty()) {  // the first surfaces that rays through pixel centres hit, which the pipeline draws
      Renderer renderer;
      PreparedFrame prepared = renderer.prepare(frame, load_options(arguments));
      RenderOptions drawn;
      drawn.memory_limit = int(arguments.integer("memory-limit", 0));
      draw_aovs(renderer, prepared, frame, drawn, aovs, {.target = main_target(frame), .file = file});
    }
    scene = trace::make_trace_scene(frame, lit, budget);
  }
  progress.show(fmt::format("building the acceleration structure for {} triangles", grouped(scene.triangles.size())));
  const StopSignals stop;  // from here on, a signal keeps the samples so far
  std::unique_ptr<trace::Tracer> tracer;
  try {
    std::unique_ptr<TaskMachine> machine = task_machine_of(arguments);
    machine->use_budget(budget, "path tracer");
    tracer = std::make_unique<trace::Tracer>(std::move(machine), scene, options);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  const auto regions = uint64_t((scene.width + 7) / 8) * uint64_t((scene.height + 7) / 8);
  const auto all = double(regions * std::max(1u, (options.samples + 3) / 4));
  const double limit_ms = 1000 * arguments.real("seconds", std::numeric_limits<double>::infinity());
  trace::TraceReport report;
  Json parts = Json::array();  // progress at each pause: processor time in ms, path segments
  const double begin_ms = processor_ms();
  if (stop.stopped()) return stop.exit_code();
  do {
    progress.show("tracing", std::max(double(report.tasks) / all, report.ms / limit_ms));
    report = tracer->run(std::min(kPauseMs, limit_ms - report.ms));
    parts.push_back({{"cpu_ms", processor_ms() - begin_ms}, {"segments", report.segments}});
  } while (!report.is_complete && report.ms < limit_ms && !stop.stopped());
  const trace::TracePicture picture = tracer->picture();
  const std::optional<float> exposure = write_picture(output, picture, arguments, scene.sky);
  if (stop.stopped()) warn(fmt::format("{}: ended by {}; the picture has the samples so far", output, stop.name()));
  if (arguments.has("sample-map")) {
    const std::string map = arguments.text("sample-map");
    if (map.ends_with(".png")) {
      write_pixels(map, picture.width, picture.height, trace::sample_map_pixels(picture));
    } else {
      write_values(map, picture.width, picture.height, {picture.samples.begin(), picture.samples.end()});
    }
  }
  const bool prints_json = write_document(arguments.text("json"), report_of(*tracer, scene, report, picture, parts));
  if (!prints_json && output != "-") print_summary(output, picture, report, exposure, scene.dropped);
  return stop.exit_code();
}

Option in_group(Option option, const char* group) {
  option.group = group;
  return option;
}

}  // namespace

Command trace_command() {
  const char *light = "Light and lens", *where = "Machine and acceleration structure";
  std::vector<Option> command_options = {
      needed(file_option("FILE", "FILE", "Scene (.obj, .gltf, .glb, .ply, .stl, generated:NAME)")),
      output_option("-o,--output", "FILE",
                    "Picture: .png, or .pfm or .exr in linear light; - is PNG to standard output"),
      integer_option("--samples",
                     "Samples per pixel, rounded up to a multiple of 4; the mean with --adaptive (64; with --seconds "
                     "as many as the time allows)",
                     1, kMaxSamples),
      real_option("--seconds", "S", "Stop after S seconds of tracing, and write the samples so far", 0.01, 1e6),
      integer_option("--seed", "Seed of the noise (1)", 0, 4294967295.0),
      integer_option("--bounces", "Maximum number of surfaces that a path leaves (8)", 0, 256),
      flag("--adaptive", "Put samples where they reduce the error most: regions of 8x8 pixels in 128 buckets by error"),
      choice_option("--metric", "M",
                    "Error that --adaptive reduces: gain, expected from four more samples (gain), or contrast",
                    {"gain", "contrast"}),
      real_option("--worst-error", "E", "Error of a region from which on it is in the highest bucket (1; contrast: 10)",
                  1e-6, 1e6),
      real_option("--neighbors", "P",
                  "Part of a neighbouring region's error that counts as a region's own where that is less (0)", 0, 1),
      flag("--decreasing-priorities", "Halve the error of the highest bucket whenever the upper ones are not in use"),
      announced(output_option("--sample-map", "FILE",
                              "Picture of the samples per pixel: .png, or the numbers as .pfm or .exr")),
      real_option("--exposure", "EV",
                  "Exposure of a .png, in powers of 2 (chosen so that the mean is middle grey; printed)", -32, 32),
      choice_option("--tone", "T",
                    "Tone mapping of a .png: clamp at white (clamp), or compress bright light as film does (filmic)",
                    {"clamp", "filmic"}),
      aov_option(),
      json_option("Write the numbers of the run as JSON"),
  };
  const std::vector<Option> lit = {
      text_option("--sky", "R,G,B", "Radiance of the sky: 0.5 or 0.5,0.6,0.8; 0: none (0.5)"),
      text_option("--sun", "R,G,B", "Irradiance of the scene's sun: 2 or 2,1.8,1.6; 0: none (2)"),
      real_option("--aperture", "R", "Radius of the lens, in units of the scene: depth of field (0)", 0, 1e9),
      real_option("--focus", "D", "Distance in focus (that of the surface in the centre of the picture)", 1e-9, 1e9)};
  for (const Option& option : lit) command_options.push_back(in_group(option, light));
  const std::vector<Option> run = {
      choice_option("--structure", "S",
                    "Acceleration structure: bvh, kd, or grug, a grid over a kd-tree; the picture is the same (bvh)",
                    {"bvh", "kd", "grug"}),
      integer_option("--grid", "Cells per side of --structure grug, a power of two (128)", 4, 1024),
      integer_option(
          "--children",
          "Children per node of --structure bvh: 8, a ray per warp, or 2, a ray per lane (2 for 32 lanes, else 8)", 2,
          8),
      choice_option("--machine", "M", "Machine (auto)", {"auto", "cuda", "cpu", "emulated", "simt"}),
      text_option("--isa", "I", "Machine cpu: instruction set (the best of this processor)"),
      integer_option("--workers", "Number of warps that trace (enough to keep the machine busy)", 1, 65536),
      memory_option()};
  for (const Option& option : run) command_options.push_back(in_group(option, where));
  for (const Option& option : input_options()) {
    if (option.names == "--size" || option.names == "--camera") command_options.push_back(option);
  }
  return {"trace", "Path trace a scene: soft light, depth of field, samples where the picture needs them",
          std::move(command_options), run_trace, CommandGroup::draw};
}

ViewPart trace_view_part() {
  ViewPart part;
  part.options = {
      flag("--trace", "Path trace the scene, as brokkr trace does; the picture improves while it is shown")};
  return part;
}

Module trace_module() {
  Module module;
  module.commands = {trace_command()};
  module.view = trace_view_part();
  return module;
}

}  // namespace brokkr::app
