#include "lab/foveated.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <stdexcept>

#include "lab/result_table.h"

namespace brokkr::lab {
namespace {

struct Error {
  double squares = 0;
  uint64_t pixels = 0, right = 0, runs = 0;

  void add(uint32_t a, uint32_t b) {
    for (int shift = 0; shift < 24; shift += 8) {
      const double d = double(int((a >> shift) & 0xffu) - int((b >> shift) & 0xffu));
      squares += d * d;
    }
    right += ((a ^ b) & 0xffffffu) == 0;
    ++pixels;
  }
  void write(FoveatedMeasurement& m) const {
    m.pixels = pixels / std::max<uint64_t>(1, runs);
    const double mean = pixels > 0 ? squares / (3.0 * double(pixels)) : 0;
    m.psnr_db = mean > 0 ? std::min(99.0, 10 * std::log10(255.0 * 255.0 / mean)) : 99;
    m.right_percent = pixels > 0 ? 100.0 * double(right) / double(pixels) : 100;
  }
};

struct Contestant {
  const char* name;  // as the command line has it
  Policy policy;
};
constexpr Contestant kByDistance[] = {{"fill-level", Policy::fill_level}, {"foveated", Policy::foveated}};
constexpr Contestant kByView[] = {{"fill-level", Policy::fill_level}, {"priority", Policy::priority}};

class Experiment {
 public:
  // `name` is the experiment's, for messages.
  Experiment(const char* name, const Frame& frame, const FoveatedOptions& options)
      : name_(name), frame_(frame), o_(options) {
    if (o_.runs < 1 || o_.rings < 1) throw std::invalid_argument("schedule " + name_ + ": needs a run and a ring");
    main_ = main_target(frame);
    const Target& target = frame.targets[main_];
    if (target.format == ColorFormat::rgba16f) {
      throw std::invalid_argument("schedule " + name_ + ": the frame's main target is RGBA16F; give one with RGBA8");
    }
    std::set<uint32_t> layers;
    for (uint32_t v = 0; v < frame.views.size(); ++v) {
      if (frame.views[v].target != main_) continue;
      important_ = v;
      layers.insert(frame.views[v].layer);
    }
    several_ = layers.size() > 1;
    x_ = o_.render.fixation ? (*o_.render.fixation)[0] : 0.5f * float(target.width);
    y_ = o_.render.fixation ? (*o_.render.fixation)[1] : 0.5f * float(target.height);
    const double far_x = std::max(double(x_), target.width - double(x_));
    const double far_y = std::max(double(y_), target.height - double(y_));
    step_ = std::hypot(far_x, far_y) / o_.rings;
    if (o_.budgets.empty()) o_.budgets = {0.2, 0.4, 0.6, 0.8};
  }

  bool has_several_views() const { return several_; }

  void run(std::span<const Contestant> contestants, bool by_view,
           const std::function<void(const FoveatedMeasurement&)>& measured,
           const std::function<void(const std::string&)>& progress) {
    PreparedFrame prepared = renderer_.prepare(frame_);
    RenderOptions whole = o_.render;
    whole.frame_budget_ms = 0;
    whole.policy = Policy::fill_level;
    progress(name_ + ": the whole frame");
    const RenderResult reference = renderer_.render(prepared, whole);
    double whole_ms = reference.statistics.launch_ms;
    for (uint32_t i = 0; i < o_.runs; ++i) {
      whole_ms = std::min(whole_ms, renderer_.render(prepared, whole, false).statistics.launch_ms);
    }
    for (const double budget : o_.budgets) {
      for (const Contestant& c : contestants) {
        RenderOptions options = o_.render;
        options.policy = c.policy;
        options.frame_budget_ms = std::max(0.01, budget * whole_ms);
        options.view_priorities.assign(frame_.views.size(), 0);
        options.view_priorities[important_] = 1;
        rings_.assign(size_t(o_.rings), {});
        views_.assign(frame_.views.size(), {});
        others_ = all_ = {};
        FoveatedMeasurement m;
        m.policy = c.name;
        m.budget = budget;
        m.budget_ms = options.frame_budget_ms;
        progress(name_ + ": " + m.policy + ", " + std::to_string(int(100 * budget + 0.5)) + " % of the time");
        for (uint32_t i = 0; i < o_.runs; ++i) {
          const RenderResult r = renderer_.render(prepared, options);
          m.frame_ms += r.statistics.launch_ms / o_.runs;
          compare(reference, r);
        }
        if (by_view)
          report_views(m, options, measured);
        else
          report_rings(m, measured);
        m.where = "all";
        all_.write(m);
        measured(m);
      }
    }
  }

