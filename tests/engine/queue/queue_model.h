// The expected results of a script, from an obviously correct model: one std::deque per queue. Random scripts never
// request an undefined result (scattering into full queues).
#pragma once

#include <deque>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "queue_program.h"

namespace brokkr::queue_test {

struct ModelQueue {
  std::deque<uint32_t> ids;
  int available() const { return int(ids.size()); }
};

class QueueModel {
 public:
  QueueModel(int queues, uint32_t capacity, int width) : queues_(size_t(queues)), capacity_(capacity), width_(width) {}

  // Returns a step that is allowed now.
  Step random_step(std::mt19937& random, uint32_t id) {
    const auto below = [&](int n) { return n <= 0 ? 0 : int(random() % uint32_t(n)); };
    for (;;) {
      Step s{Op(below(7)), below(int(queues_.size())), 1 + below(width_), uint32_t(random()) & lanes(), id};
      if (below(4) == 0) s.lanes = lanes();
      if (s.op == Op::scatter && !room_for(s)) continue;
      return s;
    }
  }

  Result run(const Step& s) {
    Result r{};
    ModelQueue& q = queues_[size_t(s.queue)];
    switch (s.op) {
      case Op::enqueue:
        r.value = q.ids.size() < capacity_;
        if (r.value) q.ids.push_back(s.id);
        break;
      case Op::enqueue_lanes:
        for (int i = 0; i < width_; ++i) {
          if ((s.lanes >> i & 1u) == 0 || q.ids.size() == capacity_) continue;
          q.ids.push_back(s.id + uint32_t(i));
          r.value |= 1u << i;
        }
        break;
      case Op::scatter:
        for (int i = 0; i < width_; ++i) {
          if ((s.lanes >> i & 1u) != 0) queues_[target(s, i)].ids.push_back(s.id + uint32_t(i));
        }
        break;
      case Op::dequeue: remove(q, std::min(1, q.available()), r); break;
      case Op::dequeue_lanes: remove(q, std::min(s.n, q.available()), r); break;
      case Op::dequeue_all: remove(q, q.available() < s.n ? 0 : s.n, r); break;
      case Op::size: r.value = uint32_t(q.available()); break;
    }
    return r;
  }

 private:
  std::vector<ModelQueue> queues_;
  uint32_t capacity_;
  int width_;

  uint32_t lanes() const { return width_ == 32 ? ~0u : (1u << width_) - 1u; }
  size_t target(const Step& s, int lane) const { return size_t(s.queue + lane * s.n) % queues_.size(); }
  bool room_for(const Step& s) const {
    std::vector<size_t> size(queues_.size());
    for (size_t q = 0; q < size.size(); ++q) size[q] = queues_[q].ids.size();
    for (int i = 0; i < width_; ++i) {
      if ((s.lanes >> i & 1u) != 0 && ++size[target(s, i)] > capacity_) return false;
    }
    return true;
  }
  static void remove(ModelQueue& q, int n, Result& r) {
    r.value = uint32_t(n);
    for (int i = 0; i < n; ++i) {
      r.id[i] = q.ids.front();
      q.ids.pop_front();
    }
  }
};

// Describes the difference of `got` from `expected`; empty if there is none.
inline std::string difference(const Step& s, const Result& got, const Result& expected) {
  std::ostringstream d;
  if (got.value != expected.value) d << "returned " << got.value << ", expected " << expected.value << "; ";
  if (got.torn != 0) d << got.torn << " torn elements; ";
  const bool removes = s.op == Op::dequeue || s.op == Op::dequeue_lanes || s.op == Op::dequeue_all;
  for (uint32_t i = 0; removes && i < expected.value && i < 32; ++i) {
    if (got.id[i] != expected.id[i]) d << "lane " << i << ": " << got.id[i] << ", expected " << expected.id[i] << "; ";
  }
  return d.str();
}

}  // namespace brokkr::queue_test
