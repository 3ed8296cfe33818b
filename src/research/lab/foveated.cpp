#include "lab/experiment.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "brokkr/load.h"
#include "brokkr/renderer.h"

namespace brokkr::lab {
namespace {

// Accumulates, over all runs, the difference between a part of the picture and the same part of the whole frame.
struct Error {
  double squares = 0;
  uint64_t pixels = 0, right = 0;

  void add(uint32_t a, uint32_t b) {
    for (int shift = 0; shift < 24; shift += 8) {
      const double d = double(int((a >> shift) & 0xffu) - int((b >> shift) & 0xffu));
      squares += d * d;
    }
    right += ((a ^ b) & 0xffffffu) == 0;
    ++pixels;
  }
  void write(uint32_t runs, Record& m) const {
    const double mean = pixels > 0 ? squares / (3.0 * double(pixels)) : 0;
    m.set("pixels", pixels / runs);
    m.set("psnr_db", mean > 0 ? std::min(99.0, 10 * std::log10(255.0 * 255.0 / mean)) : 99);
    m.set("right_percent", pixels > 0 ? 100.0 * double(right) / double(pixels) : 100);
  }
};

// A part of the main target: the pixels at certain distances, of one view, or of several views.
struct Part {
  std::string where;
  double from_px = 0, to_px = 0;
  uint32_t view = 0, priority = 0;
  Error error;
};

class Comparison {
 public:
  Comparison(CutOff what, const Frame& frame, const FoveatedOptions& options)
      : by_view_(what == CutOff::views), frame_(frame), o_(options), main_(main_target(frame)) {
    const std::string name = by_view_ ? "schedule views: " : "schedule foveated: ";
    if (o_.runs < 1 || o_.rings < 1) throw std::invalid_argument(name + "needs a run and a ring");
    const Target& target = frame.targets[main_];
    if (target.format == ColorFormat::rgba16f) {
      throw std::invalid_argument(name + "the frame's main target is RGBA16F; give one with RGBA8");
    }
    std::set<uint32_t> layers;
    for (uint32_t view = 0; view < frame.views.size(); ++view) {
      if (frame.views[view].target != main_) continue;
      important_ = view;
      layers.insert(frame.views[view].layer);
    }
    if (by_view_ && layers.size() < 2) {
      throw std::invalid_argument(name + "the frame's views fill one layer; give a scene with --views 2 or more");
    }
    x_ = o_.render.fixation ? (*o_.render.fixation)[0] : 0.5f * float(target.width);
    y_ = o_.render.fixation ? (*o_.render.fixation)[1] : 0.5f * float(target.height);
    step_ = std::hypot(std::max(x_, target.width - x_), std::max(y_, target.height - y_)) / o_.rings;
  }

  void run(ResultTable& table, const ShowProgress& progress) {
    PreparedFrame prepared = renderer_.prepare(frame_, {.memory_limit = o_.render.memory_limit});
    RenderOptions whole = o_.render;
    whole.frame_budget_ms = 0;
    whole.policy = Policy::fill_level;
    progress(table.name + ": the whole frame");
    const RenderResult reference = renderer_.render(prepared, whole);
    double whole_ms = reference.statistics.launch_ms;
    for (uint32_t i = 0; i < o_.runs; ++i) {
      whole_ms = std::min(whole_ms, renderer_.render(prepared, whole, false).statistics.launch_ms);
    }
    for (const double budget : o_.budgets) {
      for (const Policy policy : {Policy::fill_level, by_view_ ? Policy::priority : Policy::foveated}) {
        RenderOptions options = o_.render;
        options.policy = policy;
        options.frame_budget_ms = std::max(0.01, budget * whole_ms);
        options.view_priorities.assign(frame_.views.size(), 0);
        options.view_priorities[important_] = 1;
        progress(table.name + ": " + name_of(policy) + ", " + std::to_string(std::lround(100 * budget)) +
                 " % of the time");
        std::vector<Part> parts = parts_of_target();
        double frame_ms = 0;
        Record machine;
        for (uint32_t i = 0; i < o_.runs; ++i) {
          const RenderResult r = renderer_.render(prepared, options);
          frame_ms += r.statistics.launch_ms / o_.runs;
          compare(reference.targets[main_].layers, r.targets[main_].layers, parts);
          machine.set("machine", r.statistics.machine).set("detail", r.statistics.isa);
          machine.set("lanes", r.statistics.width);
        }
        for (const Part& part : parts) {
          Record m = machine;
          m.set("policy", name_of(policy)).set("where", part.where).set("budget", budget);
          m.set("budget_ms", options.frame_budget_ms).set("frame_ms", frame_ms);
          m.set("from_px", part.from_px).set("to_px", part.to_px);
          m.set("view", part.view).set("priority", part.priority);
          part.error.write(o_.runs, m);
          table.add(m);
        }
      }
    }
  }

