// Reports a program's result that differs from the CPU's.
#pragma once

#include <cstdint>
#include <vector>

#include "base/failure.h"

namespace brokkr::simt {

template <class T>
void expect_same(const char* program, const T* found, const std::vector<T>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (found[i] != expected[i]) fail("{}: value {} is {}, and the CPU's is {}", program, i, found[i], expected[i]);
  }
}

// Pseudo-random numbers that are the same on every system [Steele14].
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed) {}
  uint32_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return uint32_t(z >> 32);
  }
  uint32_t below(uint32_t n) { return uint32_t(uint64_t(next()) * n >> 32); }
  float unit() { return float(next() >> 8) * 0x1p-24f; }

 private:
  uint64_t state_;
};

}  // namespace brokkr::simt
