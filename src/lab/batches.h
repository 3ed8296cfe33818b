// The measurements of `brokkr batches` on one file. Results are tables whose rows are text, for the terminal, CSV and
// JSON.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "batch/frame_batches.h"
#include "brokkr/frame.h"
#include "brokkr/renderer.h"
#include "lab/result_table.h"

namespace brokkr::lab {

struct BatchRequest {
  std::vector<BatchModel> models;
  std::vector<ReorderInfo> methods;
  uint32_t max_cache = 64;
  std::function<void(const std::string&)> progress;
};

// One file's draws, and the name that tables give them.
struct BatchInput {
  std::string name;
  Frame frame;
  std::vector<DrawTriangles> draws;
  uint64_t triangles() const;
};
BatchInput batch_input(const std::string& name, Frame frame);

uint64_t distinct_vertices(std::span<const uint32_t> indices);

// What one cache for the whole index buffer, of `size` vertices, would have to shade (Fig. 6.2).
uint64_t fifo_cache_misses(std::span<const uint32_t> indices, uint32_t size);
uint64_t lru_cache_misses(std::span<const uint32_t> indices, uint32_t size);

ResultTable empty_asr_table();
ResultTable empty_cache_table();
ResultTable empty_sweep_table();
ResultTable empty_render_table();

// Vertex shader runs per triangle by model and method, perfect reuse, and the processor time that ordering took
// [Kerbl18, Tables 6.1 and 6.2]. Vertices keep the file's numbers; only the `batch` methods, whose last step is the
// post-process, may copy vertices and number them anew.
void measure_asr(const BatchInput& input, const BatchRequest& request, ResultTable& table);

// What global FIFO and LRU caches of 1 .. max_cache vertices predict, for the orders of all methods, beside the batch
// model [Kerbl18, Fig. 6.2].
void measure_caches(const BatchInput& input, const BatchRequest& request, ResultTable& table);

// The shading rates of K-Cache and Tipsify on each model, for assumed caches of 3 .. max_cache vertices [Kerbl18, Fig.
// 6.4].
void measure_sweep(const BatchInput& input, const BatchRequest& request, ResultTable& table);

// Milliseconds per frame and vertex shader runs of the pipeline with each reuse strategy: on the file as it is and
// reordered for the strategy, with a short vertex shader and one of `work` multiply-adds. Times are the least of
// `frames` frames.
void measure_render(const BatchInput& input, const BatchRequest& request, const RenderOptions& options, uint32_t work,
                    int frames, ResultTable& table);

}  // namespace brokkr::lab
