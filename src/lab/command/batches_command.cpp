// brokkr batches: vertex reuse by model and method [Kerbl18, chapter 6].
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "app/batch_options.h"
#include "app/input.h"
#include "app/picture.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "batch/predict.h"
#include "lab/batches.h"
#include "lab/command/commands.h"
#include "lab/command/experiment_output.h"

namespace brokkr::app {
namespace {

using lab::BatchInput, lab::BatchRequest;

// One table per model, a line per file and a column per method, as in [Kerbl18].
void print_asr(const ResultTable& table, const BatchRequest& request) {
  std::map<std::string, std::map<std::string, std::map<std::string, std::string>>> cells;
  std::map<std::string, std::pair<std::string, std::string>> files;
  std::vector<std::string> order;
  for (const auto& row : table.rows) {
    cells[row[2]][row[0]][row[3]] = row[4];
    if (files.emplace(row[0], std::pair(row[1], row[5])).second) order.push_back(row[0]);
  }
  for (const BatchModel& model : request.models) {
    std::vector<std::string> heading = {model.name, "triangles"};
    for (const ReorderInfo& method : request.methods) heading.emplace_back(method.name);
    heading.emplace_back("perfect");
    std::vector<std::vector<std::string>> rows;
    for (const std::string& file : order) {
      std::vector<std::string> row = {printable(file), files[file].first};
      for (const ReorderInfo& method : request.methods) row.push_back(cells[model.name][file][method.name]);
      row.push_back(files[file].second);
      rows.push_back(row);
    }
    std::cout << format_table(heading, rows) << '\n';
  }
}

void print(const ResultTable& table) {
  if (!table.rows.empty()) std::cout << format_table(table.columns, table.rows) << '\n';
}

// The file as the pipeline renders it, each batch of the model in a colour of its own [Kerbl18, Fig. 6.3].
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
  options.shading = Shading::batch;
  for (const auto& [name, mode] : {std::pair("nvidia", ReuseMode::nvidia),
                                   {"nvidia-gl", ReuseMode::nvidia_gl},
                                   {"amd", ReuseMode::amd},
                                   {"intel", ReuseMode::intel},
                                   {"precomputed", ReuseMode::precomputed}}) {
    if (model.name == name) options.reuse = mode;
  }
  Renderer renderer;
  const RenderResult result = renderer.render(frame, options);
  const uint32_t target = main_target(frame);
  write_color(output_name(pattern, input.name, several, "--picture"), result.targets[target].layers[0],
              frame.targets[target].format);
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
  const ResultFiles results("batches", arguments);
  const auto& files = arguments.all("FILE");
  ResultTable asr = lab::empty_asr_table(), caches = lab::empty_cache_table(), sweep = lab::empty_sweep_table(),
              render = lab::empty_render_table();
  {
    Progress progress;
    request.progress = [&](const std::string& what) { progress.show(what); };
    for (const std::string& file : files) {
      const BatchInput input = lab::batch_input(file, load_input(file, arguments, progress));
      lab::measure_asr(input, request, asr);
      if (arguments.has("caches")) lab::measure_caches(input, request, caches);
      if (arguments.has("sweep")) lab::measure_sweep(input, request, sweep);
      if (arguments.has("frames")) {
        lab::measure_render(input, request, render_options(arguments), uint32_t(arguments.integer("heavy", 2000)),
                            int(arguments.integer("frames", 5)), render);
      }
      if (arguments.has("picture")) draw_batches(input, arguments, request, files.size() > 1);
    }
  }
  const std::vector<const ResultTable*> tables = {&asr, &caches, &sweep, &render};
  nlohmann::ordered_json document;
  for (const ResultTable* table : tables) {
    results.add(*table);
    if (!table->rows.empty()) document[table->name] = json_rows(*table);
  }
  if (!results.finish(document)) return kSuccess;
  print_asr(asr, request);
  print(sweep);
  print(render);
  return kSuccess;
}

}  // namespace

Command batches_command() {
  const auto joined_names = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  std::vector<Option> options = {
      needed(several(file_option("FILE", "FILE", "OBJ files, captured frames (.bkf), generated:NAME"))),
      text_option("--models", "LIST",
                  "Batch models, as in nvidia,amd: " + joined_names(model_names()) + " (nvidia,amd,intel)"),
      text_option("--methods", "LIST",
                  "Orders to compare, as in original,batch: " + joined_names(method_names()) + " (all)"),
      flag("--caches", "Also predict the vertex shader runs of single caches of 1 .. --max-cache vertices"),
      flag("--sweep", "Also measure methods with cache sizes of 3 .. --max-cache"),
      integer_option("--max-cache", "Largest cache of --caches and --sweep (64)", 3, 1024),
      integer_option("--frames",
                     "Also render N frames with each model as reuse strategy, before and after reordering for it", 1,
                     1000),
      integer_option("--heavy", "Multiply-adds of the longer vertex shader of --frames (2000)", 1, 1000000),
      file_option("--picture", "FILE.png",
                  "Also draw the first model's batches in colours of their own; {} is the input's name"),
      choice_option("--picture-method", "METHOD", "Order of the triangles in the picture (original)", method_names())};
  return {"batches", "Compare vertex reuse by batch model and triangle order",
          joined(joined(joined(options, result_options("batches")), input_options()), pipeline_options()), run_batches};
}

}  // namespace brokkr::app
