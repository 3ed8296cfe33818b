// Foveated micropolygons [Kerbl18, 5.4.1]. Bicubic patches are split in order of urgency and diced into grids until a
// frame's time is used up; the pipeline draws the grids.
//
//   Reyes reyes(load_patches("teapot"), {});
//   ReyesFrame frame = reyes.draw(0, {.budget_ms = 50, .fixation = {{400, 300}}});
//
// Full quality, the result without a limit, is the same picture to the bit on every machine and with any number of
// workers: the decision to dice a piece depends on the piece alone, and grids are drawn in the order of their positions
// on the patches.
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
  std::string machine = "auto", isa;  // as in make_task_machine
  uint32_t workers = 0;               // for splits and for the pipeline; 0: as many as the machine can run
  int memory_limit = 0;               // MiB for everything together, as in LoadOptions
  uint32_t pictures = 1;              // number of pictures of a frame's size that the caller keeps
};

struct ReyesOptions {
  int width = 1920, height = 1080;  // pixels
  double budget_ms = 0;             // per frame; 0: full quality
  std::optional<uint32_t> tasks;    // maximum number of splits: a limit that does not depend on the clock
  std::optional<Point> fixation;    // pixels from the lower left corner; default: the centre
  SplitPriority priority = SplitPriority::both;
  // Lowers the upper bound of priorities while the upper buckets stay empty (schedule/policies.h).
  bool decreasing_priorities = false;
  ReyesLook look = ReyesLook::shaded;
  float rate = 1;  // maximum length of a micropolygon's side in pixels: 0.25 .. 64
  // Maximum number of micropolygons along a grid's side: 1, 2, 4, 8 or 16. 0 means 16; with a number of tasks 8, so
  // that unsplit pieces are coarse; with a budget, as many as it allows.
  uint32_t grid = 0;
  bool grid_lines = false;  // draw the sides of all grids on top
  std::string camera;       // in the form of LoadOptions; overrides the scene's own
  float turned = 0;         // degrees by which the camera has orbited its target
};

// The reason why a frame took longer than its budget.
enum class ReyesMiss : uint8_t {
  no,          // it was not late
  processors,  // its threads waited for processors that other programs used; otherwise it would not have been late
  least,       // according to earlier frames, even a frame without splits would be late
  estimate,    // its stages took longer than in earlier frames
};

struct ReyesStatistics {
  ReyesCounts counts{};
  uint64_t triangles = 0, vertices = 0;
  // frame_ms: from the first split to the finished picture in the target. Its parts are: splits with dicing and
  // shading; stitching and conversion to the pipeline's arrays; and the pipeline.
  double frame_ms = 0, split_ms = 0, stitch_ms = 0, sample_ms = 0;
  double budget_ms = 0;
  bool missed = false;  // it took longer than the budget
  ReyesMiss miss = ReyesMiss::no;
  double least_ms = 0;      // with a budget: expected time of the frame without splits
  double waited_ms = 0;     // the longest time that one thread waited for a processor, if the system reports it (Linux)
  double processor_ms = 0;  // processor time of all threads of this program
  uint32_t halvings = 0;    // halvings of the upper bound of priorities
  std::string machine, isa;
  uint32_t workers = 0;
};

struct ReyesFrame {
  Layer layer;  // empty without read_back
  ReyesStatistics statistics;
};

class Reyes {
 public:
  // Throws std::invalid_argument if the machine is not available, and std::runtime_error if memory_limit is too small.
  Reyes(PatchScene scene, const ReyesMachine& machine);
  ~Reyes();

  const PatchScene& scene() const;
  // The grids of the last frame as the pipeline receives them: their triangles come first, in one draw.
  const Frame& frame() const;
  // Draws the scene at a phase in 0..1. Throws std::runtime_error if the camera or the size is out of range, or if
  // memory or the memory limit is not enough; the object can draw again afterwards.
  ReyesFrame draw(float phase, const ReyesOptions& options, bool read_back = true);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace brokkr
