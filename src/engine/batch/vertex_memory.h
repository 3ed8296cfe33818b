// Memory modules of the batch predictor ([Kerbl18, Alg. 2], "MemoryModule"). They decide which vertices of a batch can
// be reused without shading them again.
//
// All modules have one interface, which predictor and optimizer use:
//   bool has(vertex, at) const   whether an index at position `at` of the batch finds `vertex`
//   void use(vertex, at)         the index at `at` is `vertex`, found or just shaded; `at` only grows
//   void reset()                 a new batch, nothing is available
// `at` counts from the batch's first index. Vertex numbers are less than the constructor's `vertices`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "batch/predict.h"

namespace brokkr {

// One value per vertex that lasts for one batch; all values can be forgotten at once.
template <class T>
class PerBatch {
 public:
  explicit PerBatch(size_t vertices) : values_(vertices), stamp_(vertices, 0) {}
  size_t size() const { return values_.size(); }
  bool has(uint32_t vertex) const { return stamp_[vertex] == now_; }
  const T& get(uint32_t vertex) const { return values_[vertex]; }
  // Returns the vertex's value; a default value if the batch had none.
  T& operator[](uint32_t vertex) {
    if (!has(vertex)) {
      stamp_[vertex] = now_;
      values_[vertex] = T{};
    }
    return values_[vertex];
  }
  void reset() { ++now_; }

 private:
  std::vector<T> values_;
  std::vector<uint64_t> stamp_;
  uint64_t now_ = 1;
};

// Positions in a batch as bits. Batches that look back have at most 96 positions.
struct PositionBits {
  uint64_t low = 0, high = 0;
  void set(uint32_t at) { (at < 64 ? low : high) |= uint64_t(1) << (at & 63); }
  bool meets(const PositionBits& o) const { return ((low & o.low) | (high & o.high)) != 0; }
};

// Every index is remembered over some distance, whether it was shaded or found. [Kerbl18, 6.2.3]: between positions i <
// j of one vertex, d = j - i, reuse takes place iff d <= 42 (OpenGL), or (Direct3D) iff
//   d <= 44 where i = 0 (mod 3), d <= 40 or d = 42 where i = 1, d <= 42 but not 40 where i = 2.
class LookBackMemory {
 public:
  static constexpr uint32_t kMaxPositions = 128;

  LookBackMemory(size_t vertices, uint32_t distance, bool modulo_3) : positions_(vertices) {
    for (uint32_t j = 0; j < kMaxPositions; ++j) {
      for (uint32_t i = 0; i < j; ++i) {
        if (reaches(i, j - i, distance, modulo_3)) found_from_[j].set(i);
      }
    }
  }
  bool has(uint32_t vertex, uint32_t at) const {
    return positions_.has(vertex) && positions_.get(vertex).meets(found_from_[at]);
  }
  void use(uint32_t vertex, uint32_t at) { positions_[vertex].set(at); }
  void reset() { positions_.reset(); }

 private:
  static bool reaches(uint32_t from, uint32_t d, uint32_t distance, bool modulo_3) {
    if (!modulo_3) return d <= distance;
    switch (from % 3) {
      case 0: return d <= distance + 2;
      case 1: return d <= distance - 2 || d == distance;
      default: return d <= distance && d != distance - 2;
    }
  }
  PerBatch<PositionBits> positions_;
  std::array<PositionBits, kMaxPositions> found_from_{};  // per position: the positions at which a vertex is found
};

// Remembers the last `size` distinct vertices that were used.
class LruMemory {
 public:
  LruMemory(size_t, uint32_t size) : size_(size) { order_.reserve(size + 1); }
  bool has(uint32_t vertex, uint32_t) const { return std::find(order_.begin(), order_.end(), vertex) != order_.end(); }
  void use(uint32_t vertex, uint32_t) {
    const auto found = std::find(order_.begin(), order_.end(), vertex);
    if (found != order_.end()) {
      order_.erase(found);
    } else if (order_.size() == size_) {
      order_.erase(order_.begin());
    }
    order_.push_back(vertex);
  }
  void reset() { order_.clear(); }

