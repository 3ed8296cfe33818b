#include "gl_serve.h"

#include <malloc.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/workload.h"
#include "brokkr/frame.h"
#include "log/machine_facts.h"
#include "reference/egl_context.h"
#include "reference/gl_probe.h"
#include "reference/gl_renderer.h"
#include "reference/gl_replay.h"

namespace brokkr {
namespace {

using Json = nlohmann::json;

double process_cpu_ms() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& time) { return double(time.tv_sec) * 1e3 + double(time.tv_usec) * 1e-3; };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

class Server {
 public:
  Server(EglContext& context, std::string device) : context_(context), device_(std::move(device)) {}

  Json answer(const Json& request) {
    const std::string what = request.at("do");
    if (what == "load") return load(request);
    if (what == "drop") return drop();
    if (what == "count") return count(request);
    if (what == "record") return record(request);
    if (what == "probe") return probe(request);
    if (frame_.targets.empty()) throw std::runtime_error("no frame is loaded");
    if (what == "draw") return draw(request);
    if (what == "read") return read(request);
    throw std::runtime_error("'" + what + "' is unknown");
  }

 private:
  Json drop() {
    renderer_.reset();
    replay_.reset();
    frame_ = Frame();
    malloc_trim(0);
    return Json::object();
  }

  Json load(const Json& request) {
    drop();
    reset_peak_memory();
    LoadOptions options;
    options.width = request.at("width");
    options.height = request.at("height");
    options.views = request.at("views");
    options.view_size = request.at("view_size");
    frame_ = app::load_workload(request.at("file"), options);
    print_warnings(frame_);
    const Target& target = frame_.targets[main_target(frame_)];
    return {{"width", target.width},
            {"height", target.height},
            {"layers", target.layers},
            {"triangles", triangle_count(frame_)}};
  }

  static std::vector<uint32_t> read_indices(const Json& request) {
    const std::string path = request.at("file");
    std::vector<uint32_t> indices(request.at("indices").get<size_t>());
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(indices.data()), std::streamsize(indices.size() * sizeof indices[0]));
    if (!file) throw std::runtime_error(path + ": holds less than " + std::to_string(indices.size()) + " indices");
    return indices;
  }

  Json count(const Json& request) {
    const std::vector<uint32_t> indices = read_indices(request);
    const auto first = request.at("first").get<std::vector<uint32_t>>();
    const auto length = request.at("count").get<std::vector<uint32_t>>();
    if (first.size() != length.size()) throw std::runtime_error("'first' and 'count' have not the same length");
    std::vector<GlIndexRange> ranges;
    for (size_t i = 0; i < first.size(); ++i) ranges.push_back({first[i], length[i]});
    return {{"vertex_runs", count_vertex_runs(context_, indices, ranges, request.value("attributes", 0u))}};
  }

  Json record(const Json& request) {
    const GlVertexRuns recorded = record_vertex_runs(context_, read_indices(request));
    const std::string path = request.at("runs");
    std::ofstream out(path, std::ios::binary);
    for (const auto* part : {&recorded.run_of_index, &recorded.wave_of_run})
      out.write(reinterpret_cast<const char*>(part->data()), std::streamsize(part->size() * sizeof(uint32_t)));
    out.close();
    if (!out) throw std::runtime_error(path + ": cannot be written; is the disk full?");
    return {{"runs", recorded.runs}, {"waves", !recorded.wave_of_run.empty()}};
  }

