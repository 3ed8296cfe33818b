// MP-0: matrix times vector. Your part: complete the code under YOUR TURN.
#pragma once

#include <array>
#include <cstdint>

#include "common/machine.h"
#include "common/types.h"

namespace course {

// matrix * vector: component i is the sum of the products of row i of the matrix and the vector.
inline Vec4 multiply(const Mat4& matrix, const Vec4& vector) {
  // YOUR TURN 1
  (void)matrix;
  return vector;
}

// The sum of matrix * vector over all vectors of the machine's memory, in whole numbers, computed with its multipliers.
// Use at most five cycles per vector; with four multipliers, four are possible.
inline std::array<int64_t, 4> product_sum(Machine& machine) {
  std::array<int64_t, 4> sum{};
  // YOUR TURN 2: machine.read, machine.data, machine.matrix, machine.multiply, machine.clock (common/machine.h)
  (void)machine;
  return sum;
}

}  // namespace course
