// brokkr-gl-bench: milliseconds per frame of OpenGL with the same triangles, for docs/research/performance.md. Times
// run from an idle GL to the return of glFinish, without loading, upload and read-back, after warm-up frames. Mesa's
// llvmpipe allocates and frees its bins every frame: with glibc's default thresholds it loses up to 30 % to page
// faults. `--tuned-malloc` runs it with high values of MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_ and
// MALLOC_TOP_PAD_.
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/resize.h"
#include "brokkr/image.h"
#include "brokkr/load.h"
#include "gl_serve.h"
#include "reference/egl_context.h"
#include "reference/gl_renderer.h"
#include "reference/gl_replay.h"

namespace {

struct Options {
  std::vector<std::string> files;
  std::string size, shading = "flat", json, picture, depth, device;
  int frames = 20, warm_up = 3, views = 0, view_size = 128;
  bool tuned_malloc = false, serve = false;
};

struct Measurement {
  std::string file;
  brokkr::GlDrawStatistics statistics;
  std::vector<double> samples_ms;  // sorted
  int width = 0, height = 0;
  double cpu_ms = 0;  // of all threads, mean per frame
  uint64_t triangles = 0, covered = 0, samples_passed = 0;
  double min_ms() const { return samples_ms.front(); }
  double median_ms() const {
    const size_t n = samples_ms.size();
    return (samples_ms[(n - 1) / 2] + samples_ms[n / 2]) / 2;
  }
};

double process_cpu_ms() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& time) { return double(time.tv_sec) * 1e3 + double(time.tv_usec) * 1e-3; };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

constexpr const char* kTunedMark = "BROKKR_GL_BENCH_TUNED";

// glibc reads these variables before main, so the program starts itself again.
void restart_with_tuned_malloc(char** arguments) {
  if (std::getenv(kTunedMark) != nullptr) return;
  setenv(kTunedMark, "1", 1);
  setenv("MALLOC_TRIM_THRESHOLD_", "4294967296", 1);
  setenv("MALLOC_MMAP_THRESHOLD_", "33554432", 1);  // the maximum of glibc
  setenv("MALLOC_TOP_PAD_", "268435456", 1);
  execv("/proc/self/exe", arguments);
  throw std::runtime_error("--tuned-malloc: cannot start again; set MALLOC_TRIM_THRESHOLD_ and the others by hand");
}

brokkr::LoadOptions load_options(const Options& options) {
  brokkr::LoadOptions load;
  load.views = options.views;
  load.view_size = options.view_size;
  if (options.size.empty()) return load;
  char rest = 0;
  if (std::sscanf(options.size.c_str(), "%dx%d%c", &load.width, &load.height, &rest) != 2 || load.width < 1 ||
      load.height < 1 || load.width > brokkr::kMaxTargetSize || load.height > brokkr::kMaxTargetSize)
    throw std::runtime_error("--size " + options.size + ": give WIDTHxHEIGHT in pixels, such as 1920x1080");
  return load;
}

// Captured frames have their own sizes, which --size scales.
brokkr::Frame load(const std::string& path, const Options& options) {
  const brokkr::LoadOptions load = load_options(options);
  brokkr::Frame frame = brokkr::load_frame(path, load);
  brokkr::print_warnings(frame);
  const uint32_t target = brokkr::main_target(frame);
  const brokkr::Target& shown = frame.targets[target];
  if (load.width != 0 && shown.layers == 1 && (shown.width != load.width || shown.height != load.height))
    brokkr::app::resize_frame(frame, target, load.width, load.height);
  return frame;
}

