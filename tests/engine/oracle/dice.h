// Random numbers that are the same on every platform: MT19937 with our own distributions.
#pragma once

#include <cstdint>
#include <random>

namespace brokkr::oracle {

class Dice {
 public:
  explicit Dice(uint32_t seed) : generator_(seed) {}

  // A number from 0 to count - 1. The bias of the remainder is below count / 2^32, which no test can notice.
  int below(int count) { return int(generator_() % uint32_t(count)); }
  int between(int low, int high) { return low + below(high - low + 1); }  // both included
  double uniform(double low, double high) { return low + (high - low) * (double(generator_()) / 4294967296.0); }
  bool chance(double probability) { return uniform(0, 1) < probability; }

  template <typename Container>
  auto pick(const Container& container) {
    return container[size_t(below(int(container.size())))];
  }

 private:
  std::mt19937 generator_;
};

}  // namespace brokkr::oracle
