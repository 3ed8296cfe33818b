// brokkr ranks: measures the costs of a frame's parts here, and predicts the frame's time on many ranks.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "app/input.h"
#include "app/picture.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "base/file_io.h"
#include "log/text.h"
#include "ranks/figures.h"
#include "ranks/project.h"
#include "ranks/sequence.h"
#include "ranks/settings.h"

namespace brokkr::app {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kTasks = {"measure", "model", "balance", "owners"};
constexpr const char* kOfTimes[] = {"hop-ns", "link-gb-s", "hub", "merge", "as-here"};

ranks::RankSettings model_settings(const Arguments& arguments) {
  ranks::RankSettings settings;
  read_owner_options(arguments, settings);
  return settings;
}

void print_figure_table(const ranks::FigureTable& table, const ranks::Costs& costs, const std::string& name) {
  std::cout << fmt::format("{}: {}\nmodelled, from costs that were measured with {} {}, {}, squares of {} by {}\n",
                           name, table.title, costs.machine, costs.isa, counted(uint64_t(costs.workers), "worker"),
                           costs.bin, costs.pattern)
            << format_table(table.heading, table.texts()) << "paper: " << table.paper << '\n';
}

void write_figure_csv(const std::string& path, const ranks::FigureTable& table) {
  std::string text = csv_row(table.heading);
  for (const auto& row : table.texts()) text += csv_row(row);
  write_text(path, text);
}

Json to_json(const ranks::FigureCell& cell) {
  if (!cell.number) return cell.text;
  const bool is_whole = cell.text.find('.') == std::string::npos;
  return is_whole ? Json(int64_t(*cell.number)) : Json(*cell.number);
}

Json to_json(const ranks::FigureTable& table, const ranks::Costs& costs, const std::string& name) {
  Json rows = Json::array();
  for (const std::vector<ranks::FigureCell>& row : table.rows) {
    Json& cells = rows.emplace_back(Json::object());
    for (size_t i = 0; i < row.size(); ++i) cells[table.heading[i]] = to_json(row[i]);
  }
  return {{"kind", "brokkr ranks model"},
          {"figure", name},
          {"title", table.title},
          {"machine", costs.machine},
          {"isa", costs.isa},
          {"workers", costs.workers},
          {"bin", costs.bin},
          {"pattern", costs.pattern},
          {"rows", rows},
          {"paper", table.paper}};
}

void measure(const Arguments& arguments, const std::vector<std::string>& files) {
  if (files.empty()) throw UsageError("measure: a FRAME is missing");
  const std::string output = arguments.text("output"), json = arguments.text("json");
  if (output.empty() && json.empty()) throw UsageError("measure: -o COSTS.json is missing");
  if (!output.empty()) require_ending(output, {".json"}, "--output");
  const ranks::RankSettings settings = model_settings(arguments);
  RenderOptions options = render_options(arguments);
  if (options.workers == 0) options.workers = 1;
  if (options.shaders == ShaderCode::automatic) options.shaders = ShaderCode::interpreted;
  ranks::Costs costs;
  costs.max_ranks = int(arguments.integer("most", 16));
  costs.repeats = int(arguments.integer("repeats", 3));
  costs.bin = settings.bin;
  costs.pattern = pattern_name(settings.pattern);
  for (const std::string& file : files) {
    Progress progress;
    const Frame frame = load_input(file, arguments, progress);
    progress.show("measuring " + file);
    ranks::measure_costs(file, frame, options, settings, costs);
  }
  for (const std::string& file : {output, json}) {
    if (!file.empty()) write_out(file, ranks::to_json(costs));
  }
  if (json == "-") return;
  std::cout << fmt::format("costs of {} with up to {}\n", counted(files.size(), "frame"),
                           counted(costs.max_ranks, "rank"));
}

void model(const Arguments& arguments, const std::vector<std::string>& words) {
  if (words.size() != 2) throw UsageError("model: takes a figure and a file of costs, as in `model fig13 costs.json`");
  const ranks::Costs costs = ranks::read_costs(words[1]);
  ranks::RankSettings settings;
  settings.bin = costs.bin;
  settings.pattern = choose_pattern(costs.pattern);
  settings.memory_limit = int(arguments.integer("memory-limit", 0));
  ranks::TimesSettings times;
  times.network.hop_ns = arguments.real("hop-ns", times.network.hop_ns);
  times.network.link_gb_s = arguments.real("link-gb-s", times.network.link_gb_s);
  if (arguments.has("hub")) times.network.topology = ranks::Topology::hub;
  times.merge = uint32_t(arguments.integer("merge", times.merge));
  times.as_here = arguments.has("as-here");
  for (const char* option : kOfTimes) {
    if (arguments.has(option) && words[0] != ranks::kTimes)
      throw UsageError(std::string("--") + option +
                       ": is for `model times`; the paper's figures have their own networks");
  }
  const ranks::FigureTable table = ranks::make_figure(words[0], costs, settings, times);
  if (arguments.has("output")) {
    require_ending(arguments.text("output"), {".csv"}, "--output");
    write_figure_csv(arguments.text("output"), table);
  }
  if (!write_document(arguments.text("json"), to_json(table, costs, words[0])))
    print_figure_table(table, costs, words[0]);
}

void balance(const Arguments& arguments, const std::vector<std::string>& files) {
  if (files.empty()) throw UsageError("balance: a FRAME is missing");
  const int count = int(arguments.integer("most", 16));
  const std::string json = arguments.text("json");
  Json all = Json::array();
  for (const std::string& file : files) {
    Progress progress;
    const Frame frame = load_input(file, arguments, progress);
    progress.show("measuring " + file);
    std::vector<std::vector<std::string>> rows;
    Json patterns = Json::array();
    for (const ranks::Balance& b :
         ranks::measure_balance(frame, render_options(arguments), model_settings(arguments), count)) {
      rows.push_back({b.pattern, fixed(b.fragments, 3), fixed(b.primitives, 3), fixed(b.copies, 2)});
      patterns.push_back({{"pattern", b.pattern},
                          {"fragments", b.fragments},
                          {"primitives", b.primitives},
                          {"ranks_per_primitive", b.copies}});
    }
    progress.show("");
    all.push_back({{"file", file}, {"ranks", count}, {"patterns", patterns}});
    if (json == "-") continue;
    std::cout << fmt::format("{}: {} ranks; the largest share divided by the mean\n", file, count)
              << format_table({"pattern", "fragments", "primitives", "ranks per primitive"}, rows);
  }
  write_document(json, all);
}

void owners(const Arguments& arguments, const std::vector<std::string>& files) {
  if (files.size() != 1) throw UsageError("owners: takes one FRAME");
  const std::string picture = arguments.text("output"), json = arguments.text("json");
  if (picture.empty() && json.empty()) throw UsageError("owners: -o FILE.png is missing");
  if (!picture.empty()) require_picture(picture, {".png"}, "--output");
  const int count = int(arguments.integer("most", 4));
  Progress progress;
  const Frame frame = load_input(files[0], arguments, progress);
  const uint32_t target = picture_target(frame);
  const auto owned = ranks::owned_bins(frame, model_settings(arguments), 0, count);
  if (!picture.empty()) {
    Renderer renderer;
    const RenderResult result = renderer.render(frame, render_options(arguments));
    const Layer& layer = result.targets[target].layers[0];
    write_pixels(picture, layer.width, layer.height, ranks::tint_by_owner(layer, target, *owned));
  }
  Json rows = Json::array();  // from the bottom of the picture
  for (int y = 0; y < frame.targets[target].height; y += owned->bin) {
    Json& row = rows.emplace_back(Json::array());
    for (int x = 0; x < frame.targets[target].width; x += owned->bin) row.push_back(owned->owner(target, x, y));
  }
  write_document(json, {{"file", files[0]},
                        {"target", frame.targets[target].id},
                        {"ranks", count},
                        {"pattern", pattern_name(model_settings(arguments).pattern)},
                        {"bin", owned->bin},
                        {"owner", rows}});
}

int run_ranks_command(const Arguments& arguments) {
  const std::string task = arguments.text("TASK");
  const std::vector<std::string>& words = arguments.all("FILE");
  if (task == "measure")
    measure(arguments, words);
  else if (task == "model")
    model(arguments, words);
  else if (task == "balance")
    balance(arguments, words);
  else
    owners(arguments, words);
  return kSuccess;
}

}  // namespace

