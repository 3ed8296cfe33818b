#include "trace/painting.h"

#include <algorithm>
#include <cmath>
#include <glm/vec2.hpp>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "app/resize.h"
#include "app/text.h"
#include "base/json_parse.h"
#include "inspect/trim.h"
#include "log/text.h"
#include "pipeline/task_machine.h"
#include "trace/trace_command.h"
#include "trace/trace_scene.h"
#include "trace/tracer.h"
#include "viewer/painter.h"
#include "viewer/settings_file.h"

namespace brokkr::viewer {
namespace {

std::string light_text(const glm::vec3& c) { return shortest(c.x) + "," + shortest(c.y) + "," + shortest(c.z); }

// The options with which `brokkr trace` draws the same picture.
std::string traced_options(const TraceSettings& t, const TracePainting& p) {
  constexpr const char* kStructures[] = {"kd", "grug", "bvh"};
  const uint32_t samples = p.report.is_complete ? t.samples : std::max(4u, uint32_t(std::lround(p.mean_samples)));
  std::string text = " --samples " + std::to_string(samples) + " --seed " + std::to_string(t.seed) + " --bounces " +
                     std::to_string(t.bounces);
  if (t.adaptive) text += " --adaptive --worst-error " + shortest(t.worst_error);
  if (t.adaptive && t.decreasing_priorities) text += " --decreasing-priorities";
  if (t.adaptive && t.metric == trace::Metric::contrast) text += " --metric contrast";
  if (t.sky) text += " --sky " + light_text(*t.sky);
  if (t.sun) text += " --sun " + light_text(*t.sun);
  if (t.aperture > 0) text += " --aperture " + shortest(t.aperture);
  if (t.aperture > 0 && t.focus > 0) text += " --focus " + shortest(t.focus);
  text += " --exposure " + shortest(t.exposure);  // by default, the command chooses an exposure
  if (t.tone == trace::Tone::filmic) text += " --tone filmic";
  if (t.structure != trace::StructureKind::bvh) text += std::string(" --structure ") + kStructures[size_t(t.structure)];
  if (t.structure == trace::StructureKind::grug) text += " --grid " + std::to_string(t.grid);
  return text;
}

void for_each_trace_entry(auto& trace, const auto& entry) {
  entry("adaptive", trace.adaptive);
  entry("samples", trace.samples);
  entry("bounces", trace.bounces);
  entry("worst_error", trace.worst_error);
  entry("decreasing_priorities", trace.decreasing_priorities);
  entry("exposure", trace.exposure);
  entry("map_opacity", trace.map_opacity);
}

void read_trace_entry(const std::string& text, ModuleSettings& settings) {
  if (text.empty()) return;
  TraceSettings& s = settings.get<TraceSettings>();
  const TraceSettings usual;
  const auto json = parse_json<nlohmann::json>(text);
  for_each_trace_entry(s, [&](const char* name, auto& value) { take(json, name, value); });
  s.samples = std::clamp(s.samples, 4u, kMaxSamples);
  s.bounces = std::min(s.bounces, kMaxBounces);
  keep_within(s.worst_error, 1e-6f, 1e6f, usual.worst_error);
  keep_within(s.exposure, -kMaxExposure, kMaxExposure, usual.exposure);
  keep_within(s.map_opacity, 0, 1, usual.map_opacity);
}

std::string write_trace_entry(const ModuleSettings& settings) {
  nlohmann::ordered_json json;
  for_each_trace_entry(settings.get<TraceSettings>(), [&](const char* name, const auto& value) { json[name] = value; });
  return json.dump();
}

bool takes_trace(const Scene* scene, const FrameSettings& settings) {
  return trace_of(settings).on && (scene == nullptr || !scene->content);
}

}  // namespace

std::vector<StatusPart> TracePainting::status(const FrameSettings& settings) const {
  return {{app::fixed(mean_samples, 1) + " samples per pixel" +
               (report.is_complete          ? ""
                : trace_of(settings).paused ? ", paused"
                                            : " ..."),
           "This picture is path traced: panel Trace; L returns to drawn frames"},
          {app::fixed(report.ms / 1000, 1) + " s", "Time spent on tracing this picture so far"}};
}

PaintingRecord TracePainting::record(const Scene& scene, const FrameSettings& settings) const {
  const nlohmann::ordered_json facts = {{"mean_samples", mean_samples},
                                        {"least_samples", min_samples},
                                        {"most_samples", max_samples},
                                        {"done", report.is_complete},
                                        {"ms", report.ms},
                                        {"paused", trace_of(settings).paused}};
  return {"trace", scene.path, traced_options(trace_of(settings), *this), "trace", facts.dump()};
}

std::unique_ptr<const LinearPicture> TracePainting::light() const {
  return std::make_unique<const LinearPicture>(LinearPicture{picture.width, picture.height, picture.rgb});
}

PaintingKind trace_painting_kind() { return {make_trace_painter, takes_trace, nullptr, true}; }

ModuleEntry trace_entry() { return {"trace", read_trace_entry, write_trace_entry}; }

Module trace_view_module() {
  Module module;
  module.view = app::trace_view_part();
  module.panels = {make_trace_panel};
  module.tour = {{.title = "Light",
                  .summary = "The same scene path traced while you watch",
                  .text = "The scene is path traced: coarsely first, then region by region. L returns to drawn frames; "
                          "panel Trace has exposure, light, lens and the map of samples.",
                  .scenes = {"assets/courtyard.obj", "generated:city"},
                  .panel = "Trace",
                  .key = KeyEvent{Action::of_module, kTraceKey}}};
  module.keys = {
      {Action::of_module, kTraceKey, kNoModifier, "Pipeline", "Path trace the scene, or draw its frames", kTraceKey}};
  module.painting = trace_painting_kind();
  module.entry = trace_entry();
  return module;
}

// Traced pictures, which improve while they are shown. A coarse picture of the whole comes first, so that the user sees
// where a moving camera goes. Then regions with samples replace it.

namespace {

constexpr double kStepMs = 50;      // tracing time between two pictures
constexpr double kShownPart = 0.3;  // maximum fraction of the time spent on showing pictures
constexpr int kCoarse = 8;          // pixels of the picture per coarse pixel, along each side
constexpr uint32_t kCoarseSamples = 4;

std::string machine_name(MachineKind kind) {
  for (const auto& choice : Choices<MachineKind>::all) {
    if (choice.value == kind) return kind == MachineKind::automatic ? "auto" : choice.name;
  }
  return "auto";
}

// The inputs of a tracer; if they change, a new one is made.
struct Traced {
  std::shared_ptr<const Scene> scene;
  std::set<uint32_t> hidden;
  std::optional<glm::vec3> sky, sun;
  trace::StructureKind structure{};
  uint32_t grid = 0, seed = 0, bounces = 0;
  bool adaptive = false;
  trace::Metric metric{};
  float worst_error = 0;
  bool decreasing_priorities = false;
  MachineKind machine{};
  std::string isa;
  int workers = 0;
  bool operator==(const Traced&) const = default;
};
Traced traced_of(const RenderRequest& r) {
  const TraceSettings& t = trace_of(r.settings);
  const RenderOptions& o = r.settings.options;
  return {r.scene,       r.settings.hidden_commands,
          t.sky,         t.sun,
          t.structure,   t.grid,
          t.seed,        t.bounces,
          t.adaptive,    t.metric,
          t.worst_error, t.decreasing_priorities,
          o.machine,     o.isa,
          o.workers};
}

// The inputs of a picture; if they change, the picture restarts.
struct Looked {
  std::optional<Camera> camera;
  int width = 0, height = 0;
  float aperture = 0, focus = 0;
  uint32_t samples = 0;
  bool operator==(const Looked&) const = default;
};
Looked looked_of(const RenderRequest& r) {
  const Target& loaded = r.scene->frame.targets[0];
  const FrameSettings& s = r.settings;
  return {r.camera,
          s.width > 0 ? s.width : loaded.width,
          s.width > 0 ? s.height : loaded.height,
          trace_of(s).aperture,
          trace_of(s).focus,
          trace_of(s).samples};
}

// Fills pixels without samples with the smoothed light of the coarse picture.
void fill_gaps(trace::TracePicture& picture, const trace::TracePicture& coarse) {
  const auto at = [&](int x, int y) {
    x = std::clamp(x, 0, coarse.width - 1);
    y = std::clamp(y, 0, coarse.height - 1);
    return &coarse.rgb[3 * (size_t(y) * size_t(coarse.width) + size_t(x))];
  };
  for (int y = 0; y < picture.height; ++y) {
    const float v = (float(y) + 0.5f) * float(coarse.height) / float(picture.height) - 0.5f;
    const int low = int(std::floor(v));
    const float up = v - float(low);
    for (int x = 0; x < picture.width; ++x) {
      const size_t pixel = size_t(y) * size_t(picture.width) + size_t(x);
      if (picture.samples[pixel] > 0) continue;
      const float u = (float(x) + 0.5f) * float(coarse.width) / float(picture.width) - 0.5f;
      const int left = int(std::floor(u));
      const float right = u - float(left);
      const float* const corners[] = {at(left, low), at(left + 1, low), at(left, low + 1), at(left + 1, low + 1)};
      for (size_t k = 0; k < 3; ++k) {
        const float below = corners[0][k] + (corners[1][k] - corners[0][k]) * right;
        const float above = corners[2][k] + (corners[3][k] - corners[2][k]) * right;
        picture.rgb[3 * pixel + k] = below + (above - below) * up;
      }
    }
  }
}

class TracePainter : public Painter {
 public:
  bool takes(const RenderRequest& r) const override { return trace_painting_kind().takes(r.scene.get(), r.settings); }

