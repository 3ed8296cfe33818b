// brokkr batches: vertex reuse by model and method [Kerbl18, chapter 6].
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "app/input.h"
#include "app/picture.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "batch/predict.h"
#include "lab/batches.h"
#include "lab/command/experiment_output.h"

namespace brokkr::app {
namespace {

using lab::BatchInput, lab::BatchRequest;

size_t column_of(const ResultTable& table, const char* name) {
  return size_t(std::find(table.columns.begin(), table.columns.end(), name) - table.columns.begin());
}

// Prints one table per model, with a line per file and post-process and a column per method, as in [Kerbl18]. `value`
// is the column with the numbers, `title` their description.
void print_asr(const ResultTable& table, const BatchRequest& request, const std::string& value,
               const std::string& title) {
  const size_t column = column_of(table, value.c_str());
  for (const BatchModel& model : request.models) {
    std::vector<std::string> heading = {title + model.name, "triangles", "post"};
    for (const ReorderInfo& method : request.methods) heading.emplace_back(method.name);
    heading.emplace_back("perfect");
    lab::Rows rows;
    for (const lab::Row& row : table.rows) {  // rows of the same file, model and post-process are consecutive
      if (row[2] != model.name) continue;
      if (rows.empty() || rows.back().size() == heading.size()) rows.push_back({printable(row[0]), row[1], row[4]});
      rows.back().push_back(row[column]);
      if (rows.back().size() + 1 == heading.size()) rows.back().push_back(row[6]);
    }
    std::cout << format_table(heading, rows) << '\n';
  }
}

// Prints the largest batch of the indices 0 1 2 0 1 2 ... The first count with a fourth run is three indices longer. On
// Intel it is fewer than three indices longer (the paper drew them one by one).
void print_steps(const ResultTable& table) {
  const size_t model = column_of(table, "model"), indices = column_of(table, "indices"),
               runs = column_of(table, "vertex_runs"), measured = column_of(table, "measured");
  const auto largest = [&](const std::string& name, size_t column, uint64_t more_than) -> std::string {
    for (const lab::Row& row : table.rows) {
      if (row[model] == name && !row[column].empty() && std::stoull(row[column]) > more_than)
        return std::to_string(std::stoul(row[indices]) - 3);
    }
    return "-";
  };
  const auto same_with_attributes = [&](const std::string& name) -> std::string {
    for (const lab::Row& row : table.rows) {
      if (row[model] != name || row[measured].empty()) continue;
      for (size_t column = measured + 1; column < row.size(); ++column) {
        if (row[column] != row[measured]) return "no";
      }
    }
    return "yes";
  };
  lab::Rows rows;
  for (const lab::Row& row : table.rows) {
    const std::string& name = row[model];
    if (!rows.empty() && rows.back()[0] == name) continue;
    rows.push_back({name, largest(name, runs, 3), largest(name, runs, 5), largest(name, measured, 3)});
    rows.back().push_back(row[measured].empty() ? "-" : same_with_attributes(name));
    rows.back().emplace_back(name == "nvidia"        ? "96"
                             : name == "amd"         ? "384"
                             : name == "intel-steps" ? "66, in part 208"
                                                     : "-");
  }
  std::cout << format_table({"indices 0 1 2 0 1 2 ...", "all reused within", "some reused within", "counted",
                             "with 0 to 124 attributes the same", "paper"},
                            rows)
            << '\n';
}

// Prints how well each model predicts the driver's runs.
void print_runs(const ResultTable& table) {
  lab::Rows rows;
  const auto at = [&](const lab::Row& row, const char* name) { return row[column_of(table, name)]; };
  for (const lab::Row& row : table.rows) {
    rows.push_back({printable(row[0]), at(row, "method"), at(row, "model"), at(row, "batches"), at(row, "parts"),
                    at(row, "recorded_parts"), at(row, "common_parts"), at(row, "other_runs")});
  }
  std::cout << format_table({"file", "order", "model", "batches", "parts that share no run", "the driver's", "in both",
                             "indices with another run"},
                            rows)
            << "paper: NVIDIA's batches are predicted exactly below 2^16 vertices\n\n";
}

// Prints the cheapest size for each group of rows; two columns identify a group.
void print_best_sizes(const ResultTable& table, const char* by, double (*cost)(const ResultTable&, const lab::Row&),
                      const char* paper) {
  const size_t model = column_of(table, "model"), group = column_of(table, by), size = column_of(table, "size");
  std::map<std::pair<std::string, std::string>, std::map<int, double>> costs;
  for (const lab::Row& row : table.rows) costs[{row[model], row[group]}][std::stoi(row[size])] += cost(table, row);
  lab::Rows rows;
  for (const auto& [name, sizes] : costs) {
    const auto best =
        std::min_element(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    rows.push_back({name.first, name.second, std::to_string(best->first)});
  }
  std::cout << format_table({"model", by, "best size"}, rows) << "paper: " << paper << "\n\n";
}

double squared_error(const ResultTable& table, const lab::Row& row) {
  const double error = std::stod(row[column_of(table, "predicted")]) - std::stod(row[column_of(table, "asr")]);
  return error * error;
}
double runs_of(const ResultTable& table, const lab::Row& row) { return std::stod(row[column_of(table, "asr")]); }

// Replaces every indexed triangle list, strip or fan of the frame by draws: one for each part of the driver's runs that
// shares no run with other parts. Empty if the driver failed.
std::optional<Frame> parted_by_driver(const Frame& frame, const lab::CountingDriver& driver) {
  Frame parted = frame;
  parted.commands.clear();
  const std::vector<DrawTriangles> all = indexed_triangles(frame);
  auto next = all.begin();
  for (size_t c = 0; c < frame.commands.size(); ++c) {
    if (next == all.end() || next->command != c) {
      parted.commands.push_back(frame.commands[c]);
      continue;
    }
    const std::vector<uint32_t> runs = driver.record(next->indices).run_of_index;
    if (runs.size() != next->indices.size()) return std::nullopt;
    const std::vector<uint32_t> parts = lab::independent_parts(runs);
    auto draw = std::get<DrawCommand>(frame.commands[c]);
    draw.topology = Topology::triangles;
    draw.restart = false;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      draw.first_index = parted.indices.size() + uint64_t(parts[i]) * 3;
      draw.element_count = (parts[i + 1] - parts[i]) * 3;
      parted.commands.emplace_back(draw);
    }
    parted.indices.insert(parted.indices.end(), next->indices.begin(), next->indices.end());
    ++next;
  }
  return parted;
}

// Renders the file with each batch of the model, or each part of the driver's runs, in its own colour [Kerbl18, Fig.
// 6.3].
void draw_batches(const BatchInput& input, const Arguments& arguments, const BatchRequest& request, bool several) {
  const std::string pattern = arguments.text("picture");
  require_ending(pattern, {".png"}, "--picture");
  const ReorderInfo& method = reorder_method(arguments.text("picture-method", "original"));
  const BatchModel& model = request.models.front();
  request.progress(input.name + ": picture");
  Frame frame = input.frame;
  if (method.method != ReorderMethod::original) {
    OptimizeOptions options;
    options.method = method.method;
    optimize_frame(frame, model, options);
  }
  RenderOptions options = render_options(arguments);
  if (arguments.text("picture-batches", "model") == "driver") {
    options.shading = Shading::draw;
    std::optional<Frame> parted;
    if (request.driver.record) parted = parted_by_driver(frame, request.driver);
    if (!parted) throw std::runtime_error("--picture-batches driver: no driver recorded the runs; see --driver");
    frame = *std::move(parted);
  } else {
    options.shading = Shading::batch;
    options.reuse = lab::reuse_of(model.name).value();
  }
  Renderer renderer;
  const RenderResult result = renderer.render(frame, options);
  const uint32_t target = main_target(frame);
  write_color(output_name(pattern, input.name, several, "--picture"), result.targets[target].layers[0],
              frame.targets[target].format);
}

// --driver DEVICE. If OpenGL cannot count or record, prints the reason and leaves the driver's columns empty.
lab::CountingDriver counting_driver(const std::string& device) {
  const auto give_up = [](const std::runtime_error& error) {
    warn(std::string("--driver: ") + error.what() + "; its columns stay empty");
  };
  try {
    const auto driver = std::make_shared<lab::DriverCount>(device == "any" ? "" : device);
    // Calls f unless an earlier call failed.
    const auto guarded = [&](auto f) {
      return [=, failed = std::make_shared<bool>(false)](auto... arguments) -> decltype(f(*driver, arguments...)) {
        if (*failed) return {};
        try {
          return f(*driver, arguments...);
        } catch (const std::runtime_error& error) {
          *failed = true;
          give_up(error);
          return {};
        }
      };
    };
    using Indices = std::span<const uint32_t>;
    return {driver->renderer(),
            guarded([](lab::DriverCount& d, Indices indices, std::span<const lab::IndexRange> ranges, uint32_t n) {
              return d.runs(indices, ranges, n);
            }),
            guarded([](lab::DriverCount& d, Indices indices) { return d.record(indices); })};
  } catch (const std::runtime_error& error) {
    give_up(error);
    return {};
  }
}

int run_batches(const Arguments& arguments) {
  BatchRequest request;
  request.models = models_of(arguments.text("models", "nvidia,amd,intel"), "--models");
  if (arguments.has("methods")) {
    request.methods = methods_of(arguments.text("methods"), "--methods");
  } else {
    request.methods.assign(reorder_methods().begin(), reorder_methods().end());
  }
  request.max_cache = uint32_t(arguments.integer("max-cache", 64));
  request.render = render_options(arguments);
  request.work = uint32_t(arguments.integer("heavy", request.work));
  request.frames = int(arguments.integer("frames", request.frames));
  const bool by_driver = arguments.text("picture-batches", "model") == "driver";
  for (const char* option : {"frames", "picture"}) {
    for (const BatchModel& model : request.models) {
      if (!arguments.has(option) || lab::reuse_of(model.name) || (by_driver && option == std::string("picture")))
        continue;
      throw UsageError("--" + std::string(option) + ": the pipeline has no reuse strategy '" + model.name +
                       "'; leave it out of --models");
    }
  }
  for (const char* option : {"runs", "picture-batches"}) {
    if ((option == std::string("runs") ? arguments.has(option) : by_driver) && !arguments.has("driver"))
      throw UsageError("--" + std::string(option) + ": needs a driver; add --driver any or --driver software");
  }
  const ResultFiles results("batches", arguments);
  if (arguments.has("driver")) request.driver = counting_driver(arguments.text("driver"));
  const auto& files = arguments.all("FILE");
  std::vector<ResultTable> tables;
  for (const lab::BatchExperiment& e : lab::batch_experiments()) tables.push_back({e.name, lab::split(e.columns), {}});
  {
    Progress progress;
    request.progress = [&](const std::string& what) { progress.show(what); };
    for (const std::string& file : files) {
      const BatchInput input{file, load_input(file, arguments, progress)};
      for (size_t i = 0; i < tables.size(); ++i) {
        const lab::BatchExperiment& e = lab::batch_experiments()[i];
        if (e.option == nullptr || arguments.has(e.option)) e.measure(input, request, tables[i].rows);
      }
      if (arguments.has("picture")) draw_batches(input, arguments, request, files.size() > 1);
    }
  }
  nlohmann::ordered_json document;
  for (const ResultTable& table : tables) {
    results.add(table);
    if (!table.rows.empty()) document[table.name] = json_rows(table);
  }
  if (!results.finish(document)) return kSuccess;
  for (const ResultTable& table : tables) {
    if (table.name == "asr") {
      print_asr(table, request, "asr", "");
      if (request.driver.count) print_asr(table, request, "measured", request.driver.name + ", order for ");
      std::cout << "paper: batch is best for 18 of 19 models on NVIDIA, K-Cache and Tipsify on AMD and Intel\n\n";
    } else if (table.rows.empty()) {
      continue;
    } else if (table.name == "steps") {
      print_steps(table);
    } else if (table.name == "runs") {
      print_runs(table);
    } else if (table.name == "caches") {
      print_best_sizes(table, "policy", squared_error, "FIFO 10, LRU 15 predict NVIDIA's runs best");
    } else if (table.name == "sweep") {
      print_best_sizes(table, "method", runs_of,
                       "K-Cache 10 on both, Tipsify 11 and 14 on NVIDIA and AMD, 128 on Intel");
    } else {
      std::cout << format_table(table.columns, table.rows) << '\n';
    }
  }
  return kSuccess;
}

}  // namespace

Command batches_command() {
  std::vector<Option> options = {
      needed(several(file_option("FILE", "FILE",
                                 "Scenes (.obj, .gltf, .glb, .ply, .stl), captured frames (.bkf), generated:NAME"))),
      text_option("--models", "LIST",
                  "Batch models, such as nvidia,amd: " + fmt::format("{}", fmt::join(model_names(), ", ")) +
                      " (nvidia,amd,intel)"),
      text_option("--methods", "LIST",
                  "Orders to compare, such as original,batch: " + fmt::format("{}", fmt::join(method_names(), ", ")) +
                      " (all)"),
      flag("--steps",
           "Also count the vertex shader runs of the indices 0 1 2 0 1 2 ..., as a function of their number"),
      text_option("--driver", "DEVICE",
                  "Also count the vertex shader runs of an OpenGL driver beside what the models predict: any (a GPU's, "
                  "else software), software, or the number of an EGL device"),
      flag("--runs",
           "Also record which run of the vertex shader each index of a draw uses on --driver, and compare it with what "
           "the models predict"),
      flag("--caches", "Also predict the vertex shader runs of single caches of 1 .. --max-cache vertices"),
      flag("--sweep", "Also measure methods with cache sizes of 3 .. --max-cache"),
      integer_option("--max-cache", "Largest cache of --caches and --sweep (64)", 3, 1024),
      integer_option("--frames",
                     "Also render N frames with each model as reuse strategy, before and after reordering for it", 1,
                     1000),
      integer_option("--heavy", "Multiply-adds of the longer vertex shader of --frames (2000)", 1, 1000000),
      announced(output_option("--picture", "FILE.png",
                              "Also draw the first model's batches in colours of their own; {} is the input's name")),
      choice_option("--picture-batches", "WHOSE",
                    "Batches in the picture: model's, or driver's as --driver records them (model)",
                    {"model", "driver"}),
      choice_option("--picture-method", "METHOD", "Order of the triangles in the picture (original)", method_names())};
  return {"batches", "Compare vertex reuse by batch model and triangle order",
          joined(joined(joined(options, result_options("batches")), input_options()), pipeline_options()), run_batches};
}

}  // namespace brokkr::app