// Pixels that draws changed: those that differ from the result of the frame's clears alone. Removes the draws from
// `frame`.
uint64_t covered_pixels(brokkr::Frame& frame, uint32_t target, const brokkr::GlLayer& drawn,
                        brokkr::GlRenderer& renderer) {
  std::erase_if(frame.commands,
                [](const brokkr::Command& command) { return !std::holds_alternative<brokkr::ClearCommand>(command); });
  frame.references.clear();  // they name commands by number
  renderer.prepare(frame);
  renderer.draw({});
  const brokkr::GlLayer blank = renderer.read(target);
  uint64_t count = 0;
  for (size_t i = 0; i < drawn.depth.size(); ++i) {
    bool same = drawn.depth[i] == blank.depth[i];
    if (!drawn.color.empty()) same = same && drawn.color[i] == blank.color[i];
    for (size_t c = 4 * i; c < 4 * i + 4 && !drawn.color_float.empty(); ++c)
      same = same && drawn.color_float[c] == blank.color_float[c];
    count += !same;
  }
  return count;
}

void write_picture(const std::string& path, const brokkr::GlLayer& layer) {
  if (layer.color.empty())
    brokkr::write_exr(path, layer.width, layer.height, 4, layer.color_float);
  else
    brokkr::write_png(path, layer.width, layer.height, layer.color, true);
}

// Draws `options.frames` times with `draw` after warm-up frames.
template <typename Draw>
void take_times(const Options& options, const Draw& draw, Measurement& result) {
  for (int i = 0; i < options.warm_up; ++i) draw();
  const double cpu_begin = process_cpu_ms();
  for (int i = 0; i < options.frames; ++i) {
    result.statistics = draw();
    result.samples_ms.push_back(result.statistics.frame_ms);
  }
  result.cpu_ms = (process_cpu_ms() - cpu_begin) / options.frames;
  std::sort(result.samples_ms.begin(), result.samples_ms.end());
}

void write_layer(const Options& options, const brokkr::GlLayer& layer) {
  if (!options.picture.empty()) write_picture(options.picture, layer);
  if (!options.depth.empty()) brokkr::write_pfm(options.depth, layer.width, layer.height, 1, layer.depth);
}

Measurement measure(const std::string& path, const Options& options) {
  brokkr::Frame frame = load(path, options);
  const uint32_t target = brokkr::main_target(frame);
  Measurement result;
  result.file = path;
  result.width = frame.targets[target].width;
  result.height = frame.targets[target].height;
  result.triangles = brokkr::triangle_count(frame);
  if (options.shading == "program") {
    brokkr::EglContext context(options.device, brokkr::GlProfile::compatibility);
    brokkr::GlReplay replay(context);
    replay.prepare(frame);
    for (const brokkr::GlProgramFailure& failure : replay.failures())
      std::fprintf(stderr, "brokkr-gl-bench: %s: program %u: %s\n", path.c_str(), failure.program,
                   failure.reason.c_str());
    take_times(
        options, [&] { return replay.draw(); }, result);
    write_layer(options, replay.read(target));
    return result;
  }
  brokkr::EglContext context(options.device);
  brokkr::GlOptions draw;
  draw.shading = *brokkr::gl_shading_from_name(options.shading);
  brokkr::GlRenderer renderer(context);
  renderer.prepare(frame);
  take_times(
      options, [&] { return renderer.draw(draw); }, result);
  result.samples_passed = renderer.count_samples(draw);
  const brokkr::GlLayer layer = renderer.read(target);
  write_layer(options, layer);
  result.covered = covered_pixels(frame, target, layer, renderer);
  return result;
}

nlohmann::json to_json(const Measurement& m) {
  return {{"file", m.file},
          {"width", m.width},
          {"height", m.height},
          {"triangles", m.triangles},
          {"median_ms", m.median_ms()},
          {"min_ms", m.min_ms()},
          {"cpu_ms", m.cpu_ms},
          {"samples_ms", m.samples_ms},
          {"covered_pixels", m.covered},
          {"samples_passed", m.samples_passed},
          {"draw_calls", m.statistics.draw_calls},
          {"state_changes", m.statistics.state_changes}};
}