  void leave(const RenderRequest& now) override {
    if (tracer_ && made_.scene != now.scene) forget();
  }

  Painted paint(const RenderRequest& r, const LoadOptions&) override {
    const auto begin = Clock::now();
    const bool begins = look(r);
    if (!begins && !trace_of(r.settings).paused && !report_.is_complete) {
      report_ = tracer_->run(std::max(kStepMs, shown_ms_ / kShownPart));
    }
    const auto traced = Clock::now();
    auto painting = std::make_shared<TracePainting>();
    TracePainting& t = *painting;
    t.picture = tracer_->picture();
    t.report = report_;
    t.triangles = scene_.triangles.size();
    t.dropped = scene_.dropped;
    t.lights = scene_.lights.size();
    t.build_ms = build_ms_;
    count_samples(t);
    if (t.min_samples == 0) fill_gaps(t.picture, coarse_);
    Painted done;
    done.width = t.picture.width;
    done.height = t.picture.height;
    done.pixels = trace::screen_pixels(t.picture, trace_of(r.settings).exposure, trace_of(r.settings).tone);
    done.goes_on = !trace_of(r.settings).paused && !report_.is_complete;
    done.painting = std::move(painting);
    done.statistics.machine = tracer_->machine().name;
    done.statistics.isa = tracer_->machine().detail;
    done.statistics.workers = int(tracer_->workers());
    done.statistics.triangles_in = scene_.triangles.size();
    done.statistics.frame_ms = milliseconds(Clock::now() - begin);
    shown_ms_ = milliseconds(Clock::now() - traced);
    return done;
  }