Command ranks_command() {
  std::string figures;
  for (const ranks::FigureInfo& figure : ranks::figure_list())
    figures += fmt::format("{}{}, {}", figures.empty() ? "" : "; ", figure.name, figure.what);
  const std::vector<Option> command_options = {
      needed(choice_option(
          "TASK", "TASK",
          "measure: the cost of each rank's part of FRAMEs on this machine, by default with one worker and interpreted "
          "shaders; model FIGURE COSTS.json: a prediction from these costs for ranks and a network; balance: how "
          "evenly patterns divide FRAMEs; owners: a picture of a FRAME's squares coloured by rank",
          kTasks)),
      several(file_option("FILE", "FILE",
                          "Frames; for model, a figure of the paper (" + figures + ") and a file of costs")),
      announced(output_option(
          "-o,--output", "FILE",
          "Output file. For measure: the costs, .json; for model: the table, .csv; for owners: the picture, .png")),
      json_option(
          "Write the results as JSON. For measure: the costs, as -o; for owners: the rank of each square, from the "
          "bottom row"),
      integer_option("--most", "Measure 1, 2, 4, … up to this many ranks (16); for owners: number of ranks (4)", 1,
                     ranks::kMaxRanks),
      real_option("--hop-ns", "NS", "For model times: latency of a hop (400)", 0, 1e9),
      real_option("--link-gb-s", "N", "For model times: bandwidth of a link in GB/s (40)", 1e-6, 1e6),
      flag("--hub", "For model times: ranks around a hub instead of in a line"),
      integer_option("--merge", "For model times: merge draws until they have more primitives than this (4096)", 0,
                     4294967295.0),
      flag("--as-here",
           "For model times: ranks distribute without taking turns, and draw a segment after its last ids, as Brokkr "
           "does"),
      integer_option("--repeats", "Launches of each part; the fastest one counts (3)", 1, 1000),
  };
  return {"ranks", "Measure and model frames over several ranks",
          joined(joined(joined(command_options, owner_options()), input_options()), pipeline_options()),
          run_ranks_command};
}

}  // namespace brokkr::app