 private:
  uint32_t size_;
  std::vector<uint32_t> order_;  // oldest first
};

// Remembers the last `size` vertices that were shaded. If a vertex is reused, it does not become younger.
class FifoMemory {
 public:
  FifoMemory(size_t vertices, uint32_t size) : size_(size), number_(vertices) {}
  bool has(uint32_t vertex, uint32_t) const { return number_.has(vertex) && shaded_ - number_.get(vertex) <= size_; }
  void use(uint32_t vertex, uint32_t at) {
    if (!has(vertex, at)) number_[vertex] = shaded_++;
  }
  void forget(uint32_t vertex) { number_[vertex] = shaded_ - size_ - 1; }
  void reset() {
    number_.reset();
    shaded_ = 0;
  }

 private:
  uint32_t size_, shaded_ = 0;
  PerBatch<uint32_t> number_;
};

// FIFO that forgets the vertex that was shaded last at index 66 of a batch, and again every 71 indices: the steps of
// [Kerbl18, Fig. 6.1d], at 66 and 208 with two of three vertices reused between them.
class NewestForgottenMemory {
 public:
  NewestForgottenMemory(size_t vertices, uint32_t size) : memory_(vertices, size) {}
  bool has(uint32_t vertex, uint32_t at) const {
    return memory_.has(vertex, at) && (vertex != newest_ || steps(at) == seen_);
  }
  void use(uint32_t vertex, uint32_t at) {
    if (steps(at) != seen_ && newest_ != kNone) memory_.forget(newest_);
    seen_ = steps(at);
    if (!memory_.has(vertex, at)) newest_ = vertex;
    memory_.use(vertex, at);
  }
  void reset() {
    memory_.reset();
    newest_ = kNone;
    seen_ = 0;
  }

 private:
  static constexpr uint32_t kNone = 0xffffffffu;
  static uint32_t steps(uint32_t at) { return at < 66 ? 0 : (at - 66) / 71 + 1; }
  FifoMemory memory_;
  uint32_t newest_ = kNone, seen_ = 0;
};

// Has `size` places; a vertex takes the place of its number modulo `size`.
class PlaceMemory {
 public:
  PlaceMemory(size_t, uint32_t size) : places_(size) {}
  bool has(uint32_t vertex, uint32_t) const {
    const auto place = uint32_t(vertex % places_.size());
    return places_.has(place) && places_.get(place) == vertex;
  }
  void use(uint32_t vertex, uint32_t) { places_[uint32_t(vertex % places_.size())] = vertex; }
  void reset() { places_.reset(); }

 private:
  PerBatch<uint32_t> places_;
};

class NoMemory {
 public:
  bool has(uint32_t, uint32_t) const { return false; }
  void use(uint32_t, uint32_t) {}
  void reset() {}
};

// Adds the 16-bit rule to a module: after an index in another block of 2^16 numbers, it forgets everything.
template <class Memory>
class PagedMemory {
 public:
  explicit PagedMemory(Memory memory) : memory_(std::move(memory)) {}
  bool has(uint32_t vertex, uint32_t at) const { return vertex >> 16 == page_ && memory_.has(vertex, at); }
  void use(uint32_t vertex, uint32_t at) {
    if (vertex >> 16 != page_) memory_.reset();
    page_ = vertex >> 16;
    memory_.use(vertex, at);
  }
  void reset() {
    memory_.reset();
    page_ = kNone;
  }

 private:
  static constexpr uint32_t kNone = 0xffffffffu;
  Memory memory_;
  uint32_t page_ = kNone;
};

// Calls `f` with the module that `model` specifies; f is generic over its type. If no vertex number exceeds 2^16, the
// page rule has no effect and is omitted.
template <class F>
auto with_memory(const BatchModel& model, size_t vertices, F&& f) {
  const auto paged = [&](auto memory) {
    if (model.forgets_at_pages && vertices > 65536) {
      PagedMemory paging(std::move(memory));
      return f(paging);
    }
    return f(memory);
  };
  switch (model.memory) {
    case VertexMemory::look_back: return paged(LookBackMemory(vertices, model.memory_size, false));
    case VertexMemory::look_back_modulo_3: return paged(LookBackMemory(vertices, model.memory_size, true));
    case VertexMemory::least_recently_used: return paged(LruMemory(vertices, model.memory_size));
    case VertexMemory::first_in_first_out: return paged(FifoMemory(vertices, model.memory_size));
    case VertexMemory::forgets_newest: return paged(NewestForgottenMemory(vertices, model.memory_size));
    case VertexMemory::by_number: return paged(PlaceMemory(vertices, model.memory_size));
    case VertexMemory::everything: return paged(FifoMemory(vertices, ~0u));
    case VertexMemory::nothing: break;
  }
  NoMemory none;
  return f(none);
}

}  // namespace brokkr
