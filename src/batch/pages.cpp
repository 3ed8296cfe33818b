#include "batch/pages.h"

#include <algorithm>
#include <numeric>

#include "batch/predict.h"

namespace brokkr {
namespace {

constexpr uint32_t kNoVertex = 0xffffffffu;

class Pages {
 public:
  Pages(std::span<const uint32_t> indices, uint32_t vertex_count) : copy_(vertex_count, kNoVertex) {
    result_.indices.assign(indices.begin(), indices.end());
    result_.source.resize(vertex_count);
    std::iota(result_.source.begin(), result_.source.end(), 0u);
  }

  // Indices begin .. end - 1 are a batch.
  void move(size_t begin, size_t end) {
    vertices_.assign(result_.indices.begin() + ptrdiff_t(begin), result_.indices.begin() + ptrdiff_t(end));
    std::sort(vertices_.begin(), vertices_.end());
    vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
    if (page_of(vertices_.front()) == page_of(vertices_.back())) return;
    // The batch moves to the last block, where copies can be made; copies that the block has already are used.
    if (size() % kPageVertices + count_missing() > kPageVertices) {
      // No room: the rest of the block is filled with copies that nobody uses, and the next one begins.
      while (size() % kPageVertices != 0) result_.source.push_back(result_.source.back());
    }
    last_page_ = page_of(size());
    for (size_t i = begin; i < end; ++i) result_.indices[i] = in_last_page(result_.indices[i]);
  }

  VertexNumbering take() { return std::move(result_); }

 private:
  VertexNumbering result_;
  std::vector<uint32_t> copy_;  // per original vertex its latest copy
  std::vector<uint32_t> vertices_;
  uint32_t last_page_ = 0;

  uint32_t size() const { return uint32_t(result_.source.size()); }
  static uint32_t page_of(uint32_t vertex) { return vertex / kPageVertices; }
  bool has_copy_in(uint32_t vertex, uint32_t page) const {
    return copy_[vertex] != kNoVertex && page_of(copy_[vertex]) == page;
  }
  uint32_t count_missing() const {
    uint32_t missing = 0;
    for (const uint32_t v : vertices_) missing += page_of(v) != page_of(size()) && !has_copy_in(v, page_of(size()));
    return missing;
  }
  uint32_t in_last_page(uint32_t vertex) {
    if (page_of(vertex) == last_page_) return vertex;
    if (!has_copy_in(vertex, last_page_)) {
      copy_[vertex] = size();
      result_.source.push_back(vertex);
    }
    return copy_[vertex];
  }
};

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
  Pages pages(indices, vertex_count);
  if (model.forgets_at_pages && vertex_count > kPageVertices) {
    BatchModel unpaged = model;
    unpaged.forgets_at_pages = false;
    const BatchPrediction batches = predict_batches(unpaged, indices);
    for (size_t b = 0; b < batches.batches(); ++b) {
      pages.move(size_t(batches.first_triangle[b]) * 3, size_t(batches.first_triangle[b + 1]) * 3);
    }
  }
  return pages.take();
}

}  // namespace brokkr
