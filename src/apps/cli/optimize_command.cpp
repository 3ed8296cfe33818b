// brokkr optimize: reorders a mesh for vertex reuse.
#include <fmt/core.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/input.h"
#include "app/picture.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "base/file_io.h"
#include "batch/frame_batches.h"
#include "brokkr/load.h"
#include "cli/commands.h"
#include "formats/obj.h"
#include "frame/bkf.h"
#include "log/text.h"

namespace brokkr::app {
namespace {

double per_triangle(uint64_t runs, uint64_t triangles) { return triangles == 0 ? 0 : double(runs) / double(triangles); }

int run_optimize(const Arguments& arguments) {
  const std::string input = arguments.text("INPUT"), output = arguments.text("output");
  if (output.empty()) throw UsageError("-o is missing; name a .obj or .bkf file");
  require_ending(output, {".obj", ".bkf"}, "-o");
  const BatchModel& model = chosen_model(arguments);
  OptimizeOptions options;
  options.method = reorder_method(arguments.text("method", "batch")).method;
  options.cache_size = uint32_t(arguments.integer("cache", 0));
  options.every_draw = arguments.has("every-draw");
  options.number_vertices = !arguments.has("keep-numbers");
  options.keep_pages = !arguments.has("no-copies");
  OptimizeReport report;
  {
    Progress progress;
    progress.show("loading " + input);
    Frame frame = load_frame(input, load_options(arguments));
    report = optimize_frame(frame, model, options, [&](const std::string& what) { progress.show(what); });
    progress.show("writing " + output);
    const std::filesystem::path path = output;
    if (path.extension() == ".bkf" || path.extension() == ".BKF") {
      write_bkf(frame, path);
    } else {
      for (const std::string& name : write_obj(frame, path, std::filesystem::path(input).parent_path())) {
        warn(
            fmt::format("{}: '{}' is not in its folder or below it, so the mesh will be drawn without it; copy it "
                        "there, and change its name in the .mtl file",
                        output, name));
      }
    }
  }
  const double before = per_triangle(report.vertex_runs_before, report.triangles);
  const double after = per_triangle(report.vertex_runs_after, report.triangles);
  const nlohmann::ordered_json numbers = {{"input", input},
                                          {"output", output},
                                          {"model", model.name},
                                          {"method", arguments.text("method", "batch")},
                                          {"draws", report.draws},
                                          {"kept_draws", report.kept_draws},
                                          {"triangles", report.triangles},
                                          {"vertex_runs_before", report.vertex_runs_before},
                                          {"vertex_runs_after", report.vertex_runs_after},
                                          {"asr_before", before},
                                          {"asr_after", after},
                                          {"vertices_before", report.vertices_before},
                                          {"vertices_after", report.vertices_after},
                                          {"milliseconds", report.milliseconds}};
  if (write_document(arguments.text("json"), numbers)) return kSuccess;
  std::cout << output << ": " << counted(report.triangles, "triangle") << " of " << counted(report.draws, "draw")
            << " reordered";
  if (report.kept_draws > 0)
    std::cout << ", " << counted(report.kept_draws, "draw") << " left alone because the order matters";
  std::cout << "\nvertex shader runs per triangle (" << model.name << "): " << fixed(before, 3) << " -> "
            << fixed(after, 3) << "\nvertices: " << grouped(report.vertices_before) << " -> "
            << grouped(report.vertices_after) << "\nordered in " << fixed(report.milliseconds, 1) << " ms\n";
  return kSuccess;
}

}  // namespace

Command optimize_command() {
  std::vector<Option> options = {
      needed(file_option("INPUT", "INPUT",
                         "Scene (.obj, .gltf, .glb, .ply, .stl), captured frame (.bkf) or generated:NAME")),
      output_option("-o,--output", "FILE", "Reordered mesh to write: .obj (with .mtl beside it) or .bkf", ".mtl"),
      model_option(),
      choice_option("--method", "METHOD", "Order of the triangles (batch)", method_names()),
      integer_option("--cache", "Vertices of the cache that hoppe, k-cache and tipsify assume (the best for the model)",
                     3, 1024),
      flag("--every-draw", "Also reorder draws whose order affects the picture, as with blending"),
      flag("--keep-numbers", "Keep vertex numbers, instead of renumbering vertices by first use"),
      flag("--no-copies", "Let batches cross multiples of 65536 vertices, instead of copying some (nvidia models)"),
      json_option("Write the result as JSON"),
      memory_option()};
  return {"optimize", "Reorder a mesh so that vertices are shaded less often", options, run_optimize};
}

}  // namespace brokkr::app
