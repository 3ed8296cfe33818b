// brokkr check: compares a captured frame with the depths and colours of the application's own driver.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/depth_compare.h"
#include "app/input.h"
#include "app/picture.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "brokkr/load.h"
#include "brokkr/renderer.h"
#include "cli/check_colors.h"
#include "cli/commands.h"
#include "inspect/vertex_compare.h"
#include "log/text.h"

namespace brokkr::app {
namespace {

struct Row {
  const Reference* reference = nullptr;
  int target = 0;
  DepthComparison depth;
  double frame_ms = 0;
};

// Renders up to the reference and compares the depth of the target.
Row check_reference(const Frame& frame, const Reference& reference, Renderer& renderer, PreparedFrame& prepared,
                    RenderOptions options, const std::string& picture) {
  const Target& target = frame.targets[reference.target];
  if (reference.depth_width != target.width || reference.depth_height != target.height) {
    throw std::runtime_error(fmt::format(
        "{}: the reference before command {} has a different size from its target {}; capture the frame again",
        frame.source, reference.before, target.id));
  }
  options.command_limit = reference.before;
  options.keep_ids = true;
  const RenderResult result = renderer.render(prepared, options);
  if (result.aborted) throw std::runtime_error(frame.source + ": cut off by --budget; nothing was compared");
  const Layer& layer = result.targets[reference.target].layers[0];
  const bool runs = options.shading == Shading::program;
  const auto is_hard = [&](size_t pixel) {
    const uint32_t writer = layer.depth_id[pixel];
    return writer == ~0u || is_hard_writer(frame, prepared.origin(writer).command, runs);
  };
  if (!picture.empty()) {
    write_pixels(picture, layer.width, layer.height, draw_difference(layer.depth, reference.depth, is_hard));
  }
  return {&reference, target.id, compare_depth(layer.depth, reference.depth, is_hard), result.statistics.frame_ms};
}

nlohmann::ordered_json to_json(const std::string& file, const std::vector<Row>& rows, bool passed) {
  nlohmann::ordered_json json = {{"file", file}, {"tolerance", kDepthTolerance}, {"passed", passed}};
  json["references"] = nlohmann::ordered_json::array();
  const auto finite = [](double value) { return std::isfinite(value) ? nlohmann::ordered_json(value) : nullptr; };
  for (const Row& row : rows) {
    json["references"].push_back({{"target", row.target},
                                  {"before", row.reference->before},
                                  {"pixels", row.depth.pixels},
                                  {"agree", row.depth.agree},
                                  {"percent", row.depth.percent()},
                                  {"worst", finite(row.depth.worst)},
                                  {"hard_pixels", row.depth.hard_pixels},
                                  {"hard_agree", row.depth.hard_agree},
                                  {"hard_percent", row.depth.hard_percent()},
                                  {"hard_worst", finite(row.depth.hard_worst)},
                                  {"frame_ms", row.frame_ms}});
  }
  return json;
}

std::string table_of(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows) {
    cells.push_back({std::to_string(row.target), std::to_string(row.reference->before), grouped(row.depth.pixels),
                     fixed(row.depth.percent(), 4), grouped(row.depth.hard_pixels),
                     row.depth.hard_pixels > 0 ? fixed(row.depth.hard_percent(), 4) : "-",
                     grouped(row.depth.hard_pixels - row.depth.hard_agree), fixed(row.depth.hard_worst, 6),
                     fixed(row.frame_ms, 2)});
  }
  return format_table({"target", "before", "pixels", "agree %", "hard pixels", "agree %", "differ", "worst", "ms"},
                      cells);
}

// Compares with every depth reference of the frame; `picture` may be empty.
std::vector<Row> check_frame(const Frame& frame, Renderer& renderer, const RenderOptions& options,
                             const std::string& picture, Progress& progress) {
  std::vector<const Reference*> references;
  for (const Reference& reference : frame.references) {
    if (!reference.depth.empty()) references.push_back(&reference);
  }
  if (references.empty()) {
    throw std::runtime_error(frame.source +
                             ": holds no reference depth to compare with; use a captured frame that does");
  }
  if (picture == "-" && references.size() > 1) {
    throw UsageError("--output -: " + frame.source + " has " + std::to_string(references.size()) +
                     " references, and standard output takes one picture; name a file");
  }
  LoadOptions load;
  load.memory_limit = options.memory_limit;
  PreparedFrame prepared = renderer.prepare(frame, load);
  std::vector<Row> rows;
  for (const Reference* reference : references) {
    progress.show("rendering up to command " + std::to_string(reference->before));
    const std::string name = picture.empty() ? "" : numbered(picture, rows.size() + 1, references.size());
    rows.push_back(check_reference(frame, *reference, renderer, prepared, options, name));
  }
  return rows;
}

bool is_close(const std::vector<Row>& rows, const Arguments& arguments) {
  return std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
    return row.depth.percent() >= arguments.real("min", 0) && row.depth.hard_percent() >= arguments.real("min-hard", 0);
  });
}

