// The measurements of `brokkr batches` on one file. Results are tables whose rows are text, for the terminal, CSV and
// JSON.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batch/frame_batches.h"
#include "brokkr/frame.h"
#include "brokkr/renderer.h"
#include "lab/driver_count.h"
#include "lab/result_table.h"

namespace brokkr::lab {

// A driver that counts its vertex shader runs; without `count`, none is asked.
struct CountingDriver {
  std::string name;  // GL_RENDERER
  // Per range its runs (DriverCount::runs); nothing where the driver has failed.
  std::function<std::vector<uint64_t>(std::span<const uint32_t> indices, std::span<const IndexRange> ranges)> count;
};

struct BatchRequest {
  std::vector<BatchModel> models;
  std::vector<ReorderInfo> methods;
  uint32_t max_cache = 64;
  RenderOptions render;  // of the experiment with frames
  uint32_t work = 2000;  // multiply-adds of its longer vertex shader
  int frames = 5;
  CountingDriver driver;
  std::function<void(const std::string&)> progress;
};

// One file's draws, and the name that tables give them.
struct BatchInput {
  std::string name;
  Frame frame;
  std::vector<DrawTriangles> draws = indexed_triangles(frame);
};

uint64_t distinct_vertices(std::span<const uint32_t> indices);

// What one cache for the whole index buffer, of `size` vertices, would have to shade (Fig. 6.2).
enum class CachePolicy : uint8_t { fifo, lru };
uint64_t cache_misses(CachePolicy policy, std::span<const uint32_t> indices, uint32_t size);

// The pipeline's strategy that makes the batches of the model of this name; nothing where it has none.
std::optional<ReuseMode> reuse_of(const std::string& model);

inline constexpr uint32_t kStepIndices = 2400;  // some steps of the longest batch, Intel's 1791

struct BatchExperiment {
  const char* name;     // of its table
  const char* option;   // that asks for it; nullptr: it is always measured
  const char* columns;  // "a,b,c"
  void (*measure)(const BatchInput& input, const BatchRequest& request, Rows& rows);
};

// `measured` is what the driver named in `driver` counts for the same indices, one draw call per draw of the file; both
// columns are empty where no driver is asked. All else is predicted. In the order of their tables:
//   asr     Vertex shader runs per triangle by model and method, perfect reuse, and the processor time that ordering
//           took [Kerbl18, Tables 6.1 and 6.2]. `post` says whose order got the post-process of `brokkr optimize`,
//           numbers by first use and copies of vertices, which models that forget at multiples of 2^16 ask for:
//             none  nobody's: all vertices keep the file's numbers
//             all   everybody's
//             ours  that of the `batch` methods alone
//           Models that forget nothing there have `none` alone: numbers make no difference to them.
//   steps   Vertex shader runs of the indices 0 1 2 0 1 2 ..., 3 .. kStepIndices of them [Kerbl18, Fig. 6.1]. The same
//           for every file: measured once.
//   caches  What global FIFO and LRU caches of 1 .. max_cache vertices predict, for the orders of all methods, beside
//           the batch model [Kerbl18, Fig. 6.2].
//   sweep   The shading rates of K-Cache and Tipsify on each model, for assumed caches of 3 .. max_cache vertices
//           [Kerbl18, Fig. 6.4].
//   render  Milliseconds per frame and vertex shader runs of the pipeline with each reuse strategy: on the file as it
//           is and reordered for the strategy, with a short vertex shader and one of `work` multiply-adds. Times are
//           the least of `frames` frames.
std::span<const BatchExperiment> batch_experiments();

}  // namespace brokkr::lab
