// The shifts of X-shift-offset and Van der Corput [Kerbl17, 4.4] in closed form, without a table: [Kerbl18, 8.3] leaves
// open how to find the bins that a box covers with neither a table nor much code.
//
// Row y of such a pattern over N rasterizers is 0 .. N-1 rotated: bin (x, y) belongs to (x + shift(y)) mod N. The
// owners of a box are therefore one run of each row, and rows follow each other by one step of a counter.
#pragma once

#include <cstdint>

namespace brokkr {

// floor(sqrt n), n >= 1.
constexpr uint32_t floor_sqrt(uint32_t n) {
  uint32_t k = 1;
  while ((k + 1) * (k + 1) <= n) ++k;
  return k;
}

// Shifts floor(y (n + 1) / k) mod n, k = floor(sqrt n), for y = 0 .. n-1, then again from 0.
class OffsetShift {
 public:
  // Row 0. n: 1 .. kMaxRasterizers.
  constexpr explicit OffsetShift(uint32_t n) : n_(n), k_(floor_sqrt(n)), step_((n + 1) / k_ % n), more_((n + 1) % k_) {}
  // Goes to any row.
  constexpr void start(uint32_t y) {
    y_ = y % n_;
    const uint64_t product = uint64_t(y_) * (n_ + 1);
    shift_ = uint32_t(product / k_ % n_);
    rest_ = uint32_t(product % k_);
  }
  constexpr uint32_t shift() const { return shift_; }
  // Goes on to the next row: additions and comparisons alone.
  constexpr void next() {
    if (++y_ == n_) {
      y_ = shift_ = rest_ = 0;
      return;
    }
    rest_ += more_;
    shift_ += step_;
    if (rest_ >= k_) {
      rest_ -= k_;
      ++shift_;
    }
    if (shift_ >= n_) shift_ -= n_;
  }

 private:
  uint32_t n_, k_, step_, more_;  // shift grows by step_, and by one more where rest_ reaches k_
  uint32_t y_ = 0, shift_ = 0, rest_ = 0;
};

// The y-th number, y = 0 .. n-1, of 0 .. n-1 in the order of their reversed bits, then again from the first: the order
// of n numbers is that of their ceil(n/2) even ones, halved, and then that of their floor(n/2) odd ones.
class VanDerCorputShift {
 public:
  // Row 0. n: 1 .. kMaxRasterizers.
  constexpr explicit VanDerCorputShift(uint32_t n) : n_(n), top_(1) {
    while (2 * top_ < n) top_ *= 2;
  }
  // Goes to any row.
  constexpr void start(uint32_t y) {
    y %= n_;
    shift_ = 0;
    for (uint32_t bit = 1, left = n_; left > 1; bit *= 2) {
      const uint32_t even = (left + 1) / 2;
      if (y < even) {
        left = even;
      } else {
        y -= even;
        left -= even;
        shift_ += bit;
      }
    }
  }
  constexpr uint32_t shift() const { return shift_; }
  // Moves to the next row: adds one from the highest bit down, and skips numbers that are not a rasterizer's. This
  // takes less than two additions on average, because less than half of the numbers are skipped.
  constexpr void next() {
    do {
      uint32_t bit = top_;
      while ((shift_ & bit) != 0) {
        shift_ ^= bit;
        bit /= 2;
      }
      shift_ |= bit;
    } while (shift_ >= n_);
  }

 private:
  uint32_t n_, top_, shift_ = 0;  // top_: the highest bit of n - 1, or 1
};

}  // namespace brokkr
