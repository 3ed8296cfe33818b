// Predicts how a model cuts an index buffer into batches, and how often the vertex shader runs [Kerbl18, Alg. 2].
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "batch/batch_model.h"
#include "formats/triangle_graph.h"

namespace brokkr {

struct BatchPrediction {
  // The first triangle of each batch; the last entry is the number of triangles.
  std::vector<uint32_t> first_triangle;
  uint64_t vertex_runs = 0;  // over all batches
  // Per index: the vertex shader run, 0 .. runs - 1 of its batch, whose result it uses.
  std::vector<uint16_t> run_of_index;

  size_t batches() const { return first_triangle.empty() ? 0 : first_triangle.size() - 1; }
};

// Called occasionally during long work; may throw to end it.
using Watch = std::function<void()>;

// `indices` is a triangle list. With `keep_runs` false, run_of_index stays empty. Throws std::invalid_argument if the
// length is not a multiple of 3 or limits are below 3, and what `watch` throws.
BatchPrediction predict_batches(const BatchModel& model, std::span<const uint32_t> indices, bool keep_runs = false,
                                const Watch& watch = {});

// Throws std::invalid_argument that names `function` if the length is not a multiple of 3.
void require_triangles(const char* function, std::span<const uint32_t> indices);

}  // namespace brokkr