 private:
  std::string name_;
  const Frame& frame_;
  FoveatedOptions o_;
  Renderer renderer_;
  uint32_t main_ = 0, important_ = 0;  // target, view
  bool several_ = false;
  float x_ = 0, y_ = 0;
  double step_ = 1;
  std::vector<Error> rings_, views_;
  Error others_, all_;

  void compare(const RenderResult& reference, const RenderResult& r) {
    for (Error& e : rings_) ++e.runs;
    for (Error& e : views_) ++e.runs;
    ++others_.runs;
    ++all_.runs;
    for (size_t layer = 0; layer < r.targets[main_].layers.size(); ++layer) {
      const Layer &a = reference.targets[main_].layers[layer], &b = r.targets[main_].layers[layer];
      // The errors of each layer that a single view fills; views that share a layer are not told apart.
      std::vector<Error*> of_layer;
      for (size_t v = 0; v < frame_.views.size(); ++v) {
        if (frame_.views[v].target == main_ && frame_.views[v].layer == layer) of_layer.push_back(&views_[v]);
      }
      if (frame_.views[important_].layer != layer) of_layer.push_back(&others_);
      for (size_t i = 0; i < a.color.size(); ++i) {
        const double dx = double(i % size_t(a.width)) + 0.5 - x_, dy = double(i / size_t(a.width)) + 0.5 - y_;
        const size_t ring = std::min(rings_.size() - 1, size_t(std::hypot(dx, dy) / step_));
        rings_[ring].add(a.color[i], b.color[i]);
        all_.add(a.color[i], b.color[i]);
        for (Error* e : of_layer) e->add(a.color[i], b.color[i]);
      }
    }
  }
  void report_rings(FoveatedMeasurement m, const std::function<void(const FoveatedMeasurement&)>& measured) {
    m.where = "ring";
    for (size_t ring = 0; ring < rings_.size(); ++ring) {
      m.from_px = double(ring) * step_;
      m.to_px = double(ring + 1) * step_;
      rings_[ring].write(m);
      measured(m);
    }
  }
  void report_views(FoveatedMeasurement m, const RenderOptions& options,
                    const std::function<void(const FoveatedMeasurement&)>& measured) {
    m.where = "view";
    for (uint32_t v = 0; v < views_.size(); ++v) {
      if (views_[v].pixels == 0) continue;
      m.view = v;
      m.priority = options.view_priorities[v];
      views_[v].write(m);
      measured(m);
    }
    m.view = m.priority = 0;
    m.where = "others";
    others_.write(m);
    measured(m);
  }
};

}  // namespace

std::vector<std::string> foveated_columns() {
  return {"policy", "where", "budget",   "budget_ms", "frame_ms", "from_px",
          "to_px",  "view",  "priority", "pixels",    "psnr_db",  "right_percent"};
}

std::vector<std::string> foveated_cells(const FoveatedMeasurement& m) {
  return row(m.policy, m.where, m.budget, m.budget_ms, m.frame_ms, m.from_px, m.to_px, m.view, m.priority, m.pixels,
             m.psnr_db, m.right_percent);
}

void run_foveated(const Frame& frame, const FoveatedOptions& options,
                  const std::function<void(const FoveatedMeasurement&)>& measured,
                  const std::function<void(const std::string&)>& progress) {
  Experiment("foveated", frame, options).run(kByDistance, false, measured, progress);
}

void run_view_priority(const Frame& frame, const FoveatedOptions& options,
                       const std::function<void(const FoveatedMeasurement&)>& measured,
                       const std::function<void(const std::string&)>& progress) {
  Experiment experiment("views", frame, options);
  if (!experiment.has_several_views()) {
    throw std::invalid_argument(
        "schedule views: the frame's views fill one layer; give a scene with --views 2 or more");
  }
  experiment.run(kByView, true, measured, progress);
}

}  // namespace brokkr::lab