// The result for one file: its JSON, and the text that is printed otherwise.
struct FileCheck {
  nlohmann::ordered_json json;
  std::function<void()> print;
  std::string complaint;  // empty if it passed
};

nlohmann::ordered_json to_json(const ComparedFrame& compared) {
  if (!compared.is_compared()) return nullptr;
  const VertexComparison all = compared.all();
  return {{"draws", all.draws},         {"positions", all.positions}, {"same", all.same},
          {"within_2_ulps", all.close}, {"percent", all.percent()},   {"worst_pixels", all.worst}};
}

// Compares the vertices that the frame's programs compute with the driver's.
std::string vertices_text(const ComparedFrame& compared) {
  std::string text;
  if (compared.is_compared()) {
    const VertexComparison all = compared.all();
    text = fmt::format(
        "vertices of {}: {} of {} positions ({} %) within {} units in the last place of the driver's, "
        "{} with the same bits; at most {} pixels apart\n",
        counted(all.draws, "draw"), grouped(all.close), grouped(all.positions), fixed(all.percent(), 4), kCloseUlps,
        grouped(all.same), fixed(all.worst, 6));
  }
  for (const std::string& problem : compared.problems) text += printable(problem) + "\n";
  return text;
}

void check_vertices(const ComparedFrame& compared, const std::string& file, const Arguments& arguments,
                    FileCheck& check) {
  check.json["vertices"] = to_json(compared);
  const std::string text = vertices_text(compared);
  check.print = [before = std::move(check.print), text] {
    before();
    std::cout << text;
  };
  if (check.complaint.empty() && compared.is_compared() && compared.all().percent() < arguments.real("min-vertices", 0))
    check.complaint = file + ": fewer positions agree than --min-vertices requires";
}

FileCheck check_depth_of(const std::string& file, const std::string& picture, Renderer& renderer,
                         const Arguments& arguments) {
  std::vector<Row> rows;
  Progress progress;
  progress.show("reading " + file);
  require_file(file);
  const ComparedFrame compared = load_compared(file, load_options(arguments));
  const Frame& frame = compared.frame;
  rows = check_frame(frame, renderer, render_options(arguments), picture, progress);
  const bool passed = is_close(rows, arguments);
  // Rows point into the frame.
  const nlohmann::ordered_json json = to_json(file, rows, passed);
  const std::string table = table_of(rows);
  FileCheck check{json, [table] { std::cout << table; },
                  passed ? "" : file + ": fewer pixels agree than --min or --min-hard require"};
  check_vertices(compared, file, arguments, check);
  return check;
}

FileCheck check_colors_of(const std::string& file, const std::string& picture, Renderer& renderer,
                          const Arguments& arguments, ColorPeer& peer) {
  ColorRequest request;
  request.render = render_options(arguments);
  request.picture = picture;
  request.peer = arguments.has("peer");
  if (arguments.has("limits")) {
    request.limits = arguments.text("limits") == "exact" ? ColorLimits::exact : ColorLimits::driver;
  }
  Progress progress;
  progress.show("reading " + file);
  require_file(file);
  const ComparedFrame compared = load_compared(file, load_options(arguments));
  const ColorCheck check = check_colors(compared.frame, file, renderer, request, peer, progress);
  FileCheck result{to_json(file, check), [check] { print(check); }, check.passed ? "" : file + ": " + check.problem()};
  check_vertices(compared, file, arguments, result);
  return result;
}

