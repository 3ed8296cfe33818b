// Micropolygons in the window [Kerbl18, 5.4.1]: their settings, which the panel edits, and facts about a frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reyes/patches.h"
#include "reyes/reyes.h"
#include "viewer/module.h"

namespace brokkr::viewer {

// Limits for widgets and for the settings file.
inline constexpr uint32_t kMaxReyesSplits = 1000000;
inline constexpr float kMinBudgetMs = 1, kMaxBudgetMs = 2000, kMaxGain = 64, kMinRate = 0.5f, kMaxRate = 16;

// The kind of limit for a frame.
enum class ReyesLimit : uint8_t { none, time, splits };
// The content of the picture.
enum class ReyesShows : uint8_t { surface, depth, difference };

struct ReyesSettings {
  ReyesLimit limit = ReyesLimit::time;
  float budget_ms = 100;
  uint32_t splits = 2000;
  SplitPriority priority = SplitPriority::both;
  std::optional<Point> fixation;  // empty: the centre
  ReyesShows shows = ReyesShows::surface;
  float gain = 8;  // gain of the difference from full quality
  bool grid_lines = false;
  float rate = 1;
  uint32_t grid = 0;
  float phase = 0;  // phase of the animation
  bool operator==(const ReyesSettings&) const = default;
};
inline ReyesSettings& reyes_of(FrameSettings& settings) { return settings.modules.get<ReyesSettings>(); }
inline const ReyesSettings& reyes_of(const FrameSettings& settings) { return settings.modules.get<ReyesSettings>(); }

struct PatchContent : SceneContent {
  PatchScene patches;
  std::string holds() const override;
};
// The patches of a scene; null if it has none.
inline const PatchScene* patches_of(const Scene* scene) {
  const auto* const content = scene != nullptr ? dynamic_cast<const PatchContent*>(scene->content.get()) : nullptr;
  return content != nullptr ? &content->patches : nullptr;
}

struct ReyesPainting : Painting {
  ReyesStatistics statistics;
  ReyesSettings settings;
  double full_ms = 0;  // time of the frame at full quality; 0: none was drawn

  std::vector<StatusPart> status(const FrameSettings& settings) const override;
  PaintingRecord record(const Scene& scene, const FrameSettings& settings) const override;
};
// The frame of micropolygons that is shown; null if there is none.
inline const ReyesPainting* shown_micropolygons(const ViewerState& state) {
  return state.last ? dynamic_cast<const ReyesPainting*>(state.last->painting.get()) : nullptr;
}

PaintingKind reyes_painting_kind();
// The entry "micropolygons" of the settings file, which stores ReyesSettings.
ModuleEntry reyes_entry();
// Loads .bpt files and "reyes:NAME".
ModuleScenes reyes_scenes();

std::unique_ptr<Painter> make_reyes_painter();
std::unique_ptr<Panel> make_reyes_panel();

// The module with `brokkr view --reyes`.
Module reyes_view_module();

}  // namespace brokkr::viewer
