// The path tracer: a scene on a machine, with the picture computed so far, and that picture's pixels for the screen.
#pragma once

#include <cstdint>
#include <glm/vec3.hpp>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/task_machine.h"
#include "trace/structure.h"
#include "trace/trace_scene.h"

namespace brokkr::trace {

struct TraceOptions {
  StructureKind structure = StructureKind::bvh;
  uint32_t grid = 128;  // cells per side of GrUG's grid
  // Children per BVH node: 8, tested by the lanes of a warp together, or 2, with a ray per lane. 0: 8 for the narrow
  // warps of CPUs, 2 for warps of 32 lanes.
  uint32_t bvh_children = 0;
  uint32_t samples = 64;  // per pixel, on average if sampling is adaptive; rounded up to a multiple of four
  uint32_t seed = 1;
  uint32_t bounces = 8;  // maximum number of surfaces that a path leaves
  bool adaptive = false;
  Metric metric = Metric::gain;
  // Errors of regions in the lowest and in the highest bucket: sums over 64 pixels.
  float low_error = 0, high_error = 1;
  // The part of a neighbouring region's error, 0 .. 1, that counts as a region's own error if its own is smaller.
  float neighbors = 0;
  // Halves the effective high_error whenever the upper half of the buckets has been unused for a while.
  bool decreasing_priorities = false;
  uint32_t workers = 0;  // warps; 0: the machine's default
};

// The picture so far; rows run bottom to top.
struct TracePicture {
  int width = 0, height = 0;
  std::vector<float> rgb;         // linear light, 3 values per pixel: means of the samples; 0 without samples
  std::vector<uint32_t> samples;  // per pixel
};

// The result of a run of the tracer.
struct TraceReport {
  TaskEnd end = TaskEnd::done;
  bool is_complete = false;  // no work is left
  double ms = 0;             // over all runs since the last reset
  // steps: visits of nodes and of GrUG's groups; groups: visits of groups alone.
  uint64_t tasks = 0, segments = 0, shadow_rays = 0, steps = 0, groups = 0, tests = 0;
  uint32_t halvings = 0;  // halvings of the upper bound of errors (TraceOptions::decreasing_priorities)
};

class Tracer {
 public:
  // Throws std::invalid_argument for options out of range, and what the machine throws. The acceleration structure and
  // the picture count within the machine's budget.
  Tracer(std::unique_ptr<TaskMachine> machine, const TraceScene& scene, const TraceOptions& options);
  ~Tracer();

  // Continues until all samples are done, for at most `pause_ms` (negative: without limit). Throws std::runtime_error
  // if the machine fails or aborted.
  TraceReport run(double pause_ms = -1);
  // Ends the current run between two tasks. May be called from any thread.
  void request_pause();
  // Starts again, optionally with another lens.
  void reset();
  void set_lens(const LensRecord& lens);
  // Sets another size and number of samples; keeps acceleration structures. Throws as the constructor does.
  void set_view(int width, int height, const LensRecord& lens, uint32_t samples);

  TracePicture picture() const;
  const Structure& structure() const;
  const TaskMachine& machine() const;
  uint32_t workers() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

enum class Tone : uint8_t {
  clamp,   // values above 1 become white
  filmic,  // c (1 + c / 16) / (1 + c) per channel: 4 becomes white [Reinhard02, eq. 4]
};

// The exposure, in powers of two, that gives the picture's logarithmic mean luminance a middle grey of 0.18
// [Reinhard02, eq. 1 and 2]. Ignores pixels that show nothing but `sky` and pixels without light or samples; 0 if there
// are no others.
float automatic_exposure(const TracePicture& picture, const glm::vec3& sky);

// RGBA8, 0xAABBGGRR, sRGB-encoded, scaled by 2^exposure; rows bottom to top.
std::vector<uint32_t> screen_pixels(const TracePicture& picture, float exposure, Tone tone);

// Samples per pixel as grey levels; the maximum is white.
std::vector<uint32_t> sample_map_pixels(const TracePicture& picture);

}  // namespace brokkr::trace
