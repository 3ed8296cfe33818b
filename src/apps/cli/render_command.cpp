// brokkr render: turns frames and scenes into pictures, statistics and traces.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>

#include "app/aov.h"
#include "app/input.h"
#include "app/picture.h"
#include "app/pipeline_options.h"
#include "app/shader_option.h"
#include "app/stop_signals.h"
#include "app/text.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "brokkr/errors.h"
#include "brokkr/renderer.h"
#include "cli/commands.h"
#include "log/frame_statistics.h"
#include "log/text.h"

namespace brokkr::app {
namespace {

// The request of the command line, without the names of individual files.
struct Request {
  RenderOptions options;
  std::vector<AovRequest> aovs;
  int frames = 1;
  bool several = false;         // input files
  bool chooses_samples = true;  // nobody said how many, and nothing is measured
};

struct Timing {
  double min_ms = 0, median_ms = 0;
  int frames = 0;  // fewer than were asked for if a signal came
};

Timing summarize(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times.front(), quantile(times, 0.5), static_cast<int>(times.size())};
}

// Draws a frame. Throws Stopped if a signal ends it.
RenderResult render_one(Renderer& renderer, PreparedFrame& prepared, const RenderOptions& options, bool read_back) {
  RenderResult result = renderer.render(prepared, options, read_back);
  if (result.aborted) StopSignals::check();
  return result;
}

// Reads back only the last frame, so that the other frames have the times that a game would see. A signal ends the
// first frame, which has no result. Later, it only lets the next frame be the last one.
RenderResult render_frames(Renderer& renderer, PreparedFrame& prepared, const Request& request, Timing& timing,
                           Progress& progress, const StopSignals& signals) {
  std::vector<double> times;
  struct Watched {
    Renderer& renderer;
    ~Watched() { renderer.watch({}); }
  } const watched{renderer};
  renderer.watch([&] { return times.empty() && signals.stopped(); });
  for (int frame = 1; frame < request.frames && !signals.stopped(); ++frame) {
    progress.show("rendering " + std::to_string(frame) + " of " + std::to_string(request.frames));
    times.push_back(render_one(renderer, prepared, request.options, false).statistics.frame_ms);
  }
  progress.show("rendering");
  RenderResult result = render_one(renderer, prepared, request.options, true);
  times.push_back(result.statistics.frame_ms);
  timing = summarize(std::move(times));
  return result;
}

// With one sample a pixel where nobody chose more, and there is no memory for them.
RenderResult render_picture(Renderer& renderer, PreparedFrame& prepared, Request& request, Timing& timing,
                            Progress& progress, const StopSignals& signals) {
  try {
    return render_frames(renderer, prepared, request, timing, progress, signals);
  } catch (const MemoryLimitError&) {
    if (!request.chooses_samples || request.options.samples == 1) throw;
    request.options.samples = 1;
    return render_frames(renderer, prepared, request, timing, progress, signals);
  }
}

// Draws all pictures from the beginning of time to the one that is wanted, 60 a second, where buffers keep what they
// held in the picture before.
void draw_earlier(Renderer& renderer, Frame& frame, const FragmentShader& shader, const Request& request,
                  const Arguments& arguments, Progress& progress) {
  if (!reads_earlier_buffers(shader)) return;
  const LoadOptions load = load_options(arguments);
  FragmentShader earlier = shader;
  const auto pictures = uint64_t(std::max(0.0, std::floor(shader.time * 60 + 1e-6)));
  for (uint64_t picture = 0; picture < pictures; ++picture) {
    progress.show(fmt::format("rendering picture {} of {}", picture, pictures));
    StopSignals::check();
    earlier.time = double(picture) / 60;
    update_fragment_shader(frame, earlier);
    PreparedFrame prepared = renderer.prepare(frame, load);
    keep_buffers(frame, shader, renderer.render(prepared, request.options));
    earlier.pressed.clear();
  }
  earlier.time = shader.time;
  update_fragment_shader(frame, earlier);
}

nlohmann::ordered_json statistics_json(const std::string& file, const Timing& timing, const RenderResult& result,
                                       const std::string& simt) {
  nlohmann::ordered_json json = {{"file", file}, {"aborted", result.aborted}};
  json["frames"] = {{"count", timing.frames}, {"min_ms", timing.min_ms}, {"median_ms", timing.median_ms}};
  json["statistics"] = parse_json(result.statistics.to_json());
  if (!simt.empty()) json["simt"] = parse_json(simt);
  return json;
}

void print_line(const char* name, const std::string& text) {
  std::cout << "  " << std::string(name).append(11 - std::string(name).size(), ' ') << text << '\n';
}

void print_summary(const std::string& shown, const Target& target, int samples, const Timing& timing,
                   const RenderResult& result) {
  const Statistics& s = result.statistics;
  std::cout << shown << ": " << target.width << "x" << target.height;
  if (samples > 1) std::cout << " with " << samples << " samples a pixel";
  std::cout << ", target " << target.id << '\n';
  std::string time = fixed(timing.median_ms, 2) + " ms";
  if (timing.frames > 1) {
    time += " (median of " + std::to_string(timing.frames) + ", least " + fixed(timing.min_ms, 2) + ")";
  }
  print_line("frame", time + (result.aborted ? ", cut off: the picture is partial" : ""));
  print_line("machine", s.machine + (s.isa.empty() ? "" : " " + s.isa) + ", " + counted(s.workers, "worker") + ", " +
                            counted(s.width, "lane"));
  print_line("bins", std::to_string(s.bin) + " pixels, " + s.pattern + " over " + counted(s.rasterizers, "rasterizer") +
                         ", load c_v " + fixed(s.load_cv, 3));
  print_line("triangles", grouped(s.triangles_in) + " in " + counted(s.draws, "draw") + ", " +
                              grouped(s.triangles_culled) + " culled, " + grouped(s.triangles_clipped) + " clipped, " +
                              grouped(s.triangles_out) + " out");
  print_line("vertices", grouped(s.vertex_shader_runs) + " shaded, " + fixed(s.asr, 3) + " per triangle, " +
                             counted(s.batches, "batch", "batches"));
  print_line("fragments", grouped(s.fragments) + ", " + grouped(s.fragments_shaded) + " shaded");
  print_line("memory", grouped(s.store_bytes / 1024) + " KiB store, " + grouped(s.target_bytes / 1024) +
                           " KiB targets, " + grouped(s.frame_bytes / 1024) + " KiB frame");
  if (s.discard_unknown_triangles > 0) {
    print_line("note", counted(s.discard_unknown_triangles, "triangle") +
                           " had a shader that may discard fragments; drawn whole");
  }
}

// Prints one line for each program that could not run.
void print_false_colors(const std::string& file, const Statistics& s) {
  for (const std::string& line : s.false_colors) std::cerr << file << ": drawn in false colours: " << line << '\n';
}

// Names the files that were written beside the picture.
void print_also(std::vector<std::string> files) {
  if (files.empty()) return;
  constexpr size_t kMaxNamed = 6;
  const size_t more = files.size() > kMaxNamed ? files.size() - kMaxNamed : 0;
  files.resize(files.size() - more);
  print_line("also", fmt::format("{}{}", fmt::join(files, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
}

// Returns the number of frames that were drawn. Throws Stopped if a signal comes before there is a picture.
int render_file(Renderer& renderer, const std::string& file, const Arguments& arguments, Request& request,
                const StopSignals& signals) {
  // File names are checked first: a wrong one should not cost the rendering.
  const std::string asked = arguments.text("output");
  const std::string& named = file == kScreenScene && arguments.has("fragment") ? arguments.text("fragment") : file;
  std::string picture = arguments.has("no-output")
                            ? ""
                            : output_name(asked.empty() ? "{}.png" : asked, named, request.several, "--output");
  const auto extra = [&](const char* option) {
    const std::string path = arguments.text(option);
    return path.empty() || path == "-" ? path : output_name(path, named, request.several, std::string("--") + option);
  };
  const std::string stats = extra("json"), trace = extra("trace");

  Timing timing;
  RenderResult result;
  Frame frame;
  uint32_t target = 0;
  std::string cut;
  std::vector<std::string> also;  // files written beside the picture
  {
    Progress progress;
    const std::optional<FragmentShader> shader = read_shader(arguments);
    frame = load_input(file, arguments, progress, shader);
    target = chosen_target(frame, arguments);
    const uint32_t layer_number = chosen_layer(frame, target, arguments);
    const uint32_t layer_count = arguments.has("layer") ? 1 : uint32_t(frame.targets[target].layers);
    const AovLayers planes{target, layer_number, layer_count, file, request.several};
    for (const std::string& name : {picture, stats, trace}) require_no_input(name);
    require_layer_names(request.aovs, planes);
    if (request.chooses_samples) request.options.samples = picture_samples(frame, request.options.shading);
    progress.show("preparing " + file);
    if (shader && shader->has_buffers()) draw_earlier(renderer, frame, *shader, request, arguments, progress);
    LoadOptions load = load_options(arguments);
    load.progress = [](double) { StopSignals::check(); };
    PreparedFrame prepared = renderer.prepare(frame, load);
    result = render_picture(renderer, prepared, request, timing, progress, signals);
    cut = result.aborted ? "" : line_of_loops(result.statistics);
    if (!cut.empty()) cut = named + ": " + cut;
    if (!cut.empty() && arguments.has("strict")) throw std::runtime_error(cut + " (a warning, which --strict refuses)");
    const std::vector<Layer>& layers = result.targets[target].layers;
    progress.show("writing " + picture);
    picture =
        write_picture(picture, arguments, file, request.several, {layers, layer_number, frame.targets[target].format});
    also = draw_aovs(renderer, prepared, frame, request.options, request.aovs, planes);
  }
  print_false_colors(file, result.statistics);
  if (!cut.empty()) warn(cut);
  const std::string simt = simt_report(arguments);
  const std::string json = json_text(statistics_json(file, timing, result, simt));
  if (!trace.empty()) write_text(written_path(trace), result.statistics.to_chrome_trace());
  if (picture == "-" || trace == "-") {
    if (!stats.empty()) write_text(stats, json);
    return timing.frames;  // nothing else may go to standard output
  }
  if (stats == "-") {
    std::cout << json;
    return timing.frames;
  }
  if (!stats.empty()) write_text(stats, json);
  const int samples = std::max(frame.targets[target].samples, request.options.samples);
  print_summary(picture.empty() ? file : picture, frame.targets[target], samples, timing, result);
  for (const std::string& name : {stats, trace}) {
    if (!name.empty()) also.push_back(name);
  }
  print_also(std::move(also));
  for (const std::string& line : simt_lines(simt)) print_line("simt", line);
  return timing.frames;
}

// No picture of one scene replaces a file of another, which is read later. A scene reads files of its own folder and of
// those below, so that it is loaded for this alone only where a picture with such a name is there already.
void require_kept_inputs(const std::vector<std::string>& files, const Arguments& arguments) {
  namespace fs = std::filesystem;
  if (files.size() < 2 || arguments.has("no-output")) return;
  std::vector<fs::path> pictures;
  for (const std::string& file : files) {
    const fs::path picture = output_name(arguments.text("output", "{}.png"), file, true, "--output");
    std::error_code error;
    if (const fs::path whole = fs::canonical(picture, error); !error) pictures.push_back(whole);
  }
  for (const std::string& file : files) {
    std::error_code error;
    const fs::path folder = fs::canonical(file, error).parent_path();
    const auto is_below = [&](const fs::path& picture) {
      return std::ranges::mismatch(folder, picture).in1 == folder.end();
    };
    if (error || file.ends_with(".bkf") || std::ranges::none_of(pictures, is_below)) continue;
    LoadOptions load = load_options(arguments);
    load.warning = {};
    load_frame(file, load);
    for (const fs::path& picture : pictures) require_no_input(picture);
  }
}

// After a file that cannot be drawn, the next one follows.
int render_files(const std::vector<std::string>& files, const Arguments& arguments, Request& request) {
  const StopSignals signals;
  Renderer renderer;
  bool all_drawn = true;
  size_t drawn = 0;
  int frames = 0;  // of the last file
  try {
    for (size_t i = 0; i < files.size() && !signals.stopped(); ++i) {
      try {
        frames = render_file(renderer, files[i], arguments, request, signals);
        ++drawn;
      } catch (const std::runtime_error& error) {
        StopSignals::check();  // it may be the reason: a terminal sends Ctrl-C to the compiler as well
        if (files.size() == 1 || dynamic_cast<const UsageError*>(&error) != nullptr) throw;
        complain(error.what());
        all_drawn = false;
      }
    }
  } catch (const Stopped&) {
    if (drawn == 0) throw;
  }
  if (!signals.stopped()) return all_drawn ? kSuccess : kFailure;
  const std::string what =
      files.size() == 1 ? counted(uint64_t(request.frames), "frame") : counted(files.size(), "file");
  complain(fmt::format("ended by {} after {} of {}", signals.name(), files.size() == 1 ? frames : int(drawn), what));
  return signals.exit_code();
}

int run_render(const std::vector<Module>& modules, const Arguments& arguments) {
  if (!arguments.has("output") && !arguments.has("no-output"))
    require_distinct_names("{}.png", arguments.all("FILE"), "--output");
  for (const Module& module : modules) {
    if (!module.render) continue;
    if (const std::optional<int> code = module.render(arguments)) return *code;
  }
  std::vector<std::string> files = without_folders(arguments.all("FILE"));
  if (files.size() > arguments.all("FILE").size())
    require_distinct_names(arguments.text("output", "{}.png"), files, "--output");
  if (files.empty() && !arguments.has("fragment")) throw UsageError("FILE is missing");
  if (files.empty()) files = {kScreenScene};
  Request request;
  request.options = render_options(arguments);
  request.frames = static_cast<int>(arguments.integer("frames", 1));
  request.several = files.size() > 1;
  const auto is_given = [&](const char* option) { return arguments.has(option); };
  request.chooses_samples =
      std::ranges::none_of(std::array{"samples", "json", "trace", "frames", "budget", "no-output"}, is_given);
  request.aovs = read_aovs(arguments);
  if (arguments.has("output") && arguments.has("no-output"))
    throw UsageError("--output, --no-output: give only one of them");
  if (arguments.has("output")) require_picture(arguments.text("output"), {".png", ".exr"}, "--output");
  const auto takes_stdout = [&](const char* option) { return arguments.text(option) == "-" ? 1 : 0; };
  if (takes_stdout("output") + takes_stdout("json") + takes_stdout("trace") > 1)
    throw UsageError("--output, --json, --trace: only one of them can be standard output (-)");
  if (arguments.has("command-limit")) {
    request.options.command_limit = static_cast<uint32_t>(arguments.integer("command-limit", 0));
  }
  request.options.trace = arguments.has("trace");
  set_up_simt(arguments, name_of(request.options.machine));
  require_kept_inputs(files, arguments);
  return render_files(files, arguments, request);
}

// --json as in every command. --stats is its older name.
Option statistics_option() {
  Option option = json_option("Write counts and times as JSON");
  option.names += ",--stats";
  option.announced = false;
  return option;
}

}  // namespace

Command render_command(const std::vector<Module>& modules) {
  const std::vector<Option> own = {
      several(file_option("FILE", "FILE",
                          "Frames (.bkf) and scenes (.obj, .gltf, .glb, .ply, .stl) to draw, or folders of them")),
      output_option("-o,--output", "FILE",
                    "Picture, .png or .exr; {} stands for the input's name ({}.png in this folder). If the target has "
                    "several layers, as with --views, {} stands for the layer's number, and every layer is written; "
                    "one .exr without {} holds all layers as view000, view001, …; - writes PNG to standard output"),
      rare(flag("--no-output", "Write no picture")),
      aov_option(),
      rare(integer_option("--command-limit", "Stop before this command of the frame", 0, 4294967295.0)),
      integer_option("--frames", "Draw each input N times and report the minimum and the median time (1)", 1, 1000000),
      statistics_option(),
      output_option("--trace", "FILE.json",
                    "Write the time line of every block, for chrome://tracing or Perfetto; - prints it"),
  };
  std::vector<Option> options = joined(joined(joined(joined(own, target_options()), input_options()), shader_options()),
                                       joined(picture_options(), simt_options()));
  for (const Module& module : modules) options = joined(std::move(options), module.render_options);
  return {"render", "Draw frames and scenes to pictures", std::move(options),
          [modules](const Arguments& arguments) { return run_render(modules, arguments); }};
}

}  // namespace brokkr::app
