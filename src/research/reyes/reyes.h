// Foveated micropolygons [Kerbl18, 5.4.1]: bicubic patches are split, the most urgent first, and diced into grids until
// the time of a frame is over; the pipeline draws the grids.
//
//   Reyes reyes(load_patches("teapot"), {});
//   ReyesFrame frame = reyes.draw(0, {.budget_ms = 50, .fixation = {{400, 300}}});
//
// Full quality, which is what there is without a limit, is the same picture to the bit on every machine and with any
// number of workers: which pieces are diced is decided by each piece alone, and grids are drawn in the order of their
// places on the patches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "brokkr/options.h"
#include "brokkr/renderer.h"
#include "reyes/patches.h"
#include "reyes/reyes_plan.h"

namespace brokkr {

struct ReyesMachine {
  std::string machine = "auto", isa;  // as make_task_machine takes them
  uint32_t workers = 0;               // of splits and of the pipeline; 0: as many as the machine runs
  int memory_limit = 0;               // MiB, as LoadOptions has it: for all that there is at a time
  uint32_t pictures = 1;              // of a frame's size that the caller keeps of those that it gets
};

struct ReyesOptions {
  int width = 1920, height = 1080;  // pixels
  double budget_ms = 0;             // for a frame; 0: full quality
  std::optional<uint32_t> tasks;    // splits at most: a limit that does not ask the clock
  std::optional<Point> fixation;    // pixels from the lower left corner; without it the middle
  SplitPriority priority = SplitPriority::both;
  // The upper bound of priorities comes down where the upper buckets stay empty (schedule/policies.h).
  bool decreasing_priorities = false;
  ReyesLook look = ReyesLook::shaded;
  float rate = 1;  // pixels along the side of a micropolygon, at most: 0.25 .. 64
  // Micropolygons along the side of a grid, at most: 1, 2, 4, 8 or 16; 0: 16, with a number of tasks 8, so that what is
  // not split is coarse, and with a budget as many as it allows.
  uint32_t grid = 0;
  bool grid_lines = false;  // the sides of all grids on top
  std::string camera;       // as LoadOptions has it, on top of the scene's own
  float turned = 0;         // degrees that the camera has gone around its target
};

// Why a frame took longer than its budget.
enum class ReyesMiss : uint8_t {
  no,          // it did not
  processors,  // its threads waited for a processor, which other programs had: without that it would have ended in time
  least,       // so does a frame without any split, by what the frames before took
  estimate,    // its stages took longer than those of the frames before
};

struct ReyesStatistics {
  ReyesCounts counts{};
  uint64_t triangles = 0, vertices = 0;
  // From the first split to the picture in the target; its parts are splits with dicing and shading, stitching with the
  // way into the pipeline's arrays, and the pipeline.
  double frame_ms = 0, split_ms = 0, stitch_ms = 0, sample_ms = 0;
  double budget_ms = 0;
  bool missed = false;  // it took longer than the budget
  ReyesMiss miss = ReyesMiss::no;
  double least_ms = 0;      // with a budget: what the frame without splits was expected to take
  double waited_ms = 0;     // the longest that one thread waited for a processor; where the system tells (Linux)
  double processor_ms = 0;  // what all threads of this program had of the processors
  uint32_t halvings = 0;    // of the upper bound of priorities
  std::string machine, isa;
  uint32_t workers = 0;
};

struct ReyesFrame {
  Layer layer;  // empty without read_back
  ReyesStatistics statistics;
};

class Reyes {
 public:
  // Throws std::invalid_argument for a machine that is not there, std::runtime_error where memory_limit is too small.
  Reyes(PatchScene scene, const ReyesMachine& machine);
  ~Reyes();

  const PatchScene& scene() const;
  // The grids that were drawn last, as the pipeline has got them: their triangles first, in one draw.
  const Frame& frame() const;
  // Draws the scene at a phase 0..1. Throws std::runtime_error for cameras and sizes out of range, and where there is
  // not enough memory or no more is allowed; it can draw again after that.
  ReyesFrame draw(float phase, const ReyesOptions& options, bool read_back = true);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace brokkr