 private:
  void forget() {
    tracer_.reset();
    scene_ = {};
    made_ = {};
    looked_ = {};
  }

  static void count_samples(TracePainting& t) {
    const auto [least, most] = std::minmax_element(t.picture.samples.begin(), t.picture.samples.end());
    t.min_samples = *least;
    t.max_samples = *most;
    const uint64_t sum = std::accumulate(t.picture.samples.begin(), t.picture.samples.end(), uint64_t(0));
    t.mean_samples = double(sum) / double(t.picture.samples.size());
  }

  // Returns true if the picture has restarted.
  bool look(const RenderRequest& r) {
    const Traced wanted = traced_of(r);
    const Looked looked = looked_of(r);
    const bool is_made = tracer_ && made_ == wanted;
    if (is_made && looked_ == looked) return false;
    try {
      const std::vector<View> views = views_of(*r.scene, r.camera, looked.width, looked.height);
      const trace::SceneOptions usual;
      const trace::SceneOptions options{wanted.sky.value_or(usual.sky), wanted.sun.value_or(usual.sun), looked.aperture,
                                        looked.focus};
      if (!is_made || !trace::look_through(scene_, views[0], looked.width, looked.height, options))
        make(r, wanted, looked, views, options);
      made_ = wanted;
      looked_ = looked;
      restart_picture();
    } catch (...) {
      forget();
      throw;
    }
    return true;
  }

