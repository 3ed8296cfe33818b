// brokkr info: the contents of a file.
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/frame_summary.h"
#include "app/text.h"
#include "brokkr/load.h"
#include "cli/commands.h"
#include "log/json_text.h"

namespace brokkr::app {
namespace {

nlohmann::ordered_json to_json(const Frame& frame, const FrameSummary& summary) {
  nlohmann::ordered_json json = {{"file", frame.source},
                                 {"application", frame.application},
                                 {"generator", frame.generator},
                                 {"license", frame.license},
                                 {"frame", frame.frame_number},
                                 {"window", {frame.window_width, frame.window_height}},
                                 {"commands", summary.commands},
                                 {"draws", summary.draws},
                                 {"clears", summary.clears},
                                 {"blits", summary.blits},
                                 {"instances", summary.instances},
                                 {"triangles", summary.triangles},
                                 {"unique_vertices", summary.unique_vertices},
                                 {"indices", summary.indices},
                                 {"views", frame.views.size()},
                                 {"states", frame.states.size()},
                                 {"materials", frame.materials.size()},
                                 {"textures", frame.textures.size()},
                                 {"draws_by_topology", summary.topologies},
                                 {"draws_by_state", summary.states},
                                 {"draws_by_flag", summary.flags}};
  json["bounds"] = {{"lower", {summary.lower.x, summary.lower.y, summary.lower.z}},
                    {"upper", {summary.upper.x, summary.upper.y, summary.upper.z}},
                    {"behind_eye", summary.behind_eye},
                    {"not_finite", summary.not_finite}};
  json["targets"] = nlohmann::ordered_json::array();
  for (const TargetSummary& target : summary.targets) {
    json["targets"].push_back({{"id", target.target.id},
                               {"size", {target.target.width, target.target.height}},
                               {"layers", target.target.layers},
                               {"format", format_name(target.target.format)},
                               {"draws", target.draws},
                               {"triangles", target.triangles},
                               {"main", target.is_main}});
  }
  json["references"] = nlohmann::ordered_json::array();
  for (const Reference& reference : frame.references) {
    json["references"].push_back({{"target", frame.targets[reference.target].id},
                                  {"before", reference.before},
                                  {"depth", {reference.depth_width, reference.depth_height}},
                                  {"color_bytes", reference.color_jpeg.size()}});
  }
  json["skipped"] = {
      {"draws", frame.skipped_draws}, {"triangles", frame.skipped_triangles}, {"reasons", frame.skipped_reasons}};
  return json;
}

std::string size_text(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

void print_line(const char* name, const std::string& text) {
  if (text.empty()) return;
  std::cout << std::string(name).append(17 - std::string(name).size(), ' ') << printable(text) << '\n';
}

std::string counts(const std::map<std::string, uint64_t>& by_name) {
  std::string text;
  for (const auto& [name, count] : by_name) text += (text.empty() ? "" : ", ") + grouped(count) + " " + name;
  return text;
}

std::string vector_text(const glm::vec3& v) {
  return "(" + fixed(v.x, 3) + ", " + fixed(v.y, 3) + ", " + fixed(v.z, 3) + ")";
}

void print(const Frame& frame, const FrameSummary& summary) {
  print_line("file", frame.source);
  print_line("application", frame.application);
  print_line("captured by", frame.generator);
  print_line("license", frame.license);
  print_line("window", size_text(frame.window_width, frame.window_height));
  print_line("commands", grouped(summary.draws) + " draws, " + grouped(summary.clears) + " clears, " +
                             grouped(summary.blits) + " blits");
  print_line("triangles", grouped(summary.triangles));
  print_line("unique vertices", grouped(summary.unique_vertices));
  print_line("indices", grouped(summary.indices));
  print_line("instances", grouped(summary.instances));
  print_line("states", grouped(frame.states.size()));
  print_line("views", grouped(frame.views.size()));
  print_line("materials", grouped(frame.materials.size()) + ", textures " + grouped(frame.textures.size()));
  print_line("draws as", counts(summary.topologies));
  print_line("draws with", counts(summary.states));
  print_line("draws flagged", counts(summary.flags));
  print_line("bounds", vector_text(summary.lower) + " to " + vector_text(summary.upper));
  if (summary.behind_eye > 0) print_line("behind the eye", grouped(summary.behind_eye) + " vertices");
  if (summary.not_finite > 0) print_line("not finite", grouped(summary.not_finite) + " vertices");
  if (frame.skipped_draws > 0) {
    print_line("not captured", grouped(frame.skipped_draws) + " draws, " + grouped(frame.skipped_triangles) +
                                   " triangles: " + counts(frame.skipped_reasons));
  }
  std::vector<std::vector<std::string>> rows;
  for (const TargetSummary& target : summary.targets) {
    rows.push_back({std::to_string(target.target.id), size_text(target.target.width, target.target.height),
                    std::to_string(target.target.layers), format_name(target.target.format), grouped(target.draws),
                    grouped(target.triangles), target.is_main ? "main" : ""});
  }
  std::cout << '\n' << format_table({"target", "size", "layers", "format", "draws", "triangles", ""}, rows);
  rows.clear();
  for (const Reference& reference : frame.references) {
    rows.push_back({std::to_string(frame.targets[reference.target].id), std::to_string(reference.before),
                    reference.depth.empty() ? "-" : size_text(reference.depth_width, reference.depth_height),
                    reference.color_jpeg.empty() ? "-" : "JPEG"});
  }
  if (!rows.empty()) {
    std::cout << '\n' << format_table({"reference of target", "before command", "depth", "colour"}, rows);
  }
}

int run_info(const Arguments& arguments) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  bool first = true;
  for (const std::string& file : arguments.all("FILE")) {
    const Frame frame = [&] {
      Progress progress;
      progress.show("reading " + file);
      return load_frame(file, {});
    }();
    const FrameSummary summary = summarize(frame);
    if (arguments.has("json")) {
      all.push_back(to_json(frame, summary));
    } else {
      if (!first) std::cout << '\n';
      print(frame, summary);
    }
    first = false;
  }
  if (arguments.has("json")) std::cout << json_text(all.size() == 1 ? all[0] : all);
  return kSuccess;
}

}  // namespace

Command info_command() {
  return {"info",
          "Show the contents of a frame or scene file",
          {needed(several(file_option("FILE", "FILE", "Frame (.bkf) or scene (.obj) files"))),
           flag("--json", "Print JSON (an array for several files)")},
          run_info};
}

}  // namespace brokkr::app
