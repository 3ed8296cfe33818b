// Fixed-point numbers in Q32.32: a 64-bit integer that counts steps of 2^-32. The range is -2^31 to 2^31.
#pragma once

#include <cmath>
#include <cstdint>

namespace course {

using Fixed = int64_t;
inline constexpr Fixed kOne = Fixed(1) << 32;

__extension__ typedef __int128 Wide;  // twice as wide: the product of two Fixed fits

// Rounds to nearest. A value out of range becomes the nearest end of the range.
inline Fixed to_fixed(double value) {
  const double steps = std::nearbyint(value * 0x1p32);
  return steps >= 0x1p63 ? INT64_MAX : steps < -0x1p63 ? INT64_MIN : std::isnan(steps) ? 0 : Fixed(steps);
}
inline double to_double(Fixed value) { return double(value) * 0x1p-32; }

// Sum and difference wrap around: a value that leaves the range comes back by the same steps.
inline Fixed wrapped_sum(Fixed a, Fixed b) { return Fixed(uint64_t(a) + uint64_t(b)); }
inline Fixed wrapped_difference(Fixed a, Fixed b) { return Fixed(uint64_t(a) - uint64_t(b)); }

struct FixedVec4 {
  Fixed x = 0, y = 0, z = 0, w = kOne;
};
struct FixedMat4 {
  Fixed m[4][4] = {};  // row by row
};

}  // namespace course