  Json probe(const Json& request) {
    if (!probe_) probe_ = std::make_unique<GlProbe>(context_, request.at("work"));
    GlProbeDrawing drawing;
    drawing.width = request.at("width");
    drawing.height = request.at("height");
    drawing.mode = request.at("mode");
    drawing.batches = request.at("batches").get<std::vector<uint32_t>>();
    drawing.background = request.at("background");
    drawing.waits = request.at("waits");
    drawing.stars = request.at("stars").get<std::array<int32_t, 4>>();
    drawing.mask = request.at("mask");
    drawing.slow = request.at("slow").get<std::vector<std::array<int32_t, 4>>>();
    drawing.vertices.resize(2 * request.at("vertices").get<size_t>());
    const std::string path = request.at("file"), film_path = request.at("film");
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(drawing.vertices.data()),
              std::streamsize(drawing.vertices.size() * sizeof(float)));
    if (!file) throw std::runtime_error(path + ": holds less than the vertices");
    const double ms = probe_->cost_ms(drawing, request.at("runs"));
    if (film_path.empty()) return {{"ms", ms}};
    const GlProbeFilm film = probe_->film(drawing);
    std::ofstream out(film_path, std::ios::binary);
    const auto write = [&](const auto& values) {
      out.write(reinterpret_cast<const char*>(values.data()), std::streamsize(values.size() * sizeof values[0]));
    };
    write(film.order);
    write(film.unit);
    write(film.warp);
    write(film.time);
    if (!out.flush()) throw std::runtime_error(film_path + ": cannot be written; is the disk full?");
    return {{"ms", ms}, {"units", !film.unit.empty()}, {"times", !film.time.empty()}};
  }

  // Frames are uploaded by the first request that draws them.
  GlRenderer& renderer() {
    if (!renderer_) {
      renderer_ = std::make_unique<GlRenderer>(context_);
      renderer_->prepare(frame_);
    }
    return *renderer_;
  }

  GlReplay& replay() {
    if (!replay_) {
      if (!compatible_) compatible_ = std::make_unique<EglContext>(device_, GlProfile::compatibility);
      replay_ = std::make_unique<GlReplay>(*compatible_);
      replay_->prepare(frame_);
    }
    return *replay_;
  }

  GlDrawStatistics draw_once(const GlOptions& options) {
    return is_replayed_ ? replay().draw(options.command_limit) : renderer().draw(options);
  }

  Json draw(const Json& request) {
    GlOptions options;
    const std::string shading = request.at("shading");
    is_replayed_ = shading == "program";
    const auto known = gl_shading_from_name(shading);
    if (!known && !is_replayed_) throw std::runtime_error("shading '" + shading + "' is unknown");
    options.shading = known.value_or(GlShading::material);
    if (request.contains("limit")) options.command_limit = request["limit"].get<uint32_t>();
    const int warm_up = request.at("warm_up"), frames = request.at("frames");
    const double max_ms = request.at("max_ms");
    for (int i = 0; i < warm_up; ++i) draw_once(options);
    std::vector<double> samples;
    GlDrawStatistics last;
    double spent = 0;
    const double cpu_begin = process_cpu_ms();
    while (app::turn_goes_on(samples.size(), spent, frames, max_ms)) {
      last = draw_once(options);
      samples.push_back(last.frame_ms);
      spent += last.frame_ms;
    }
    Json failures = Json::array();
    if (is_replayed_) {
      for (const GlProgramFailure& failure : replay().failures())
        failures.push_back({{"program", failure.program}, {"reason", failure.reason}});
    }
    return {{"samples_ms", samples},
            {"cpu_ms", samples.empty() ? 0 : (process_cpu_ms() - cpu_begin) / double(samples.size())},
            {"draw_calls", last.draw_calls},
            {"rss_kib", peak_memory_kib()},
            {"failures", failures}};
  }

  Json read(const Json& request) {
    const uint32_t target = request.value("target", main_target(frame_));
    if (target >= frame_.targets.size()) throw std::runtime_error("there is no target " + std::to_string(target));
    const GlLayer layer = is_replayed_ ? replay().read(target) : renderer().read(target, request.at("layer"));
    const std::string path = request.at("file");
    std::ofstream file(path, std::ios::binary);
    const auto write = [&](const auto& values) {
      file.write(reinterpret_cast<const char*>(values.data()), std::streamsize(values.size() * sizeof values[0]));
    };
    layer.color.empty() ? write(layer.color_float) : write(layer.color);
    write(layer.depth);
    if (!file.flush()) throw std::runtime_error(path + ": cannot be written; is the disk full?");
    return {{"width", layer.width}, {"height", layer.height}, {"channels", layer.color.empty() ? "f32" : "u8"}};
  }

  EglContext& context_;
  std::string device_;
  Frame frame_;
  std::unique_ptr<GlRenderer> renderer_;
  std::unique_ptr<EglContext> compatible_;
  std::unique_ptr<GlReplay> replay_;
  std::unique_ptr<GlProbe> probe_;
  bool is_replayed_ = false;  // by the last draw
};

}  // namespace

void print_warnings(const Frame& frame) {
  if (frame.vertex_inputs.empty()) return;
  for (const std::string& warning : frame.warnings)
    std::cerr << "brokkr-gl-bench: " << frame.source << ": " << warning << '\n';
}

int serve_gl(const std::string& device) {
  const auto say = [](const Json& json) {
    std::cout << json.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  };
  EglContext context(device);
  say({{"renderer", context.renderer()},
       {"version", context.version()},
       {"vendor", context.vendor()},
       {"device", context.device()},
       {"software", context.is_software()}});
  Server server(context, device);
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      say(server.answer(Json::parse(line)));
    } catch (const std::exception& error) {
      say({{"error", error.what()}});
    }
  }
  return 0;
}

}  // namespace brokkr