void write_json(const Options& options, const brokkr::EglContext& context, const std::vector<Measurement>& all) {
  nlohmann::json results = nlohmann::json::array();
  for (const Measurement& m : all) results.push_back(to_json(m));
  const nlohmann::json document = {{"renderer", context.renderer()},
                                   {"version", context.version()},
                                   {"vendor", context.vendor()},
                                   {"device", context.device()},
                                   {"shading", options.shading},
                                   {"frames", options.frames},
                                   {"tuned_malloc", std::getenv(kTunedMark) != nullptr},
                                   {"results", results}};
  std::ofstream file(options.json);
  file << document.dump(2) << "\n";
  if (!file.flush()) throw std::runtime_error(options.json + ": cannot be written; does the folder exist?");
}

int run(const Options& options) {
  brokkr::EglContext context(options.device);
  std::fprintf(stderr, "%s, OpenGL %s (%s)\n", context.renderer().c_str(), context.version().c_str(),
               context.device().c_str());
  std::printf("%-36s %11s %10s %10s %10s %10s %10s %12s %7s\n", "frame", "size", "triangles", "median ms", "min ms",
              "cpu ms", "covered", "passed", "calls");
  std::fflush(stdout);
  std::vector<Measurement> all;
  bool failed = false;
  for (const std::string& file : options.files) {
    try {
      all.push_back(measure(file, options));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "brokkr-gl-bench: %s\n", error.what());
      failed = true;
      continue;
    }
    const Measurement& m = all.back();
    const std::string name = file.substr(file.find_last_of('/') + 1);
    const std::string size = std::to_string(m.width) + "x" + std::to_string(m.height);
    std::printf("%-36s %11s %10llu %10.2f %10.2f %10.2f %10llu %12llu %7llu\n", name.c_str(), size.c_str(),
                static_cast<unsigned long long>(m.triangles), m.median_ms(), m.min_ms(), m.cpu_ms,
                static_cast<unsigned long long>(m.covered), static_cast<unsigned long long>(m.samples_passed),
                static_cast<unsigned long long>(m.statistics.draw_calls));
    std::fflush(stdout);
  }
  if (!options.json.empty()) write_json(options, context, all);
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Milliseconds per frame of OpenGL drawing the same triangles as brokkr"};
  app.add_option("FILE", options.files, "Frames (.bkf, .obj, generated:NAME)");
  app.add_option("--size", options.size, "Target size as WIDTHxHEIGHT (default: the frame's own)");
  app.add_option("--views", options.views, "Views of a scene, one per layer")->check(CLI::Range(1, 65536));
  app.add_option("--view-size", options.view_size, "Pixels per side of each view, if there are several")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str();
  app.add_option("--frames", options.frames, "Frames to time")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--warm-up", options.warm_up, "Warm-up frames before")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  app.add_option("--shading", options.shading, "Shading of surfaces")
      ->check(CLI::IsMember({"flat", "draw", "triangle", "depth", "material", "program"}))
      ->capture_default_str();
  app.add_option("--device", options.device, "'software' or the number of an EGL device (default: best)");
  app.add_option("--json", options.json, "Write all samples here");
  app.add_option("-o,--output", options.picture,
                 "Write the main target's picture here (PNG; EXR where its colour is floating-point)");
  app.add_option("--depth", options.depth, "Write its depth here (PFM)");
  app.add_flag("--tuned-malloc", options.tuned_malloc,
               "Keep freed memory (MALLOC_TRIM_THRESHOLD_ and others set high): up to 30 % faster llvmpipe");
  app.add_flag("--serve", options.serve, "Answer requests on standard input (gl_serve.h); `brokkr bench` uses it");
  CLI11_PARSE(app, argc, argv);
  try {
    if ((!options.picture.empty() || !options.depth.empty()) && options.files.size() > 1)
      throw std::runtime_error("-o and --depth take one FILE at a time");
    if (options.tuned_malloc) restart_with_tuned_malloc(argv);
    if (options.serve) return brokkr::serve_gl(options.device);
    if (options.files.empty()) throw std::runtime_error("FILE is missing; see --help");
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "brokkr-gl-bench: %s\n", error.what());
    return 1;
  }
}
