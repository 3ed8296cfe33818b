// The measurements of `brokkr batches` for one file. Results are tables of text, for the terminal, CSV and JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/tool.h"
#include "batch/frame_batches.h"
#include "brokkr/frame.h"
#include "brokkr/renderer.h"
#include "lab/experiment.h"

namespace brokkr::lab {

// Counts vertex shader runs with an OpenGL driver, for comparison with the batch models' predictions.

// Indices first .. first + count - 1, drawn by one call.
struct IndexRange {
  uint32_t first = 0, count = 0;
};

// The driver runs in a separate process (brokkr-gl-bench), so this program does not need OpenGL and survives a driver's
// fault.
class DriverCount {
 public:
  // `device`: in the form that EglContext takes ("", "software", a number). Throws std::runtime_error if
  // brokkr-gl-bench or OpenGL is missing, or if the driver cannot count.
  explicit DriverCount(const std::string& device);

  const std::string& renderer() const { return renderer_; }  // GL_RENDERER

  // The vertex shader runs of each range, drawn as a triangle list. Throws std::runtime_error with the driver's
  // message.
  std::vector<uint64_t> runs(std::span<const uint32_t> indices, std::span<const IndexRange> ranges);

 private:
  app::TemporaryFolder folder_;
  app::LineProcess process_;
  std::string renderer_;
};

// A driver that counts vertex shader runs; an empty `count` means no driver.
struct CountingDriver {
  std::string name;  // GL_RENDERER
  // Vertex shader runs per range (DriverCount::runs); empty if the driver failed.
  std::function<std::vector<uint64_t>(std::span<const uint32_t> indices, std::span<const IndexRange> ranges)> count;
};

struct BatchRequest {
  std::vector<BatchModel> models;
  std::vector<ReorderInfo> methods;
  uint32_t max_cache = 64;
  RenderOptions render;  // for the experiment with frames
  uint32_t work = 2000;  // multiply-adds of the longer vertex shader
  int frames = 5;
  CountingDriver driver;
  std::function<void(const std::string&)> progress;
};

// One file's draws, and its name in tables.
struct BatchInput {
  std::string name;
  Frame frame;
  std::vector<DrawTriangles> draws = indexed_triangles(frame);
};

uint64_t distinct_vertices(std::span<const uint32_t> indices);

// The replacement policy of one cache of `size` vertices for the whole index buffer (Fig. 6.2).
enum class CachePolicy : uint8_t { fifo, lru };
uint64_t cache_misses(CachePolicy policy, std::span<const uint32_t> indices, uint32_t size);

// The pipeline's reuse strategy that forms this model's batches; empty if there is none.
std::optional<ReuseMode> reuse_of(const std::string& model);

inline constexpr uint32_t kStepIndices = 2400;  // several steps of the longest batch, which is Intel's with 1791

struct BatchExperiment {
  const char* name;     // name of its table
  const char* option;   // option that requests it; nullptr: always measured
  const char* columns;  // "a,b,c"
  void (*measure)(const BatchInput& input, const BatchRequest& request, Rows& rows);
};

// Column `measured` is the count of the driver named in `driver` for the same indices, with one draw call per draw of
// the file; both are empty without a driver. All other values are predictions. In the order of their tables:
//   asr     Vertex shader runs per triangle by model and method, perfect reuse, and the processor time of ordering
//           [Kerbl18, Tables 6.1 and 6.2]. The post-process of `brokkr optimize` numbers vertices by first use and
//           copies some, for models that forget vertices at multiples of 2^16. `post` names the methods that got it:
//             none  no method: all vertices keep the file's numbers
//             all   every method
//             ours  only the `batch` methods
//           Other models have only `none`, because vertex numbers make no difference to them.
//   steps   Vertex shader runs of the indices 0 1 2 0 1 2 ..., 3 .. kStepIndices of them [Kerbl18, Fig. 6.1]. This
//           does not depend on the file and is measured once.
//   caches  Predictions by global FIFO and LRU caches of 1 .. max_cache vertices, for the orders of all methods, and
//           by the batch model [Kerbl18, Fig. 6.2].
//   sweep   The shading rates of K-Cache and Tipsify on each model, for assumed caches of 3 .. max_cache vertices
//           [Kerbl18, Fig. 6.4].
//   render  Milliseconds per frame and vertex shader runs of the pipeline with each reuse strategy, for the file as it
//           is and reordered for the strategy, with a short vertex shader and one of `work` multiply-adds. Times are
//           minima over `frames` frames.
std::span<const BatchExperiment> batch_experiments();

}  // namespace brokkr::lab
