// brokkr reyes: draws bicubic patches as micropolygons, at full quality or, in order of urgency, within a limit.

#include "reyes/reyes_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/input.h"
#include "app/picture.h"
#include "app/text.h"
#include "base/file_io.h"
#include "brokkr/renderer.h"
#include "log/frame_statistics.h"
#include "log/text.h"
#include "plan/options.h"
#include "reyes/reyes.h"

namespace brokkr::app {

bool is_patch_file(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return ending == ".bpt";
}

ViewPart reyes_view_part() {
  ViewPart part;
  part.options = {flag("--reyes",
                       "Show the patches of FILE (.bpt) as micropolygons, or teapot, tea-set (the default) or "
                       "creature; these can also be given as FILE reyes:NAME")};
  part.is_file = is_patch_file;
  part.is_built_in = [](const std::string& file) { return file.starts_with(kPatchScenes); };
  part.name_scenes = [](const Arguments& arguments, std::vector<std::string>& files) {
    if (!arguments.has("reyes")) return;
    if (arguments.has("trace")) throw UsageError("--reyes, --trace: give only one of them");
    if (files.empty()) files = {"tea-set"};
    for (std::string& file : files) {
      if (!is_patch_file(file) && !file.starts_with(kPatchScenes)) file = kPatchScenes + file;
    }
  };
  return part;
}

Module reyes_module() {
  Module module;
  module.commands = {reyes_command()};
  module.view = reyes_view_part();
  return module;
}

}  // namespace brokkr::app

namespace brokkr {
namespace {

int channel(uint32_t color, int c) { return int(color >> (8 * c) & 0xffu); }

void require_equal_sizes(const Layer& a, const Layer& b) {
  if (a.width == b.width && a.height == b.height && a.color.size() == b.color.size() && !a.color.empty()) return;
  throw std::invalid_argument("pictures of different sizes cannot be compared");
}

}  // namespace

std::vector<RingError> errors_by_distance(const Layer& full, const Layer& limited, const Point& fixation, int rings) {
  require_equal_sizes(full, limited);
  if (rings < 1) throw std::invalid_argument("errors by distance need a ring");
  const double x = double(fixation[0]), y = double(fixation[1]);
  const double step = std::hypot(std::max(x, full.width - x), std::max(y, full.height - y)) / rings;
  std::vector<RingError> errors(static_cast<size_t>(rings));
  for (int r = 0; r < rings; ++r) errors[size_t(r)] = {.from_px = r * step, .to_px = (r + 1) * step};
  for (size_t i = 0; i < full.color.size(); ++i) {
    const double dx = double(i % size_t(full.width)) + 0.5 - x, dy = double(i / size_t(full.width)) + 0.5 - y;
    RingError& ring = errors[std::min(size_t(rings) - 1, size_t(std::hypot(dx, dy) / step))];
    ++ring.pixels;
    const uint32_t a = full.color[i], b = limited.color[i];
    ring.other_percent += ((a ^ b) & 0xffffffu) != 0 ? 1 : 0;
    for (int c = 0; c < 3; ++c) {
      const double d = channel(a, c) - channel(b, c);
      ring.rmse += d * d;
    }
  }
  for (RingError& ring : errors) {
    if (ring.pixels == 0) continue;
    ring.rmse = std::sqrt(ring.rmse / (3.0 * double(ring.pixels)));
    ring.other_percent *= 100.0 / double(ring.pixels);
  }
  return errors;
}

std::vector<uint32_t> difference_picture(const Layer& a, const Layer& b, double gain) {
  require_equal_sizes(a, b);
  std::vector<uint32_t> pixels(a.color.size());
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = 0xff000000u;
    for (int c = 0; c < 3; ++c) {
      const double d = gain * std::abs(channel(a.color[i], c) - channel(b.color[i], c));
      pixels[i] |= uint32_t(std::min(255.0, d)) << (8 * c);
    }
  }
  return pixels;
}

