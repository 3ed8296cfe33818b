// All methods of ordering an index buffer for vertex reuse, for `brokkr optimize` and `brokkr batches`.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batch/predict.h"

namespace brokkr {

// Local optimization of a triangle order ([Hoppe99], "local optimization"). It tries changes one after another, and
// keeps those that lower the cost.

// Called occasionally with the progress of a slow ordering, as in "pass 2, 40 %".
using OrderProgress = std::function<void(const std::string&)>;

// For each position in turn, takes the triangle there and one that shares an edge with it, and moves the second next to
// the first in one of three ways: the stretch between both is reflected; the triangle is inserted; or it is inserted
// together with its neighbour. Keeps the best way if it saves vertex shader runs. Makes at most 8 passes, until one
// gains less than 0.1 %. The result never costs more than `order`, which must hold each triangle of `indices` once.
//
// Minimizes the runs of a FIFO cache of `cache_size` vertices, which is never emptied.
std::vector<uint32_t> improve_cache_order(std::span<const uint32_t> indices, std::vector<uint32_t> order,
                                          uint32_t cache_size, const OrderProgress& progress = {});
// Minimizes the runs of the model's batches. If batches end at fixed places (BatchModel::segment) or remember nothing,
// the order is unchanged.
std::vector<uint32_t> improve_batch_order(const BatchModel& model, std::span<const uint32_t> indices,
                                          std::vector<uint32_t> order, const OrderProgress& progress = {});

enum class ReorderMethod : uint8_t {
  original,
  hoppe,
  hoppe_local,
  k_cache,
  tipsify,
  forsyth,
  batch,  // this method and the following ones are our own
  batch_fast,
  batch_local
};

struct ReorderInfo {
  ReorderMethod method;
  const char* name;
  const char* title;
  // The best sizes that `brokkr batches --sweep` found (docs/research/batches.md); 0: the method has no cache size.
  // `cache_size` is for NVIDIA and all others.
  uint32_t cache_size, amd_cache_size, intel_cache_size;
};
std::span<const ReorderInfo> reorder_methods();
// Finds a method by name. Throws std::invalid_argument; the message lists the names.
const ReorderInfo& reorder_method(std::string_view name);

// The best cache size of a method for a model (chosen as in [Kerbl18, 6.4]); 0 if the method has none.
uint32_t preferred_cache_size(ReorderMethod method, const BatchModel& model);

// Returns each triangle of `indices` once, with its winding, in the order that `method` finds for `model`.
// `cache_size`: 0 for the preferred one, otherwise 3 .. 1024. Long methods call `progress`. Throws
// std::invalid_argument if the length is not a multiple of 3 or the cache size is out of range.
std::vector<uint32_t> reorder(ReorderMethod method, const BatchModel& model, std::span<const uint32_t> indices,
                              uint32_t cache_size = 0, const OrderProgress& progress = {});

// These functions order triangles by our implementations of the methods.
//
// [Lin06]: draws all remaining triangles of one focus vertex after another. The next focus vertex is in the cache. The
// choice depends on the number of vertices that its triangles would push into the cache, the number of triangles that
// it would finish, and how soon it would leave the cache.
std::vector<uint32_t> k_cache_order(std::span<const uint32_t> indices, uint32_t cache_size);
// [Hoppe99]: greedy strips. A strip ends if a simulation predicts fewer misses for a new strip at its side.
std::vector<uint32_t> hoppe_order(std::span<const uint32_t> indices, uint32_t cache_size);

// [Kerbl18, Alg. 3]: minimizes vertex shader runs of a batch model. Batches grow from an origin by the triangle of
// highest priority [Kerbl18, Eq. 6.1]
//   p = k_r R + k_v V + k_d D + k_n N
// R: corners that the batch would find in memory. V: remaining triangles around the corners. D: sum of the distances to
// the batch's triangles over shared edges. N: 1 next to completed batches.
struct BatchWeights {
  int reuse = 1024, valence = -4, distance = -1, neighborhood = -1;  // [Kerbl18, Eq. 6.2]
  // Distances are searched up to `radius` edges, >= 0; a farther triangle counts as radius + 1.
  int radius = 6;
};

// The weights of [Kerbl18, Eq. 6.2], and weights without D, with k_v = k_n = -3.
inline constexpr BatchWeights kFullWeights{};
inline constexpr BatchWeights kFastWeights{1024, -3, 0, -3, 0};

// Returns the order in which to take the triangles of `indices`, each once. It is computed for the vertices' current
// numbers; if they will change (keep_pages_apart), pass a model without the 16-bit rule (without_pages). Throws
// std::invalid_argument like predict_batches, for weights.valence > 0 or weights.neighborhood > 0 (costs would have no
// lower bound), and for a negative radius.
std::vector<uint32_t> batch_order(const BatchModel& model, std::span<const uint32_t> indices,
                                  const BatchWeights& weights = kFullWeights);

// Keeps each batch's vertices within one block of 2^16 numbers ([Kerbl18, 6.3], NVIDIA post-process).

inline constexpr uint32_t kPageVertices = 65536;

// A renumbering of vertices: vertex n of the new buffer is vertex source[n] of the old buffer.
struct VertexNumbering {
  std::vector<uint32_t> indices;
  std::vector<uint32_t> source;
};

// Numbers vertices in the order of first use, and omits vertices without an index. Neighbours in the index buffer
// become neighbours in memory, and few batches cross a multiple of 2^16.
VertexNumbering number_by_first_use(std::span<const uint32_t> indices);

// For a model that forgets at multiples of 2^16. If a batch's vertices lie in several blocks, the vertices outside the
// buffer's last block are copied to the buffer's end. If these copies start a new block, all of the batch's vertices
// are copied. Later batches reuse copies in the last block. For other models, indices are unchanged. `vertex_count` is
// the size of the buffer, at least one more than the largest index.
VertexNumbering keep_pages_apart(const BatchModel& model, std::span<const uint32_t> indices, uint32_t vertex_count);

}  // namespace brokkr
