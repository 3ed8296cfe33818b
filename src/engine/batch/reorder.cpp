#include "batch/reorder.h"

#include <fmt/core.h>
#include <meshoptimizer.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "batch/predict.h"

namespace brokkr {
namespace {

constexpr uint32_t kNoVertex = 0xffffffffu;

uint32_t page_of(size_t vertex) { return uint32_t(vertex / kPageVertices); }

}  // namespace

VertexNumbering number_by_first_use(std::span<const uint32_t> indices) {
  VertexNumbering result;
  std::vector<uint32_t> number(vertex_bound(indices), kNoVertex);
  result.indices.reserve(indices.size());
  for (const uint32_t v : indices) {
    if (number[v] == kNoVertex) {
      number[v] = uint32_t(result.source.size());
      result.source.push_back(v);
    }
    result.indices.push_back(number[v]);
  }
  return result;
}

VertexNumbering keep_pages_apart(const BatchModel& model, std::span<const uint32_t> indices, uint32_t vertex_count) {
  VertexNumbering result{{indices.begin(), indices.end()}, std::vector<uint32_t>(vertex_count)};
  std::vector<uint32_t>&moved = result.indices, &source = result.source;
  std::iota(source.begin(), source.end(), 0u);
  if (!model.forgets_at_pages || vertex_count <= kPageVertices) return result;
  BatchModel unpaged = model;
  unpaged.forgets_at_pages = false;
  const BatchPrediction batches = predict_batches(unpaged, indices);
  std::vector<uint32_t> copy(vertex_count, kNoVertex);  // latest copy of each original vertex
  std::vector<uint32_t> vertices;                       // vertices of a batch
  for (size_t b = 0; b < batches.batches(); ++b) {
    const size_t begin = size_t(batches.first_triangle[b]) * 3, end = size_t(batches.first_triangle[b + 1]) * 3;
    vertices.assign(indices.begin() + ptrdiff_t(begin), indices.begin() + ptrdiff_t(end));
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    if (page_of(vertices.front()) == page_of(vertices.back())) continue;
    // Moves the batch to the last block, where copies can be made. Existing copies in the block are reused.
    const auto lies_in = [&](uint32_t v, uint32_t page) {
      return page_of(v) == page || (copy[v] != kNoVertex && page_of(copy[v]) == page);
    };
    const auto missing = std::count_if(vertices.begin(), vertices.end(),
                                       [&](uint32_t v) { return !lies_in(v, page_of(source.size())); });
    if (source.size() % kPageVertices + size_t(missing) > kPageVertices) {
      // There is no room: fills the rest of the block with unused copies, and starts the next block.
      while (source.size() % kPageVertices != 0) source.push_back(source.back());
    }
    const uint32_t last_page = page_of(source.size());
    for (size_t i = begin; i < end; ++i) {
      const uint32_t v = moved[i];
      if (!lies_in(v, last_page)) {
        copy[v] = uint32_t(source.size());
        source.push_back(v);
      }
      if (page_of(v) != last_page) moved[i] = copy[v];
    }
  }
  return result;
}

namespace {

// In the order of ReorderMethod.
constexpr ReorderInfo kMethods[] = {
    {ReorderMethod::original, "original", "as it came", 0, 0, 0},
    {ReorderMethod::hoppe, "hoppe", "strips with look-ahead (Hoppe 1999)", 7, 7, 16},
    {ReorderMethod::hoppe_local, "hoppe-local", "the same with local optimization (Hoppe 1999)", 7, 7, 16},
    {ReorderMethod::k_cache, "k-cache", "focus vertices (Lin and Yu 2006)", 8, 9, 17},
    {ReorderMethod::tipsify, "tipsify", "Tipsify (Sander, Nehab, Barczak 2007), by meshoptimizer", 14, 14, 32},
    {ReorderMethod::forsyth, "forsyth", "vertex scores (Forsyth 2006), by meshoptimizer", 0, 0, 0},
    {ReorderMethod::batch, "batch", "batch-based (Kerbl 2018, Algorithm 3)", 0, 0, 0},
    {ReorderMethod::batch_fast, "batch-fast", "batch-based without face distances", 0, 0, 0},
    {ReorderMethod::batch_local, "batch-local", "the better of batch and forsyth, each with local optimization", 0, 0,
     0},
};

std::vector<uint32_t> forsyth_order(std::span<const uint32_t> indices) {
  std::vector<uint32_t> result(indices.size());
  meshopt_optimizeVertexCache(result.data(), indices.data(), indices.size(), vertex_bound(indices));
  return result;
}

// Returns the triangles of `indices` in the order `order`.
std::vector<uint32_t> in_order(std::span<const uint32_t> indices, const std::vector<uint32_t>& order) {
  std::vector<uint32_t> result;
  result.reserve(indices.size());
  for (const uint32_t t : order) {
    for (size_t i = 0; i < 3; ++i) result.push_back(indices[size_t(t) * 3 + i]);
  }
  return result;
}

// Local optimization gives different results for different initial orders, and none of these is best on every mesh.
std::vector<uint32_t> best_local_order(const BatchModel& model, std::span<const uint32_t> indices,
                                       const OrderProgress& progress) {
  std::vector<uint32_t> best;
  uint64_t least = 0;
  for (const ReorderMethod start : {ReorderMethod::batch, ReorderMethod::forsyth}) {
    const std::vector<uint32_t> begin = reorder(start, model, indices);
    std::vector<uint32_t> as_it_is(begin.size() / 3);
    std::iota(as_it_is.begin(), as_it_is.end(), 0u);
    std::vector<uint32_t> improved = in_order(begin, improve_batch_order(model, begin, as_it_is, progress));
    const uint64_t runs = predict_batches(model, improved).vertex_runs;
    if (!best.empty() && runs >= least) continue;
    best = std::move(improved);
    least = runs;
  }
  return best;
}

}  // namespace

std::span<const ReorderInfo> reorder_methods() { return kMethods; }

const ReorderInfo& reorder_method(std::string_view name) {
  const auto* found = std::find_if(std::begin(kMethods), std::end(kMethods),
                                   [&](const ReorderInfo& info) { return name == info.name; });
  if (found != std::end(kMethods)) return *found;
  std::string names;
  for (const ReorderInfo& info : kMethods) names += (names.empty() ? "" : ", ") + std::string(info.name);
  throw std::invalid_argument("there is no method '" + std::string(name) + "'; use one of " + names);
}

uint32_t preferred_cache_size(ReorderMethod method, const BatchModel& model) {
  const ReorderInfo& info = kMethods[size_t(method)];
  if (model.name == "intel") return info.intel_cache_size;
  return model.name == "amd" ? info.amd_cache_size : info.cache_size;
}

std::vector<uint32_t> reorder(ReorderMethod method, const BatchModel& model, std::span<const uint32_t> indices,
                              uint32_t cache_size, const OrderProgress& progress) {
  require_triangles("reorder", indices);
  if (cache_size != 0 && (cache_size < 3 || cache_size > 1024)) {
    throw std::invalid_argument(fmt::format("reorder: a cache of {} vertices is not in 3 .. 1024", cache_size));
  }
  if (indices.empty()) return {};
  if (cache_size == 0) cache_size = preferred_cache_size(method, model);
  switch (method) {
    case ReorderMethod::hoppe: return in_order(indices, hoppe_order(indices, cache_size));
    case ReorderMethod::hoppe_local:
      return in_order(indices, improve_cache_order(indices, hoppe_order(indices, cache_size), cache_size, progress));
    case ReorderMethod::k_cache: return in_order(indices, k_cache_order(indices, cache_size));
    case ReorderMethod::batch: return in_order(indices, batch_order(model, indices, kFullWeights));
    case ReorderMethod::batch_fast: return in_order(indices, batch_order(model, indices, kFastWeights));
    case ReorderMethod::batch_local: return best_local_order(model, indices, progress);
    case ReorderMethod::tipsify: {
      std::vector<uint32_t> result(indices.size());
      meshopt_optimizeVertexCacheFifo(result.data(), indices.data(), indices.size(), vertex_bound(indices), cache_size);
      return result;
    }
    case ReorderMethod::forsyth: return forsyth_order(indices);
    case ReorderMethod::original: break;
  }
  return {indices.begin(), indices.end()};
}

}  // namespace brokkr
