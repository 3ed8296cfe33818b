// The path tracer: a scene on a machine, with the picture that it has so far.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/task_machine.h"
#include "trace/structure.h"
#include "trace/trace_scene.h"

namespace brokkr::trace {

struct TraceOptions {
  StructureKind structure = StructureKind::bvh;
  uint32_t grid = 128;  // GrUG's cells a side
  // Of a node of the BVH: 8, whose tests are the lanes of a warp, or 2, where each lane has a ray. 0: 8 for the short
  // warps of CPUs, 2 for warps of 32 lanes.
  uint32_t bvh_children = 0;
  uint32_t samples = 64;  // of each pixel, on average where sampling is adaptive; rounded up to fours
  uint32_t seed = 1;
  uint32_t bounces = 8;  // surfaces that a path leaves at most
  bool adaptive = false;
  Metric metric = Metric::gain;
  // The error of a region that belongs into the lowest and the highest bucket: sums over 64 pixels.
  float low_error = 0, high_error = 1;
  // Halves high_error, as it counts for the buckets, whenever the upper half of them was not in use for a while.
  bool decreasing_priorities = false;
  uint32_t workers = 0;  // warps; 0: as the machine likes it
};

// The picture so far; rows bottom to top.
struct TracePicture {
  int width = 0, height = 0;
  std::vector<float> rgb;         // linear light, 3 values a pixel: means of the samples; 0 where there is none yet
  std::vector<uint32_t> samples;  // of each pixel
};

// What a run of the tracer was.
struct TraceReport {
  TaskEnd end = TaskEnd::done;
  bool is_complete = false;  // nothing is left to do
  double ms = 0;             // of all runs since the last reset
  // steps: visits of nodes and, of GrUG, of groups; groups: the latter alone.
  uint64_t tasks = 0, segments = 0, shadow_rays = 0, steps = 0, groups = 0, tests = 0;
  uint32_t halvings = 0;  // of the upper bound of errors (TraceOptions::decreasing_priorities)
};

class Tracer {
 public:
  // Throws std::invalid_argument for options that are out of range, and what the machine throws. What finds hits and the
  // picture count within the machine's budget.
  Tracer(std::unique_ptr<TaskMachine> machine, const TraceScene& scene, const TraceOptions& options);
  ~Tracer();

  // Goes on until the samples are done, at most for `pause_ms` (negative: to the end). Throws std::runtime_error where
  // the machine fails or had to abort.
  TraceReport run(double pause_ms = -1);
  // From any thread: the run under way ends between two tasks.
  void request_pause();
  // Begins anew, with another lens or not.
  void reset();
  void set_lens(const LensRecord& lens);
  // The same with another size and number of samples; what finds hits stays. Throws as the constructor.
  void set_view(int width, int height, const LensRecord& lens, uint32_t samples);

  TracePicture picture() const;
  const Structure& structure() const;
  const TaskMachine& machine() const;
  uint32_t workers() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace brokkr::trace