  void make(const RenderRequest& r, const Traced& wanted, const Looked& looked, const std::vector<View>& views,
            const trace::SceneOptions& options) {
    const auto begin = Clock::now();
    forget();
    Frame frame = r.scene->frame;
    const Target& loaded = frame.targets[0];
    // A captured scene has no camera and will be refused because of its vertices, so do not resize it.
    if (!r.scene->clip_space && (loaded.width != looked.width || loaded.height != looked.height))
      app::resize_frame(frame, 0, looked.width, looked.height);
    hide_draws(frame, std::vector(wanted.hidden.begin(), wanted.hidden.end()));
    if (!r.scene->clip_space) frame.views = views;
    const auto budget = std::make_shared<MemoryBudget>(
        r.settings.options.memory_limit, "choose a smaller picture, or a scene with fewer triangles", frame.source);
    scene_ = trace::make_trace_scene(frame, options, budget);
    trace::TraceOptions o;
    o.structure = wanted.structure;
    o.grid = wanted.grid;
    o.samples = looked.samples;
    o.seed = wanted.seed;
    o.bounces = wanted.bounces;
    o.adaptive = wanted.adaptive;
    o.metric = wanted.metric;
    o.high_error = wanted.worst_error;
    o.decreasing_priorities = wanted.decreasing_priorities;
    o.workers = uint32_t(wanted.workers);
    std::unique_ptr<TaskMachine> machine = make_task_machine(machine_name(wanted.machine), wanted.isa);
    machine->use_budget(budget, "path tracer");
    tracer_ = std::make_unique<trace::Tracer>(std::move(machine), scene_, o);
    build_ms_ = milliseconds(Clock::now() - begin);
  }

  // Draws the coarse picture, and resets the tracer to the start of the fine one.
  void restart_picture() {
    const int width = (looked_.width + kCoarse - 1) / kCoarse, height = (looked_.height + kCoarse - 1) / kCoarse;
    trace::LensRecord lens = scene_.lens;
    for (int k = 0; k < 3; ++k) {
      lens.right[k] *= float(looked_.width) / float(width);
      lens.up[k] *= float(looked_.height) / float(height);
    }
    tracer_->set_view(width, height, lens, kCoarseSamples);
    tracer_->run();
    coarse_ = tracer_->picture();
    tracer_->set_view(looked_.width, looked_.height, scene_.lens, looked_.samples);
    report_ = {};
  }

  Traced made_;
  Looked looked_;
  trace::TraceScene scene_;
  std::unique_ptr<trace::Tracer> tracer_;
  trace::TracePicture coarse_;
  trace::TraceReport report_;
  double build_ms_ = 0, shown_ms_ = 0;
};

}  // namespace

std::unique_ptr<Painter> make_trace_painter() { return std::make_unique<TracePainter>(); }

}  // namespace brokkr::viewer
