// Traced pictures in the window [Kerbl18, 5.4.2]: their settings, which the panel edits, and facts about them.
#pragma once

#include <cstdint>
#include <glm/vec3.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trace/tracer.h"
#include "viewer/module.h"

namespace brokkr::viewer {

// Limits for widgets and for the settings file.
inline constexpr uint32_t kMaxSamples = 65536, kMaxBounces = 64;
inline constexpr float kMaxExposure = 10;
inline constexpr int kTraceKey = 'L';  // starts and stops tracing

struct TraceSettings {
  bool on = false, paused = false;
  trace::StructureKind structure = trace::StructureKind::bvh;
  uint32_t grid = 128;     // grid size of GrUG
  uint32_t samples = 256;  // per pixel, on average if sampling is adaptive
  uint32_t seed = 1, bounces = 8;
  bool adaptive = true;
  trace::Metric metric = trace::Metric::gain;
  float worst_error = 1;  // the error that belongs to the highest bucket
  bool decreasing_priorities = false;
  std::optional<glm::vec3> sky, sun;  // empty: the default of trace::SceneOptions
  float aperture = 0, focus = 0;      // 0: the default of trace::SceneOptions
  float exposure = 0;                 // in powers of two
  trace::Tone tone = trace::Tone::filmic;
  float map_opacity = 0;  // opacity of the sample map over the picture, 0 .. 1
  bool operator==(const TraceSettings&) const = default;
};
inline TraceSettings& trace_of(FrameSettings& settings) { return settings.modules.get<TraceSettings>(); }
inline const TraceSettings& trace_of(const FrameSettings& settings) { return settings.modules.get<TraceSettings>(); }

// The current state of a traced picture.
struct TracePainting : Painting {
  trace::TracePicture picture;
  trace::TraceReport report;
  double mean_samples = 0;
  uint32_t min_samples = 0, max_samples = 0;
  uint64_t triangles = 0, dropped = 0, lights = 0;
  double build_ms = 0;  // time to build the scene and its acceleration structure

  std::vector<StatusPart> status(const FrameSettings& settings) const override;
  PaintingRecord record(const Scene& scene, const FrameSettings& settings) const override;
  std::unique_ptr<const LinearPicture> light() const override;
};
// The traced picture that is shown; null if there is none.
inline const TracePainting* traced(const ViewerState& state) {
  return state.last ? dynamic_cast<const TracePainting*>(state.last->painting.get()) : nullptr;
}

PaintingKind trace_painting_kind();
// The entry "trace" of the settings file, which stores TraceSettings.
ModuleEntry trace_entry();

std::unique_ptr<Painter> make_trace_painter();
std::unique_ptr<Panel> make_trace_panel();

// The module with `brokkr view --trace` and the key that starts and stops tracing.
Module trace_view_module();

}  // namespace brokkr::viewer
