#include "batch/pages.h"

#include <algorithm>
#include <numeric>

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
    // Moves the batch to the last block, where copies can be made; existing copies in the block are reused.
    const auto lies_in = [&](uint32_t v, uint32_t page) {
      return page_of(v) == page || (copy[v] != kNoVertex && page_of(copy[v]) == page);
    };
    const auto missing = std::count_if(vertices.begin(), vertices.end(),
                                       [&](uint32_t v) { return !lies_in(v, page_of(source.size())); });
    if (source.size() % kPageVertices + size_t(missing) > kPageVertices) {
      // No room: the rest of the block is filled with unused copies, and the next block starts.
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

}  // namespace brokkr
