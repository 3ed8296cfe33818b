#include "reyes/painting.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/text.h"
#include "base/json_parse.h"
#include "formats/scene_setup.h"
#include "log/number_text.h"
#include "reyes/module.h"
#include "viewer/json_entries.h"
#include "viewer/looks.h"

namespace brokkr::viewer {
namespace {

// Without the prefix of built-in scenes.
std::string bare_name(const std::string& path) {
  const std::string prefix = app::kPatchScenes;
  return path.starts_with(prefix) ? path.substr(prefix.size()) : path;
}

// The options of `brokkr reyes` that draw the picture again.
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
  keep_within(s.budget_ms, kLeastBudgetMs, kMostBudgetMs, usual.budget_ms);
  keep_within(s.gain, 1, kMostGain, usual.gain);
  keep_within(s.rate, kLeastRate, kMostRate, usual.rate);
  s.splits = std::min(s.splits, kMostReyesSplits);
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
  // A picture of this size without a draw: what there is to draw comes anew with every frame.
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
           "Time that this frame took, and its limit: panel Micropolygons"},
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
