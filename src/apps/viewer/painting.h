// What the window shows beside frames of the pipeline: traced pictures, and micropolygons. Their settings, which panels
// change, and what is known of a picture that was made with them.
#pragma once

#include <cstdint>
#include <glm/vec3.hpp>
#include <memory>
#include <optional>
#include <string>

#include "brokkr/options.h"
#include "reyes/reyes.h"
#include "trace/tone.h"

namespace brokkr::viewer {

// What widgets and the file of settings let through.
inline constexpr uint32_t kMostSamples = 65536, kMostBounces = 64, kMostReyesSplits = 1000000;
inline constexpr float kMostExposure = 10, kLeastBudgetMs = 1, kMostBudgetMs = 2000, kMostGain = 64, kLeastRate = 0.5f,
                       kMostRate = 16;

// Traced pictures [Kerbl18, 5.4.2].
struct TraceSettings {
  bool on = false, paused = false;
  trace::StructureKind structure = trace::StructureKind::bvh;
  uint32_t grid = 128;     // of GrUG
  uint32_t samples = 256;  // of each pixel, on average where sampling is adaptive
  uint32_t seed = 1, bounces = 8;
  bool adaptive = true;
  trace::Metric metric = trace::Metric::gain;
  float worst_error = 1;  // that belongs into the highest bucket
  bool decreasing_priorities = false;
  std::optional<glm::vec3> sky, sun;  // nothing: as trace::SceneOptions has it
  float aperture = 0, focus = 0;      // likewise
  float exposure = 0;                 // in factors of two
  trace::Tone tone = trace::Tone::filmic;
  float map_opacity = 0;  // of the map of samples over the picture: 0 .. 1
  bool operator==(const TraceSettings&) const = default;
};

// A traced picture so far.
struct TracePainting {
  trace::TracePicture picture;
  trace::TraceReport report;
  double mean_samples = 0;
  uint32_t least_samples = 0, most_samples = 0;
  uint64_t triangles = 0, dropped = 0, lights = 0;
  double build_ms = 0;  // of the scene and what finds hits in it
};

// What limits a frame of micropolygons.
enum class ReyesLimit : uint8_t { none, time, splits };
// What its picture shows.
enum class ReyesShows : uint8_t { surface, depth, difference };

// Micropolygons [Kerbl18, 5.4.1].
struct ReyesSettings {
  ReyesLimit limit = ReyesLimit::time;
  float budget_ms = 100;
  uint32_t splits = 2000;
  SplitPriority priority = SplitPriority::both;
  std::optional<Point> fixation;  // nothing: the middle
  ReyesShows shows = ReyesShows::surface;
  float gain = 8;  // of the difference to full quality
  bool grid_lines = false;
  float rate = 1;
  uint32_t grid = 0;
  float phase = 0;  // of the animation
  bool operator==(const ReyesSettings&) const = default;
};

struct ReyesPainting {
  ReyesStatistics statistics;
  ReyesSettings settings;
  double full_ms = 0;  // of the full quality beside it; 0: there is none
};

// One of them.
struct Painting {
  std::optional<TracePainting> traced;
  std::optional<ReyesPainting> reyes;
};

}  // namespace brokkr::viewer
