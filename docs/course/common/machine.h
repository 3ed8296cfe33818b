// MP-0's machine: a memory of vectors, a few multipliers, and a counter of cycles. Additions and registers cost
// nothing; only reading time and multipliers are scarce.
//
// A program for it is a loop over cycles. In each cycle it may request one vector, which is available from the next
// cycle on, and use each multiplier once. clock() ends the cycle.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace course {

class Machine {
 public:
  using Vector = std::array<int32_t, 4>;
  using Matrix = std::array<Vector, 4>;  // row by row

  Machine(const Matrix& matrix, std::vector<Vector> memory, int multipliers = 4)
      : matrix_(matrix), memory_(std::move(memory)), multipliers_(multipliers) {}

  int vectors() const { return int(memory_.size()); }
  int multipliers() const { return multipliers_; }
  int32_t matrix(int row, int column) const { return matrix_.at(size_t(row)).at(size_t(column)); }

  // Requests a vector from the memory, once per cycle.
  void read(int address) {
    if (asked_) fail("reads a second vector");
    if (address < 0 || address >= vectors()) fail("reads vector " + std::to_string(address) + ", which is not there");
    asked_ = true;
    next_ = memory_[size_t(address)];
    if (cycles_ < kTraced) trace_.push_back({int(cycles_), -1});
  }

  // The vector that the last cycle with a read requested.
  const Vector& data() const {
    if (!valid_) fail("uses data before a read has brought any");
    return data_;
  }

  // Computes a product; at most multipliers() per cycle.
  int64_t multiply(int32_t a, int32_t b) {
    if (used_ == multipliers_) fail("needs more than " + std::to_string(multipliers_) + " multipliers");
    if (cycles_ < kTraced) trace_.push_back({int(cycles_), used_});
    ++used_;
    return int64_t(a) * b;
  }

  void clock() {
    if (asked_) data_ = next_, valid_ = true;
    asked_ = false;
    used_ = 0;
    ++cycles_;
  }

  int64_t cycles() const { return cycles_; }

  // The work of the first cycles: (cycle, multiplier); multiplier -1 is a read.
  const std::vector<std::pair<int, int>>& trace() const { return trace_; }

 private:
  static constexpr int kTraced = 24;

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("cycle " + std::to_string(cycles_) + " " + what);
  }

  Matrix matrix_;
  std::vector<Vector> memory_;
  int multipliers_;
  Vector data_{}, next_{};
  bool asked_ = false, valid_ = false;
  int used_ = 0;
  int64_t cycles_ = 0;
  std::vector<std::pair<int, int>> trace_;
};

}  // namespace course
