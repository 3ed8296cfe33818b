// The measurements of `brokkr batches` for one file. Results are tables of text, for the terminal, CSV and JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
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

// The runs of the vertex shader in one draw of a triangle list [Kerbl18, 6.2.2].
struct RecordedRuns {
  std::vector<uint32_t> run_of_index;  // per index: the run whose result it uses, 0 .. by first use
  std::vector<uint32_t> wave_of_run;   // per run: its wave, 0 .. by first use; empty where the driver does not tell
};

// The driver runs in a separate process (brokkr-gl-bench), so this program does not need OpenGL and survives a driver's
// fault.
class DriverCount {
 public:
  // `device`: in the form that EglContext takes ("", "software", a number). Throws std::runtime_error if
  // brokkr-gl-bench or OpenGL is missing, or if the driver cannot count.
  explicit DriverCount(const std::string& device);

  const std::string& renderer() const { return renderer_; }  // GL_RENDERER

  // The vertex shader runs of each range, drawn as a triangle list with a vertex shader that passes on `attributes`
  // components beside its position, 0 .. 124. Throws std::runtime_error with the driver's message.
  std::vector<uint64_t> runs(std::span<const uint32_t> indices, std::span<const IndexRange> ranges,
                             uint32_t attributes = 0);

  // Records the run that each index of a draw used, and the wave of the run. Throws std::runtime_error with the
  // driver's message.
  RecordedRuns record(std::span<const uint32_t> indices);

 private:
  nlohmann::json ask(const char* what, std::span<const uint32_t> indices, nlohmann::json request);

  app::TemporaryFolder folder_;
  app::LineProcess process_;
  std::string renderer_;
};

// A driver that counts vertex shader runs; an empty `count` means no driver.
struct CountingDriver {
  std::string name;  // GL_RENDERER
  // Vertex shader runs per range (DriverCount::runs); empty if the driver failed.
  std::function<std::vector<uint64_t>(std::span<const uint32_t> indices, std::span<const IndexRange> ranges,
                                      uint32_t attributes)>
      count;
  std::function<RecordedRuns(std::span<const uint32_t> indices)> record;  // empty if the driver failed
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

// The predicted runs of a model, numbered over all its batches as a driver's are.
RecordedRuns predicted_runs(const BatchModel& model, std::span<const uint32_t> indices);

// Cuts a triangle list wherever no run is used on both sides. Returns the first triangle of each part, and then the
// number of triangles. Batches share no run, so a batch is one part or several. It is several parts only if its
// triangles share no vertex, or if the batch forgot the vertices that they share.
std::vector<uint32_t> independent_parts(std::span<const uint32_t> run_of_index);

// Counts the indices whose runs differ from the prediction: two indices share a run in only one of the two numberings.
// Both spans have one entry per index.
uint64_t other_runs(std::span<const uint32_t> predicted, std::span<const uint32_t> recorded);

uint64_t distinct_vertices(std::span<const uint32_t> indices);

// The replacement policy of one cache of `size` vertices for the whole index buffer (Fig. 6.2).
enum class CachePolicy : uint8_t { fifo, lru };
uint64_t cache_misses(CachePolicy policy, std::span<const uint32_t> indices, uint32_t size);

// The pipeline's reuse strategy that forms this model's batches; empty if there is none.
std::optional<ReuseMode> reuse_of(const std::string& model);

inline constexpr uint32_t kStepIndices = 2400;  // several steps of the longest batch, Intel's 1791
inline constexpr uint32_t kStepAttributes[] = {0, 1, 4, 16, 60, 124};

struct BatchExperiment {
  const char* name;     // name of its table
  const char* option;   // option that requests it; nullptr: always measured
  const char* columns;  // "a,b,c"
  void (*measure)(const BatchInput& input, const BatchRequest& request, Rows& rows);
};

// Column `measured` is the count of the driver named in `driver` for the same indices, with one draw call per draw of
// the file; both are empty without a driver. All other values are predictions. In the order of their tables:
//   asr     Vertex shader runs per triangle by model and method, perfect reuse, and the processor time that ordering
//           took [Kerbl18, Tables 6.1 and 6.2]. `post` names the methods whose order got the post-process of
//           `brokkr optimize`: it numbers vertices by first use and copies some, for models that forget vertices at
//           multiples of 2^16.
//             none  no method: all vertices keep the file's numbers
//             all   all methods
//             ours  only the `batch` methods
//           Other models have only `none`, because numbers make no difference to them.
//   steps   Vertex shader runs of the indices 0 1 2 0 1 2 ..., 3 .. kStepIndices of them [Kerbl18, Fig. 6.1]. The same
//           for every file: measured once. A driver counts them with vertex shaders that pass on kStepAttributes
//           components.
//   runs    Compares the driver's cuts of draws with the predicted batches [Kerbl18, 6.2.2, Fig. 6.3]: batches of the
//           model, independent_parts of its runs and of the recorded runs, cuts that both have, other_runs, and the
//           driver's waves (0: it does not report them).
//   caches  The predictions of global FIFO and LRU caches of 1 .. max_cache vertices for the orders of all methods,
//           beside those of the batch model [Kerbl18, Fig. 6.2].
//   sweep   The shading rates of K-Cache and Tipsify on each model, for assumed caches of 3 .. max_cache vertices
//           [Kerbl18, Fig. 6.4].
//   render  Milliseconds per frame and vertex shader runs of the pipeline with each reuse strategy, for the file as it
//           is and reordered for the strategy, with a short vertex shader and one of `work` multiply-adds. Times are
//           minima over `frames` frames.
std::span<const BatchExperiment> batch_experiments();

}  // namespace brokkr::lab
