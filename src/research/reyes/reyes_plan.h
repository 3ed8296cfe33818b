// Input and output of the micropolygon task program (reyes/reyes_program.h) as plain data. Host code lays it out, and
// every machine runs it.
//
// A piece of a patch is the rectangle u0 .. u0 + kParameterOne >> level_u by v0 .. v0 + kParameterOne >> level_v of its
// parameters. Three words describe it: the patch, the corner (u0 | v0 << 16), and the shape:
//   bits 0..3 level_u, 4..7 level_v, 8..11 and 12..15 the logarithms of the numbers of micropolygons along u and v
#pragma once

#include <cstddef>
#include <cstdint>

namespace brokkr {

// Parameters are integers 0 .. kParameterOne, so equal parameters are equal to the bit. Ten levels of splits and grids
// of 16 x 16 leave two steps for the smallest micropolygon, so its midpoint is an integer too.
inline constexpr uint32_t kParameterOne = 32768, kMaxSplits = 10, kMaxDice = 4;
// Maximum split levels of pieces that reach behind the eye and so have no size on the screen.
inline constexpr uint32_t kMaxBlindSplits = 5;
inline constexpr int kPriorityBuckets = 32;

// The measure of a split's urgency (thesis 5.4.1, Fig. 5.11).
enum class SplitPriority : uint32_t { size, distance, both };
// The quantity that a micropolygon's colour shows.
enum class ReyesLook : uint32_t {
  shaded,  // light and material
  depth,   // number of splits of its piece: brighter means more (Fig. 5.10a)
};

// A diced piece. The task that dices it writes the record; stitching writes its indices.
struct GridRecord {
  uint32_t patch, corner, shape;
  uint32_t first_point;
  uint32_t first_index, indices;
};

struct ReyesCounts {
  uint32_t bounds, culled, splits, grids, points, indices;
  uint32_t stopped;   // pieces that are too large but were diced because of the deadline
  uint32_t crowded;   // pieces that are too large but were diced for lack of room: a full queue, or too many grids
  uint32_t total;     // grids, plus the minimum number of grids still to come
  uint32_t lost;      // not 0: points, indices or the edge table ran out of room, and the result is invalid
  uint32_t stitched;  // grids with more vertices along a side than they were diced with
  uint32_t next;      // first grid that no warp has started to stitch
  uint32_t seeded;    // patches whose first bound task is queued
  uint32_t queued[kPriorityBuckets];  // queued splits by priority_class
  uint64_t split_ns;                  // total time of splits over all workers, if there is a deadline
};

struct ReyesPlan {
  // The scene.
  const float* points = nullptr;        // [patches][16][3], world space
  const uint32_t* edges = nullptr;      // [patches][4], edge_numbers (reyes/patches.h)
  const uint32_t* materials = nullptr;  // [patches]
  const float* palette = nullptr;       // [materials][5]: colour, gloss and scales
  uint32_t patches = 0;

  // The view.
  float clip_x[4] = {}, clip_y[4] = {}, clip_w[4] = {};  // rows of the matrix from world to clip space
  float eye[3] = {}, light[3] = {};                      // the light's direction, of length 1
  float half_width = 0, half_height = 0;                 // pixels
  float fixation_x = 0, fixation_y = 0;                  // pixels from the middle, y up
  float falloff = 1;             // distance from the fixation point in pixels at which a split's priority is halved
  float rate = 1;                // maximum length of a micropolygon's side in pixels
  uint32_t max_dice = kMaxDice;  // a grid has at most 2^max_dice micropolygons along a side
  SplitPriority priority = SplitPriority::both;
  ReyesLook look = ReyesLook::shaded;

  // The limits. Without a limit, every piece is split until it is small enough.
  uint64_t deadline_ns = ~uint64_t(0);  // time since the program began by which the last split must have run
  uint64_t split_ns = 0;                // cost of a split until the first ones have been measured
  uint64_t grid_ns = 0;                 // cost of each grid after the splits
  uint64_t shade_ns = 0;                // additional cost of each future grid before that
  uint32_t task_limit = ~0u;            // maximum number of splits

  // Memory, zeroed before each frame except `vertices`, `colors` and `indices`.
  std::byte* program = nullptr;  // ProgramMemory
  uint32_t queue_capacity = 1024, workers = 1;
  uint32_t* abort = nullptr;
  ReyesCounts* counts = nullptr;
  GridRecord* grids = nullptr;
  uint32_t grid_capacity = 0, point_capacity = 0, index_capacity = 0;
  float *vertices = nullptr, *colors = nullptr;  // [point_capacity][4]
  uint32_t* parameters = nullptr;                // [point_capacity], u | v << 16, for points that stitching adds
  uint32_t* indices = nullptr;                   // [index_capacity], indices into vertices
  uint64_t* edge_keys = nullptr;                 // [edge_capacity], a power of two
  uint32_t* edge_marks = nullptr;                // [edge_capacity]
  uint32_t edge_capacity = 0;

  constexpr bool limited() const { return deadline_ns != ~uint64_t(0) || task_limit != ~0u; }
};

// The builds of the task program: one table per CPU machine (reyes/reyes_kernel.cpp) and one for CUDA
// (reyes/reyes_kernel.cu).

// Offsets and sizes in the task program's memory, in bytes.
struct ReyesProgramMemory {
  size_t bytes = 0;     // total, zeroed before the first frame
  size_t words_at = 0;  // from here to the end, memory is zeroed before every frame
  size_t open_at = 0;   // a word: the number of workers
  // Two 64-bit words: halvings of the upper bound of priorities, and the patience before the next one
  // (DecreasingPriorities).
  size_t halvings_at = 0, patience_at = 0;
};

// Like TaskKernel of a TaskMachine, but without its headers, whose code must not be compiled for a single instruction
// set.
struct ReyesKernel {
  void (*on_cpu)(const ReyesPlan&, int warp) = nullptr;
  const void* on_gpu = nullptr;
};

struct ReyesKernels {
  // `queue_capacity`: a power of two in 4 .. 2^28.
  ReyesProgramMemory (*memory)(uint32_t queue_capacity, uint32_t workers);
  ReyesKernel split, stitch;
};

// The build for a TaskMachine; null if there is none.
const ReyesKernels* find_reyes_kernels(const char* build);
const ReyesKernels& cuda_reyes_kernels();

}  // namespace brokkr
