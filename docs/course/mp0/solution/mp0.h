// MP-0, solved.
#pragma once

#include <array>
#include <cstdint>

#include "common/machine.h"
#include "common/types.h"

namespace course {

inline Vec4 multiply(const Mat4& matrix, const Vec4& vector) {
  const auto row = [&](int i) {
    const float(&m)[4] = matrix.m[i];
    return m[0] * vector.x + m[1] * vector.y + m[2] * vector.z + m[3] * vector.w;
  };
  return {row(0), row(1), row(2), row(3)};
}

// One row of the matrix per cycle, and the next vector is read while the last row is multiplied.
inline std::array<int64_t, 4> product_sum(Machine& machine) {
  std::array<int64_t, 4> sum{};
  machine.read(0);
  machine.clock();
  for (int i = 0; i < machine.vectors(); ++i) {
    for (int row = 0; row < 4; ++row) {
      for (int column = 0; column < 4; ++column) {
        sum[size_t(row)] += machine.multiply(machine.matrix(row, column), machine.data()[size_t(column)]);
      }
      if (row == 3 && i + 1 < machine.vectors()) machine.read(i + 1);
      machine.clock();
    }
  }
  return sum;
}

}  // namespace course