 private:
  bool by_view_;
  const Frame& frame_;
  FoveatedOptions o_;
  Renderer renderer_;
  uint32_t main_, important_ = 0;  // numbers of a target and of a view
  double x_ = 0, y_ = 0, step_ = 1;

  // Rings or views first, the whole target last.
  std::vector<Part> parts_of_target() const {
    std::vector<Part> parts;
    for (int ring = 0; !by_view_ && ring < o_.rings; ++ring) {
      parts.push_back({.where = "ring", .from_px = ring * step_, .to_px = (ring + 1) * step_, .error = {}});
    }
    for (uint32_t view = 0; by_view_ && view < frame_.views.size(); ++view) {
      if (frame_.views[view].target != main_) continue;
      parts.push_back({.where = "view", .view = view, .priority = view == important_ ? 1u : 0u, .error = {}});
    }
    if (by_view_) parts.push_back({.where = "others", .error = {}});
    parts.push_back({.where = "all", .error = {}});
    return parts;
  }

  void compare(const std::vector<Layer>& whole, const std::vector<Layer>& cut, std::vector<Part>& parts) const {
    for (size_t layer = 0; layer < cut.size(); ++layer) {
      // All errors to which the layer contributes; views that share a layer are not distinguished.
      std::vector<Error*> layer_errors = {&parts.back().error};
      for (Part& part : parts) {
        const bool other = part.where == "others" && frame_.views[important_].layer != layer;
        const bool view = part.where == "view" && frame_.views[part.view].layer == layer;
        if (other || view) layer_errors.push_back(&part.error);
      }
      const Layer &a = whole[layer], &b = cut[layer];
      for (size_t i = 0; i < a.color.size(); ++i) {
        for (Error* e : layer_errors) e->add(a.color[i], b.color[i]);
        if (by_view_) continue;
        const size_t x = i % size_t(a.width), y = i / size_t(a.width);
        const double dx = double(x) + 0.5 - x_, dy = double(y) + 0.5 - y_;
        const size_t ring = std::min(size_t(o_.rings) - 1, size_t(std::hypot(dx, dy) / step_));
        parts[ring].error.add(a.color[i], b.color[i]);
      }
    }
  }
};

}  // namespace

void compare_cut_off(CutOff what, const Frame& frame, const FoveatedOptions& options, ResultTable& table,
                     const ShowProgress& progress) {
  Comparison(what, frame, options).run(table, progress);
}

// A captured frame has its own views and sizes.
template <CutOff what>
void cut_off(const LabRun& run) {
  const LabOptions& o = run.options;
  LoadOptions load;
  load.memory_limit = o.render.memory_limit;
  if (what == CutOff::views) {
    load.views = o.views > 0 ? o.views : o.scene.ends_with(".bkf") ? 0 : 4;
    load.view_size = o.view_size > 0 ? o.view_size : o.quick ? 128 : 720;
  } else if (o.quick) {
    load.width = 320, load.height = 180;
  }
  FoveatedOptions options{o.render, {0.2, 0.4, 0.6, 0.8}, o.runs, 12};
  if (o.quick) options.budgets = {0.5}, options.rings = 4;
  compare_cut_off(what, load_frame(o.scene, load), options, run.table, run.progress);
}

template void cut_off<CutOff::foveated>(const LabRun&);
template void cut_off<CutOff::views>(const LabRun&);

}  // namespace brokkr::lab
