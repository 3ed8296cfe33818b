// How hardware forms vertex batches: limits of a batch, and what it remembers of shaded vertices [Kerbl18, 6.2.3].
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr {

// What decides whether a vertex that a batch has shaded can be used again.
enum class VertexMemory : uint8_t {
  look_back,            // an occurrence at most `memory_size` indices ago
  look_back_modulo_3,   // the same with distances that depend on the corner: NVIDIA under Direct3D
  least_recently_used,  // the last `memory_size` distinct vertices
  first_in_first_out,   // the last `memory_size` shaded ones
  by_number,            // the last one of each remainder of its number by `memory_size`
  everything,           // all of the batch
  nothing,              // every index is shaded
};

struct BatchModel {
  std::string name;
  std::string title;
  uint32_t max_size = 0;     // indices of a batch, at least 3
  uint32_t max_uniques = 0;  // vertex shader runs of a batch, at least 3
  VertexMemory memory = VertexMemory::everything;
  uint32_t memory_size = 0;
  // An index from another block of 2^16 numbers than the one before it makes the batch forget what it shaded ([Kerbl18,
  // 6.2.3]: reuse is lost where a batch crosses a multiple of 2^16).
  bool forgets_at_pages = false;
  // Where it is above 0, a batch also ends at every multiple of `segment` indices.
  uint32_t segment = 0;
};

// nvidia, nvidia-gl, amd, intel, llvmpipe, warp, precomputed, none.
std::span<const BatchModel> batch_models();

// The model as it is where no batch meets a multiple of 2^16: `forgets_at_pages` is false.
BatchModel without_pages(BatchModel model);

// Throws std::invalid_argument that lists the names.
const BatchModel& batch_model(std::string_view name);

}  // namespace brokkr
