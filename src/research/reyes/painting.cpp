#include "reyes/painting.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "app/text.h"
#include "base/failure.h"
#include "base/json_parse.h"
#include "formats/scene_setup.h"
#include "log/text.h"
#include "reyes/reyes.h"
#include "reyes/reyes_command.h"
#include "viewer/camera_control.h"
#include "viewer/looks.h"
#include "viewer/painter.h"
#include "viewer/settings_file.h"

namespace brokkr::viewer {

// Micropolygons: a frame within its limit and, if their difference is shown, the frame at full quality.

namespace {

// The inputs that a Reyes was made from.
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
  // If neither camera nor size was changed, the scene's own values give exactly the picture of `brokkr reyes`.
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
  // The settings that determine the picture at full quality, which is kept while only the limit changes.
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

namespace {

// The name of a built-in scene, without its prefix.
std::string bare_name(const std::string& path) {
  const std::string prefix = app::kPatchScenes;
  return path.starts_with(prefix) ? path.substr(prefix.size()) : path;
}

// The options with which `brokkr reyes` draws the same picture.
std::string micropolygon_options(const ReyesSettings& s) {
  constexpr const char* kPriorities[] = {"size", "distance", "both"};
  std::string text;
  if (s.limit == ReyesLimit::time) text += " --budget " + shortest(s.budget_ms);
  if (s.limit == ReyesLimit::splits) text += " --tasks " + std::to_string(s.splits);
  if (s.limit != ReyesLimit::none && s.fixation)
    text += " --fixation " + shortest((*s.fixation)[0]) + "," + shortest((*s.fixation)[1]);
  if (s.priority != SplitPriority::both) text += std::string(" --priority ") + kPriorities[size_t(s.priority)];
  if (s.shows == ReyesShows::depth) text += " --look depth";
  if (s.shows == ReyesShows::difference && s.limit != ReyesLimit::none) text += " --difference " + shortest(s.gain);
  if (s.grid_lines) text += " --grid-lines";
  if (s.rate != 1) text += " --rate " + shortest(s.rate);
  if (s.grid != 0) text += " --grid " + std::to_string(s.grid);
  if (s.phase != 0) text += " --phase " + shortest(s.phase);
  return text;
}

void for_each_reyes_entry(auto& reyes, const auto& entry) {
  entry("budget_ms", reyes.budget_ms);
  entry("splits", reyes.splits);
  entry("gain", reyes.gain);
  entry("rate", reyes.rate);
  entry("grid_lines", reyes.grid_lines);
}

void read_reyes_entry(const std::string& text, ModuleSettings& settings) {
  if (text.empty()) return;
  ReyesSettings& s = settings.get<ReyesSettings>();
  const ReyesSettings usual;
  const auto json = parse_json<nlohmann::json>(text);
  for_each_reyes_entry(s, [&](const char* name, auto& value) { take(json, name, value); });
  int limit = int(s.limit);
  take(json, "limit", limit);
  s.limit = ReyesLimit(std::clamp(limit, 0, 2));
  keep_within(s.budget_ms, kMinBudgetMs, kMaxBudgetMs, usual.budget_ms);
  keep_within(s.gain, 1, kMaxGain, usual.gain);
  keep_within(s.rate, kMinRate, kMaxRate, usual.rate);
  s.splits = std::min(s.splits, kMaxReyesSplits);
}

std::string write_reyes_entry(const ModuleSettings& settings) {
  const ReyesSettings& s = settings.get<ReyesSettings>();
  nlohmann::ordered_json json;
  for_each_reyes_entry(s, [&](const char* name, const auto& value) { json[name] = value; });
  json["limit"] = int(s.limit);
  return json.dump();
}

std::shared_ptr<const Scene> load_patch_scene(const std::string& path, const LoadOptions& options) {
  const auto begin = Clock::now();
  auto scene = std::make_shared<Scene>();
  auto content = std::make_shared<PatchContent>();
  content->patches = load_patches(bare_name(path), options);
  const PatchScene& patches = content->patches;
  scene->path = path;
  scene->frame.source = path;
  scene->bounds = patches.bounds();
  // A frame of this size without draws, because the geometry is new in every frame.
  set_up_scene(scene->frame, scene->bounds, patches.camera, options);
  scene->camera =
      parse_camera(options.camera, patches.camera ? *patches.camera : fit_camera(scene->bounds, scene_aspect(options)));
  scene->content = std::move(content);
  scene->load_ms = milliseconds(Clock::now() - begin);
  return scene;
}

void require_built_in_patches(const std::string& path) {
  const std::vector<std::string> known = patch_scene_names();
  const std::string asked = bare_name(path);
  if (std::find(known.begin(), known.end(), asked) != known.end()) return;
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  throw std::runtime_error(asked + ": there are no patches of this name; --reyes takes " + names + ", or a FILE.bpt");
}

bool takes_patches(const Scene* scene, const FrameSettings&) { return patches_of(scene) != nullptr; }

double reyes_budget(const FrameSettings& settings) {
  const ReyesSettings& s = reyes_of(settings);
  return s.limit == ReyesLimit::time ? double(s.budget_ms) : 0;
}

}  // namespace

std::string PatchContent::holds() const { return counted(patches.materials.size(), "patch", "patches"); }

std::vector<StatusPart> ReyesPainting::status(const FrameSettings&) const {
  const ReyesStatistics& s = statistics;
  return {{app::fixed(s.frame_ms, 1) + " ms" + (s.budget_ms > 0 ? " of " + app::fixed(s.budget_ms, 0) : "") +
               (s.missed ? " (late)" : ""),
           "Time of this frame, and its limit: panel Micropolygons"},
          {counted(s.counts.grids, "grid"), "Pieces of patches that were diced, each up to 16 x 16 micropolygons"}};
}

PaintingRecord ReyesPainting::record(const Scene& scene, const FrameSettings& frame) const {
  const ReyesStatistics& s = statistics;
  const nlohmann::ordered_json facts = {{"budget_ms", s.budget_ms},    {"frame_ms", s.frame_ms},
                                        {"missed", s.missed},          {"splits", s.counts.splits},
                                        {"stopped", s.counts.stopped}, {"grids", s.counts.grids},
                                        {"triangles", s.triangles},    {"phase", reyes_of(frame).phase}};
  return {"reyes", bare_name(scene.path), micropolygon_options(reyes_of(frame)), "micropolygons", facts.dump()};
}

PaintingKind reyes_painting_kind() { return {make_reyes_painter, takes_patches, reyes_budget, false}; }

ModuleEntry reyes_entry() { return {"micropolygons", read_reyes_entry, write_reyes_entry}; }

ModuleScenes reyes_scenes() {
  ModuleScenes scenes;
  scenes.load = load_patch_scene;
  scenes.require = require_built_in_patches;
  for (const std::string& name : patch_scene_names()) scenes.built_in.push_back(app::kPatchScenes + name);
  scenes.description = "bicubic patches, drawn as micropolygons";
  scenes.files = "patches (.bpt)";
  scenes.example = std::string(app::kPatchScenes) + "tea-set";
  scenes.example_text = "Show micropolygons";
  return scenes;
}

Module reyes_view_module() {
  Module module;
  module.view = app::reyes_view_part();
  module.panels = {make_reyes_panel};
  module.painting = reyes_painting_kind();
  module.scenes = reyes_scenes();
  module.entry = reyes_entry();
  return module;
}

}  // namespace brokkr::viewer
