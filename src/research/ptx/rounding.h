// Non-default rounding, flushed denormals and saturation, one lane at a time. `mode` comes from rounding_mode.
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
  // Sets the host's rounding mode for the lifetime of the object.
 public:
  explicit Rounded(uint8_t mode) {
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(kModes[mode & 3]);
  }
  ~Rounded() { std::fesetround(FE_TONEAREST); }
};

// Hides a value from the compiler, so that computations with it stay where they are written.
template <class T>
__attribute__((noinline)) T opaque(T v) {
  asm volatile("" : "+x"(v));
  return v;
}

}  // namespace brokkr::ptx
