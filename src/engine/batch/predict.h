// Predicts how a model cuts an index buffer into batches, and how often the vertex shader runs [Kerbl18, Alg. 2].
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/triangle_graph.h"

namespace brokkr {

// Models of how hardware forms vertex batches: the limits of a batch, and the shaded vertices that it remembers
// [Kerbl18, 6.2.3].

// The rule by which a vertex that a batch has shaded can be reused.
enum class VertexMemory : uint8_t {
  look_back,            // it occurred at most `memory_size` indices ago
  look_back_modulo_3,   // the same with distances that depend on the corner: NVIDIA under Direct3D
  least_recently_used,  // the last `memory_size` distinct vertices
  first_in_first_out,   // the last `memory_size` shaded vertices
  forgets_newest,       // the same, but the vertex shaded last is forgotten at index 66 of a batch, and every 71 later
  by_number,            // the last vertex of each vertex number modulo `memory_size`
  everything,           // all vertices of the batch
  nothing,              // every index is shaded
};

struct BatchModel {
  std::string name;
  std::string title;
  uint32_t max_size = 0;     // indices per batch, at least 3
  uint32_t max_uniques = 0;  // vertex shader runs per batch, at least 3
  VertexMemory memory = VertexMemory::everything;
  uint32_t memory_size = 0;
  // If an index lies in another block of 2^16 numbers than the previous index, the batch forgets its shaded vertices
  // ([Kerbl18, 6.2.3]: reuse is lost if a batch crosses a multiple of 2^16).
  bool forgets_at_pages = false;
  // If above 0, a batch also ends at every multiple of `segment` indices.
  uint32_t segment = 0;
  // If above 0, the limit of indices with few vertex shader runs, kFew or less: it grows evenly to `max_size` with
  // `max_uniques`.
  uint32_t size_of_few = 0;
  static constexpr uint32_t kFew = 6;  // three vertices have five within 208 indices, and would have a sixth at 209

  // Returns true if a batch may have so many indices and vertex shader runs.
  bool fits(uint32_t size, uint32_t uniques) const {
    if (size > max_size || uniques > max_uniques) return false;
    if (size_of_few == 0 || uniques <= kFew) return size_of_few == 0 || size <= size_of_few;
    return size <= size_of_few + uint64_t(uniques - kFew) * (max_size - size_of_few) / (max_uniques - kFew);
  }
};

// nvidia, nvidia-gl, amd, intel, intel-steps, llvmpipe, warp, precomputed, block, none.
std::span<const BatchModel> batch_models();

// The model with `forgets_at_pages` false, for batches that never cross a multiple of 2^16.
BatchModel without_pages(BatchModel model);

// Finds a model by name. Throws std::invalid_argument; the message lists the names.
const BatchModel& batch_model(std::string_view name);

struct BatchPrediction {
  // The first triangle of each batch. The last entry is the number of triangles.
  std::vector<uint32_t> first_triangle;
  uint64_t vertex_runs = 0;  // over all batches
  // For each index, the vertex shader run whose result it uses: 0 .. runs - 1 of its batch.
  std::vector<uint16_t> run_of_index;

  size_t batches() const { return first_triangle.empty() ? 0 : first_triangle.size() - 1; }
};

// Called occasionally during long work; may throw to end it.
using Watch = std::function<void()>;

// `indices` is a triangle list. If `keep_runs` is false, run_of_index is empty. Throws std::invalid_argument if the
// length is not a multiple of 3 or limits are below 3. Passes on what `watch` throws.
BatchPrediction predict_batches(const BatchModel& model, std::span<const uint32_t> indices, bool keep_runs = false,
                                const Watch& watch = {});

// Throws std::invalid_argument if the length is not a multiple of 3; the message names `function`.
void require_triangles(const char* function, std::span<const uint32_t> indices);

}  // namespace brokkr
