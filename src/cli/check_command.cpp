// brokkr check: compares a captured frame with the depth of the application's own driver.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/depth_compare.h"
#include "app/input.h"
#include "app/picture.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "brokkr/load.h"
#include "brokkr/renderer.h"
#include "cli/commands.h"
#include "log/json_text.h"

namespace brokkr::app {
namespace {

struct Row {
  const Reference* reference = nullptr;
  int target = 0;
  DepthComparison depth;
  double frame_ms = 0;
};

// "diff.png" -> "diff-2.png" where there are several references.
std::string numbered(const std::string& path, size_t number, size_t count) {
  if (count == 1) return path;
  std::filesystem::path result(path);
  const std::string name = result.stem().string() + "-" + std::to_string(number) + result.extension().string();
  return result.replace_filename(name).string();
}

// Renders up to the reference and compares the target's depth with it.
Row check_reference(const Frame& frame, const Reference& reference, Renderer& renderer, PreparedFrame& prepared,
                    RenderOptions options, const std::string& picture) {
  const Target& target = frame.targets[reference.target];
  if (reference.depth_width != target.width || reference.depth_height != target.height) {
    throw std::runtime_error(
        fmt::format("{}: the reference before command {} has another size than its target {}; capture the frame again",
                    frame.source, reference.before, target.id));
  }
  options.command_limit = reference.before;
  options.keep_ids = true;
  const RenderResult result = renderer.render(prepared, options);
  if (result.aborted) throw std::runtime_error(frame.source + ": cut off by --budget; nothing was compared");
  const Layer& layer = result.targets[reference.target].layers[0];
  const auto is_hard = [&](size_t pixel) {
    const uint32_t writer = layer.depth_id[pixel];
    return writer == ~0u || is_hard_writer(frame, prepared.origin(writer).command);
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

void print(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows) {
    cells.push_back({std::to_string(row.target), std::to_string(row.reference->before), grouped(row.depth.pixels),
                     fixed(row.depth.percent(), 4), grouped(row.depth.hard_pixels),
                     row.depth.hard_pixels > 0 ? fixed(row.depth.hard_percent(), 4) : "-",
                     grouped(row.depth.hard_pixels - row.depth.hard_agree), fixed(row.depth.hard_worst, 6),
                     fixed(row.frame_ms, 2)});
  }
  std::cout << format_table(
      {"target", "before", "pixels", "agree %", "hard pixels", "agree %", "differ", "worst", "ms"}, cells);
}

// Compares with every reference depth of the frame; `picture` may be empty.
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

void complain(const std::string& problem) {
  std::cout.flush();
  std::cerr << "brokkr: " << printable(problem) << std::endl;
}

// A frame that cannot be compared fails, and the next one has its turn.
int run_check(const Arguments& arguments) {
  const std::vector<std::string>& files = arguments.all("FILE");
  const std::string output = arguments.text("output");
  if (!output.empty()) require_picture(output, {".png"}, "--output");
  if (output == "-" && arguments.has("json"))
    throw UsageError("--output, --json: only one of them can be standard output");
  const RenderOptions options = render_options(arguments);
  Renderer renderer;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  bool all_passed = true;
  for (const std::string& file : files) {
    const std::string picture = output.empty() ? "" : output_name(output, file, files.size() > 1, "--output");
    try {
      Frame frame;
      std::vector<Row> rows;
      {
        Progress progress;
        progress.show("reading " + file);
        frame = load_frame(file, load_options(arguments));
        rows = check_frame(frame, renderer, options, picture, progress);
      }
      const bool passed = is_close(rows, arguments);
      if (arguments.has("json")) {
        all.push_back(to_json(file, rows, passed));
      } else if (output != "-") {
        if (files.size() > 1) std::cout << (file == files.front() ? "" : "\n") << printable(file) << '\n';
        print(rows);
      }
      if (!passed) complain(file + ": fewer pixels agree than --min or --min-hard ask for");
      all_passed = all_passed && passed;
    } catch (const std::runtime_error& error) {
      if (files.size() == 1 || dynamic_cast<const UsageError*>(&error) != nullptr) throw;
      complain(error.what());
      all_passed = false;
    }
  }
  if (arguments.has("json")) std::cout << json_text(files.size() == 1 ? all[0] : all);
  return all_passed ? kSuccess : kFailure;
}

}  // namespace

Command check_command() {
  const std::vector<Option> own = {
      needed(several(file_option("FILE", "FILE", "Captured frames (.bkf) with reference depth"))),
      file_option(
          "-o,--output", "FILE.png",
          "Difference picture: red where pixels differ, amber where a shader may have discarded; {} stands for the "
          "input's name; - writes PNG to standard output"),
      real_option("--min", "PERCENT", "Fail where less than PERCENT of all pixels agree (0)", 0, 100),
      real_option(
          "--min-hard", "PERCENT",
          "Fail where less than PERCENT of the pixels agree whose depth no discard, alpha test or stencil decided (0)",
          0, 100),
      flag("--json", "Print JSON instead of a table (an array for several files)"),
  };
  return {"check", "Compare the depth of a captured frame with that of the game's own driver",
          joined(own, pipeline_options()), run_check};
}

}  // namespace brokkr::app