void draw_ring(std::vector<uint32_t>& pixels, int width, int height, const Point& at, uint32_t color) {
  const double radius = std::max(6.0, 0.03 * std::hypot(width, height)), half = std::max(1.0, radius / 16);
  const int reach = int(radius + half) + 1;
  for (int y = std::max(0, int(at[1]) - reach); y <= std::min(height - 1, int(at[1]) + reach); ++y) {
    for (int x = std::max(0, int(at[0]) - reach); x <= std::min(width - 1, int(at[0]) + reach); ++x) {
      const double distance = std::hypot(x + 0.5 - double(at[0]), y + 0.5 - double(at[1]));
      if (std::abs(distance - radius) <= half) pixels[size_t(y) * size_t(width) + size_t(x)] = color;
    }
  }
}

}  // namespace brokkr

namespace brokkr::app {
namespace {

constexpr int kDecimals = 4;  // decimals of numbers in CSV files
constexpr int kRings = 16;
constexpr uint32_t kRingColor = 0xff2020f0u;  // red

const std::vector<std::string> kPriorities = {"size", "distance", "both"}, kLooks = {"shaded", "depth"};
// Names of ReyesMiss in tables.
const std::vector<std::string> kMisses = {"no", "processors", "least", "estimate"};

size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  return size_t(std::find(names.begin(), names.end(), name) - names.begin());
}

std::optional<Point> fixation_of(const Arguments& arguments) {
  if (!arguments.has("fixation")) return std::nullopt;
  RenderOptions options;
  try {
    set_option(options, "fixation", arguments.text("fixation"));
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--fixation: ") + error.what());
  }
  return options.fixation;
}

ReyesOptions reyes_options(const Arguments& arguments) {
  ReyesOptions o;
  const auto [width, height] = arguments.size("size");
  if (width > 0) o.width = width, o.height = height;
  o.budget_ms = arguments.real("budget", 0);
  if (arguments.has("tasks")) o.tasks = uint32_t(arguments.integer("tasks", 0));
  o.fixation = fixation_of(arguments);
  o.priority = SplitPriority(place_of(kPriorities, arguments.text("priority", "both")));
  o.decreasing_priorities = arguments.has("decreasing-priorities");
  o.look = ReyesLook(place_of(kLooks, arguments.text("look", "shaded")));
  o.rate = float(arguments.real("rate", 1));
  o.grid = uint32_t(arguments.integer("grid", 0));
  o.grid_lines = arguments.has("grid-lines");
  o.camera = arguments.text("camera");
  return o;
}

bool is_limited(const ReyesOptions& o) { return o.budget_ms > 0 || o.tasks.has_value(); }
Point fixation_in(const ReyesOptions& o) {
  return o.fixation ? *o.fixation : Point{0.5f * float(o.width), 0.5f * float(o.height)};
}

// A frame of the animation.
struct FrameRow {
  int number = 0;
  double phase = 0;
  ReyesStatistics statistics;
};
nlohmann::ordered_json json_of(const FrameRow& row) {
  const ReyesStatistics& s = row.statistics;
  const ReyesCounts& c = s.counts;
  return {{"frame", row.number},
          {"phase", row.phase},
          {"budget_ms", s.budget_ms},
          {"frame_ms", s.frame_ms},
          {"split_ms", s.split_ms},
          {"stitch_ms", s.stitch_ms},
          {"sample_ms", s.sample_ms},
          {"missed", s.missed},
          {"miss", kMisses[size_t(s.miss)]},
          {"least_ms", s.least_ms},
          {"waited_ms", s.waited_ms},
          {"processor_ms", s.processor_ms},
          {"splits", c.splits},
          {"stopped", c.stopped},
          {"crowded", c.crowded},
          {"culled", c.culled},
          {"grids", c.grids},
          {"stitched", c.stitched},
          {"triangles", s.triangles},
          {"vertices", s.vertices},
          {"halvings", s.halvings},
          {"machine", s.machine},
          {"isa", s.isa},
          {"workers", s.workers}};
}

// A ring's error under a priority.
struct ErrorRow {
  SplitPriority priority{};
  RingError ring;
};
nlohmann::ordered_json json_of(const ErrorRow& row) {
  return {{"priority", kPriorities[size_t(row.priority)]},
          {"from_px", row.ring.from_px},
          {"to_px", row.ring.to_px},
          {"pixels", row.ring.pixels},
          {"rmse", row.ring.rmse},
          {"other_percent", row.ring.other_percent}};
}

template <class Row>
std::vector<nlohmann::ordered_json> json_of_all(const std::vector<Row>& rows) {
  std::vector<nlohmann::ordered_json> all;
  for (const Row& row : rows) all.push_back(json_of(row));
  return all;
}

// Times of the animation's frames.
struct Times {
  double least = 0, median = 0, most = 0;
};
Times times_of(const std::vector<FrameRow>& rows) {
  std::vector<double> times;
  for (const FrameRow& row : rows) times.push_back(row.statistics.frame_ms);
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  return {*least, median(times), *most};
}

// The number of late frames, by reason.
std::string budget_line(const ReyesOptions& o, const std::vector<FrameRow>& rows) {
  std::vector<size_t> counts(kMisses.size());
  double least = 0;
  for (const FrameRow& row : rows) {
    ++counts[size_t(row.statistics.miss)];
    least = std::max(least, row.statistics.least_ms);
  }
  std::string line =
      fmt::format("  budget     {:g} ms, {} of {} frames late\n", o.budget_ms, rows.size() - counts[0], rows.size());
  const auto add = [&](ReyesMiss miss, const std::string& reason) {
    if (counts[size_t(miss)] > 0) line += fmt::format("  late       {}: {}\n", counts[size_t(miss)], reason);
  };
  add(ReyesMiss::least, fmt::format("even frames without splits would be, because they take up to {:.1f} ms", least));
  add(ReyesMiss::processors, "other programs used the processors for longer than these frames were late");
  add(ReyesMiss::estimate, "their stages took longer than those of earlier frames");
  return line;
}

void print_summary(const std::string& name, const ReyesOptions& o, const std::vector<FrameRow>& rows) {
  const ReyesStatistics& last = rows.back().statistics;
  const Times times = times_of(rows);
  std::cout << fmt::format("{}: {}x{}, {}\n", name, o.width, o.height, is_limited(o) ? "limited" : "full quality");
  if (rows.size() > 1) {
    std::cout << fmt::format("  frames     {}: {:.1f} ms (median), {:.1f} to {:.1f}\n", rows.size(), times.median,
                             times.least, times.most);
  } else {
    std::cout << fmt::format("  frame      {:.1f} ms: {:.1f} splits, {:.1f} stitching, {:.1f} pipeline\n", times.median,
                             last.split_ms, last.stitch_ms, last.sample_ms);
  }
  if (o.budget_ms > 0) std::cout << budget_line(o, rows);
  std::cout << fmt::format("  splits     {}, {} pieces stopped\n", grouped(last.counts.splits),
                           grouped(last.counts.stopped));
  std::cout << fmt::format("  grids      {}, {} stitched\n", grouped(last.counts.grids), grouped(last.counts.stitched));
  std::cout << fmt::format("  triangles  {}, {} vertices\n", grouped(last.triangles), grouped(last.vertices));
}

// Compares the chosen priority and the priority of size alone, at the same limit, with full quality: their errors by
// distance.
std::vector<ErrorRow> error_rows(Reyes& reyes, float phase, ReyesOptions o, const Layer& full, const Layer& chosen,
                                 Progress& progress) {
  std::vector<ErrorRow> rows;
  const auto add = [&](SplitPriority priority, const Layer& layer) {
    for (const RingError& ring : errors_by_distance(full, layer, fixation_in(o), kRings))
      rows.push_back({priority, ring});
  };
  add(o.priority, chosen);
  if (o.priority != SplitPriority::size) {
    progress.show("the same with priority size");
    o.priority = SplitPriority::size;
    add(o.priority, reyes.draw(phase, o).layer);
  }
  return rows;
}

ReyesMachine machine_of(const Arguments& arguments) {
  ReyesMachine machine;
  machine.machine = arguments.text("machine", "auto");
  machine.isa = arguments.text("isa");
  machine.workers = uint32_t(arguments.integer("workers", 0));
  machine.memory_limit = int(arguments.integer("memory-limit", 0));
  if (arguments.has("difference") || arguments.has("error")) machine.pictures = 4;
  return machine;
}

// Checks all arguments before anything is drawn.
void check(const Arguments& arguments, const ReyesOptions& o) {
  if (arguments.has("output")) require_picture(arguments.text("output"), {".png"}, "--output");
  for (const char* option : {"difference", "error"}) {
    if (arguments.has(option) && !is_limited(o)) {
      throw UsageError(std::string("--") + option + ": compares with full quality; also give --budget or --tasks");
    }
  }
  if (o.budget_ms > 0 && o.tasks) throw UsageError("--budget, --tasks: give only one of them");
  int on_stdout = 0;
  for (const char* option : {"output", "csv", "json", "error", "write-patches"}) {
    on_stdout += arguments.text(option) == "-" ? 1 : 0;
  }
  if (on_stdout > 1) throw UsageError("only one file can be standard output (-)");
}

std::string frame_name(std::string path, int number) {
  const size_t place = path.find("{}");
  if (place != std::string::npos) path.replace(place, 2, fmt::format("{:04}", number));
  return path;
}

int run_reyes(const Arguments& arguments) {
  const std::string& name = arguments.text("SCENE");
  ReyesOptions o = reyes_options(arguments);
  check(arguments, o);
  const int frames = int(arguments.integer("frames", 1));
  const double start = arguments.real("phase", 0), orbit = arguments.real("orbit", 0);
  const std::string output = arguments.text("output"), csv = arguments.text("csv"), json = arguments.text("json"),
                    errors = arguments.text("error"), patches = arguments.text("write-patches");
  const bool every = output.find("{}") != std::string::npos;
  bool quiet = false;
  for (const std::string& path : {output, csv, json, errors, patches}) quiet = quiet || path == "-";

  std::vector<FrameRow> rows;
  std::vector<ErrorRow> error_table;
  std::optional<Reyes> reyes;
  {
    Progress progress;
    progress.show("loading " + name);
    const ReyesMachine machine = machine_of(arguments);
    LoadOptions load;
    load.memory_limit = machine.memory_limit;
    PatchScene scene = load_patches(name, load);
    if (!patches.empty()) write_text(written_path(patches), bpt_text(scene, float(start)));
    try {
      reyes.emplace(std::move(scene), machine);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
    for (int k = 0; k < frames; ++k) {
      const double phase = start + double(k) / frames;
      const float part = float(phase - std::floor(phase));
      o.turned = float(orbit * k / frames);
      progress.show(fmt::format("frame {} of {}", k + 1, frames));
      const bool last = k + 1 == frames, shown = !output.empty() && (every || last);
      const ReyesFrame frame = reyes->draw(part, o, shown || (last && !errors.empty()));
      rows.push_back({k, phase, frame.statistics});
      if (!shown && !(last && !errors.empty())) continue;
      Layer full;
      if (arguments.has("difference") || (last && !errors.empty())) {
        progress.show("full quality");
        ReyesOptions whole = o;
        whole.budget_ms = 0;
        whole.tasks.reset();
        full = reyes->draw(part, whole).layer;
      }
      if (last && !errors.empty()) error_table = error_rows(*reyes, part, o, full, frame.layer, progress);
      if (!shown) continue;
      std::vector<uint32_t> pixels = arguments.has("difference")
                                         ? difference_picture(full, frame.layer, arguments.real("difference", 1))
                                         : frame.layer.color;
      if (arguments.has("mark")) draw_ring(pixels, o.width, o.height, fixation_in(o), kRingColor);
      write_pixels(frame_name(output, k), o.width, o.height, pixels);
    }
  }
  if (!csv.empty()) write_text(written_path(csv), csv_table(json_of_all(rows), kDecimals));
  if (!errors.empty()) write_text(written_path(errors), csv_table(json_of_all(error_table), kDecimals));
  if (!json.empty()) {
    const nlohmann::ordered_json document = {{"scene", name},
                                             {"patches", reyes->scene().patches()},
                                             {"width", o.width},
                                             {"height", o.height},
                                             {"rate", o.rate},
                                             {"priority", kPriorities[size_t(o.priority)]},
                                             {"frames", json_of_all(rows)}};
    write_text(written_path(json), json_text(document));
  }
  if (!quiet) print_summary(name, o, rows);
  return kSuccess;
}

std::vector<Option> machine_options() {
  return {
      choice_option("--machine", "M", "Machine that runs the program (auto)",
                    {"auto", "cuda", "cpu", "emulated", "simt"}),
      choice_option("--isa", "I", "Machine cpu: instruction set (the best of this processor)",
                    {"v2", "v3", "v4", "neon"}),
      integer_option("--workers", "Workers of the task program and of the pipeline (0: as many as the machine can run)",
                     0, 4096),
      memory_option(),
  };
}

}  // namespace

Command reyes_command() {
  const auto grouped_as = [](const std::string& group, std::vector<Option> options) {
    for (Option& option : options) option.group = group;
    return options;
  };
  std::vector<Option> options = {
      needed(file_option(
          "SCENE", "SCENE",
          "teapot, tea-set or creature, or a FILE.bpt: the number of patches, then for each \"3 3\" and 16 points")),
      announced(
          output_option("-o,--output", "FILE.png",
                        "Picture of the last frame, or of every frame where {} stands for its number; - writes PNG to "
                        "standard output")),
      size_option("--size", "Size of the picture (1920x1080)", 1, 16384),
      text_option("--camera", "TEXT", "Parts of the camera, such as \"eye=1,2,3 target=0,0,0 fov=40\""),
      integer_option("--frames", "Frames of the animation (1)", 1, 1000000),
      real_option("--phase", "P", "Where the animation begins, in turns (0)", 0, 1),
      real_option("--orbit", "DEGREES", "Angle by which the camera orbits during the animation (0)", -3600, 3600),
      real_option("--rate", "PIXELS", "Maximum side length of a micropolygon at full quality (1)", 0.25, 64),
      {.names = "--grid",
       .kind = ValueKind::power_of_two,
       .value = "N",
       .help = "Maximum number of micropolygons along the side of a grid: 1, 2, 4, 8 or 16 (16; 8 with --tasks; with "
               "--budget as many as it allows)",
       .min = 1,
       .max = 16},
  };
  const std::vector<Option> limits = {
      real_option("--budget", "MS",
                  "Time limit of a frame; pieces that cannot be split in time stay coarse (0: full quality)", 0, 3.6e6),
      integer_option("--tasks", "Limit of splits instead of time; with one worker, the picture is the same each time",
                     0, 4294967294.0),
      text_option("--fixation", "X,Y",
                  "Point at which the viewer looks, in pixels from the lower left corner (the centre)"),
      choice_option(
          "--priority", "P",
          "Pieces that are split first (both): by projected size, by distance from the fixation point, or by both",
          kPriorities),
      flag("--decreasing-priorities",
           "Decrease the upper bound of priorities while only the lower half of the buckets is in use"),
  };
  const std::vector<Option> looks = {
      choice_option("--look", "L", "shaded, or depth: the number of splits of each piece, brighter for more (shaded)",
                    kLooks),
      flag("--grid-lines", "Draw the sides of all grids"),
      flag("--mark", "Draw a ring around the fixation point"),
      real_option("--difference", "GAIN", "Show the difference from full quality, times GAIN, instead", 0, 255),
  };
  const std::vector<Option> results = {
      announced(output_option("--csv", "FILE.csv",
                              "Write a row for every frame: times, whether the budget was missed, splits, grids")),
      json_option("Write the same data as JSON"),
      announced(
          output_option("--error", "FILE.csv",
                        "Write the last frame's error by distance from the fixation point, and the error with priority "
                        "size at the same limit")),
      announced(output_option("--write-patches", "FILE.bpt", "Write the scene's patches at --phase")),
  };
  const auto append = [&](std::vector<Option> more) { options.insert(options.end(), more.begin(), more.end()); };
  append(grouped_as("Limit", limits));
  append(grouped_as("Overlays", looks));
  append(grouped_as("Results", results));
  append(grouped_as("Machine", machine_options()));
  return {"reyes", "Draw bicubic patches as micropolygons, finest where the viewer looks", options, run_reyes,
          CommandGroup::draw};
}

}  // namespace brokkr::app
