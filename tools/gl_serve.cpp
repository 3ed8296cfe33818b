#include "gl_serve.h"

#include <malloc.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/workload.h"
#include "brokkr/frame.h"
#include "log/machine_facts.h"
#include "reference/egl_context.h"
#include "reference/gl_renderer.h"
#include "reference/gl_vertex_count.h"

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
  explicit Server(EglContext& context) : context_(context) {}

  Json answer(const Json& request) {
    const std::string what = request.at("do");
    if (what == "load") return load(request);
    if (what == "drop") return drop();
    if (what == "count") return count(request);
    if (!renderer_) throw std::runtime_error("no frame is loaded");
    if (what == "draw") return draw(request);
    if (what == "read") return read(request);
    throw std::runtime_error("'" + what + "' is unknown");
  }

 private:
  Json drop() {
    renderer_.reset();
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
    renderer_ = std::make_unique<GlRenderer>(context_);
    renderer_->prepare(frame_);
    const Target& target = frame_.targets[main_target(frame_)];
    return {{"width", target.width},
            {"height", target.height},
            {"layers", target.layers},
            {"triangles", triangle_count(frame_)}};
  }

  Json count(const Json& request) {
    const std::string path = request.at("file");
    std::vector<uint32_t> indices(request.at("indices").get<size_t>());
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(indices.data()), std::streamsize(indices.size() * sizeof indices[0]));
    if (!file) throw std::runtime_error(path + ": holds less than " + std::to_string(indices.size()) + " indices");
    const auto first = request.at("first").get<std::vector<uint32_t>>();
    const auto length = request.at("count").get<std::vector<uint32_t>>();
    if (first.size() != length.size()) throw std::runtime_error("'first' and 'count' have not the same length");
    std::vector<GlIndexRange> ranges;
    for (size_t i = 0; i < first.size(); ++i) ranges.push_back({first[i], length[i]});
    return {{"vertex_runs", count_vertex_runs(context_, indices, ranges)}};
  }

  Json draw(const Json& request) {
    GlOptions options;
    const std::string shading = request.at("shading");
    const auto known = gl_shading_from_name(shading);
    if (!known) throw std::runtime_error("shading '" + shading + "' is unknown");
    options.shading = *known;
    const int warm_up = request.at("warm_up"), frames = request.at("frames");
    const double most_ms = request.at("max_ms");
    for (int i = 0; i < warm_up; ++i) renderer_->draw(options);
    std::vector<double> samples;
    GlDrawStatistics last;
    double spent = 0;
    const double cpu_begin = process_cpu_ms();
    while (app::turn_goes_on(samples.size(), spent, frames, most_ms)) {
      last = renderer_->draw(options);
      samples.push_back(last.frame_ms);
      spent += last.frame_ms;
    }
    return {{"samples_ms", samples},
            {"cpu_ms", samples.empty() ? 0 : (process_cpu_ms() - cpu_begin) / double(samples.size())},
            {"draw_calls", last.draw_calls},
            {"rss_kib", peak_memory_kib()}};
  }

  Json read(const Json& request) {
    const GlLayer layer = renderer_->read(main_target(frame_), request.at("layer"));
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
  Frame frame_;
  std::unique_ptr<GlRenderer> renderer_;
};

}  // namespace

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
  Server server(context);
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
