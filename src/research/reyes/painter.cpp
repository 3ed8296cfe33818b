// Micropolygons: a frame within its limit, and beside it, where their difference is shown, the one of full quality.
#include <optional>
#include <utility>

#include "base/failure.h"
#include "reyes/compare.h"
#include "reyes/painting.h"
#include "reyes/reyes.h"
#include "viewer/camera_control.h"
#include "viewer/painter.h"

namespace brokkr::viewer {
namespace {

// What a Reyes was made from.
struct Diced {
  std::shared_ptr<const Scene> scene;
  MachineKind machine{};
  std::string isa;
  int workers = 0, memory_limit = 0;
  bool operator==(const Diced&) const = default;
};

ReyesMachine machine_of(const Diced& diced) {
  ReyesMachine machine;
  for (const auto& choice : Choices<MachineKind>::all) {
    if (choice.value == diced.machine && diced.machine != MachineKind::automatic) machine.machine = choice.name;
  }
  machine.isa = diced.isa;
  machine.workers = uint32_t(diced.workers);
  machine.memory_limit = diced.memory_limit;
  return machine;
}

ReyesOptions options_of(const RenderRequest& r) {
  const ReyesSettings& s = reyes_of(r.settings);
  const Target& loaded = r.scene->frame.targets[0];
  ReyesOptions o;
  o.width = r.settings.width > 0 ? r.settings.width : loaded.width;
  o.height = r.settings.width > 0 ? r.settings.height : loaded.height;
  if (s.limit == ReyesLimit::time) o.budget_ms = double(s.budget_ms);
  if (s.limit == ReyesLimit::splits) o.tasks = s.splits;
  o.fixation = s.fixation;
  o.priority = s.priority;
  o.look = s.shows == ReyesShows::depth ? ReyesLook::depth : ReyesLook::shaded;
  o.rate = s.rate;
  o.grid = s.grid;
  o.grid_lines = s.grid_lines;
  // As the scene has it where neither camera nor size was changed: to the bit what `brokkr reyes` draws.
  if (r.camera || o.width != loaded.width || o.height != loaded.height)
    o.camera = camera_text(r.camera.value_or(r.scene->camera));
  return o;
}

class ReyesPainter : public Painter {
 public:
  bool takes(const RenderRequest& r) const override { return reyes_painting_kind().takes(r.scene.get(), r.settings); }

  void leave(const RenderRequest& now) override {
    if (made_.scene == now.scene) return;
    reyes_.reset();
    full_.reset();
    made_ = {};
  }

  Painted paint(const RenderRequest& r, const LoadOptions& load) override {
    const RenderOptions& its = r.settings.options;
    const Diced wanted{r.scene, its.machine, its.isa, its.workers, load.memory_limit};
    if (!reyes_ || made_ != wanted) {
      reyes_.reset();
      full_.reset();
      reyes_.emplace(*patches_of(r.scene.get()), machine_of(wanted));
      made_ = wanted;
    }
    const ReyesSettings& s = reyes_of(r.settings);
    const ReyesOptions o = options_of(r);
    auto painting = std::make_shared<ReyesPainting>();
    ReyesPainting& shown = *painting;
    shown.settings = s;
    const bool compares = s.shows == ReyesShows::difference;
    if (compares) shown.full_ms = draw_full(r, o);
    ReyesFrame frame = reyes_->draw(s.phase, o);
    shown.statistics = frame.statistics;
    Painted done;
    done.width = o.width;
    done.height = o.height;
    done.pixels =
        compares ? difference_picture(full_->layer, frame.layer, double(s.gain)) : std::move(frame.layer.color);
    const ReyesStatistics& statistics = shown.statistics;
    done.statistics.machine = statistics.machine;
    done.statistics.isa = statistics.isa;
    done.statistics.workers = int(statistics.workers);
    done.statistics.triangles_in = statistics.triangles;
    done.statistics.frame_ms = statistics.frame_ms;
    done.painting = std::move(painting);
    return done;
  }

 private:
  // The settings that the full quality depends on; kept while only the limit changes.
  struct Full {
    ReyesOptions options;
    float phase = 0;
    Layer layer;
    double ms = 0;
  };

  double draw_full(const RenderRequest& r, ReyesOptions o) {
    o.budget_ms = 0;
    o.tasks.reset();
    o.fixation.reset();
    const float phase = reyes_of(r.settings).phase;
    const auto is_same = [&](const Full& f) {
      const ReyesOptions& p = f.options;
      return f.phase == phase && p.width == o.width && p.height == o.height && p.camera == o.camera &&
             p.rate == o.rate && p.grid == o.grid && p.grid_lines == o.grid_lines;
    };
    if (full_ && is_same(*full_)) return full_->ms;
    ReyesFrame frame = reyes_->draw(phase, o);
    full_ = Full{o, phase, std::move(frame.layer), frame.statistics.frame_ms};
    return full_->ms;
  }

  Diced made_;
  std::optional<Reyes> reyes_;
  std::optional<Full> full_;
};

}  // namespace

std::unique_ptr<Painter> make_reyes_painter() { return std::make_unique<ReyesPainter>(); }

}  // namespace brokkr::viewer
