// Rounding other than to the nearest, flushed denormals, saturation: a lane at a time. `mode` is what rounding_mode
// makes.
#pragma once

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>

namespace brokkr::ptx {

template <class T>
T flushed(T v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(T(0), v) : v;
}
template <class T>
T finished(T v, uint8_t mode) {
  if ((mode & 4) != 0) v = flushed(v);
  if ((mode & 8) != 0) v = v > T(0) ? std::min(v, T(1)) : T(0);  // NaN becomes 0
  return v;
}
class Rounded {
  // The host rounds so while it lives.
 public:
  explicit Rounded(uint8_t mode) {
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(kModes[mode & 3]);
  }
  ~Rounded() { std::fesetround(FE_TONEAREST); }
};

// A value that the compiler knows nothing of: what is reckoned with it happens where it is written.
template <class T>
__attribute__((noinline)) T opaque(T v) {
  asm volatile("" : "+x"(v));
  return v;
}

}  // namespace brokkr::ptx