// A frame that cannot be compared counts as failed, and the next one follows.
int run_check(const Arguments& arguments) {
  const std::vector<std::string>& given = arguments.all("FILE");
  std::vector<std::string> files = without_folders(given);
  // A folder's scenes have nothing to compare with.
  std::erase_if(files, [&](const std::string& file) {
    return !file.ends_with(".bkf") && std::ranges::find(given, file) == given.end();
  });
  if (files.empty()) throw std::runtime_error(given.front() + ": this folder holds no captured frame; name another");
  const std::string output = arguments.text("output");
  if (!output.empty()) require_distinct_names(output, files, "--output");
  if (!output.empty()) require_picture(output, {".png"}, "--output");
  if (output == "-" && arguments.text("json") == "-")
    throw UsageError("--output, --json: only one of them can be standard output");
  for (const char* only : {"peer", "limits"}) {
    if (arguments.has(only) && !arguments.has("color"))
      throw UsageError(std::string("--") + only + " compares colours; give --color too");
  }
  Renderer renderer;
  ColorPeer peer;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  bool all_passed = true;
  for (const std::string& file : files) {
    const std::string picture = output.empty() ? "" : output_name(output, file, files.size() > 1, "--output");
    try {
      FileCheck check = arguments.has("color") ? check_colors_of(file, picture, renderer, arguments, peer)
                                               : check_depth_of(file, picture, renderer, arguments);
      if (arguments.has("json")) {
        all.push_back(std::move(check.json));
      }
      if (output != "-" && arguments.text("json") != "-") {
        if (files.size() > 1) std::cout << (file == files.front() ? "" : "\n") << printable(file) << '\n';
        check.print();
      }
      if (!check.complaint.empty()) complain(check.complaint);
      all_passed = all_passed && check.complaint.empty();
    } catch (const std::runtime_error& error) {
      if (files.size() == 1 || dynamic_cast<const UsageError*>(&error) != nullptr) throw;
      complain(error.what());
      all_passed = false;
    }
  }
  if (arguments.has("json")) write_document(arguments.text("json"), files.size() == 1 ? all[0] : all);
  return all_passed ? kSuccess : kFailure;
}

}  // namespace

Command check_command() {
  const std::vector<Option> own = {
      needed(several(file_option("FILE", "FILE",
                                 "Captured frames (.bkf) with pictures of the game's own driver, or folders of them"))),
      announced(output_option(
          "-o,--output", "FILE.png",
          "Difference picture: red where pixels differ, amber where a shader may have discarded them; with "
          "--color, Brokkr's picture, the game's and their difference times 8, side by side; {} stands for "
          "the input's name; - writes PNG to standard output")),
      flag("--color", "Compare colours, drawn with the frame's own programs"),
      flag("--peer", "With --color: also draw the frame with OpenGL"),
      choice_option("--limits", "L",
                    "With --color: exact requires 45 dB without flips and 99.5 % of the pixels within 2 of 255, driver "
                    "requires 98 % within 4 and 99.5 % within 16 (depends on the frame's driver)",
                    {"exact", "driver"}),
      real_option("--min", "PERCENT", "Fail if less than PERCENT of all pixels agree (0)", 0, 100),
      real_option("--min-hard", "PERCENT",
                  "Fail if less than PERCENT agree of the pixels whose depth does not depend on a discard, an alpha "
                  "test or a stencil test (0)",
                  0, 100),
      real_option(
          "--min-vertices", "PERCENT",
          "Fail if less than PERCENT of the positions that vertex programs compute are within 2 units in the last "
          "place of those that the game's driver computed (0)",
          0, 100),
      json_option("Write the result as JSON, an array for several files"),
  };
  return {"check", "Compare depth or colours of a captured frame with those of the game's own driver",
          joined(own, pipeline_options()), run_check};
}

}  // namespace brokkr::app
