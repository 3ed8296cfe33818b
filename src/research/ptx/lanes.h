// Functions with which handlers read and write the values of all lanes.
#pragma once

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "ptx/program.h"
#include "ptx/warp.h"

namespace brokkr::ptx {

using Half = _Float16;

template <class T>
using WordOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
inline T from_word(WordOf<T> w) {
  if constexpr (std::is_same_v<T, Half>) {
    return std::bit_cast<Half>(uint16_t(w));
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(w);
  } else {
    return T(w);
  }
}
// A GPU has a single 32-bit NaN.
template <class T>
inline WordOf<T> to_word(T value) {
  if constexpr (std::is_same_v<T, Half>) {
    return value != value ? 0x7fffu : std::bit_cast<uint16_t>(value);
  } else if constexpr (std::is_same_v<T, float>) {
    return value != value ? 0x7fffffffu : std::bit_cast<uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(value);
  } else {
    return WordOf<T>(value);  // signed values are sign-extended
  }
}

template <class T>
inline WordOf<T>* row(const Warp& w, Place p) {
  if constexpr (sizeof(T) == 8) {
    return w.longs(p);
  } else {
    return w.words(p);
  }
}

template <class W>
inline void keep(W* d, const W* values, uint32_t lanes) {
  if (lanes == kAllLanes) {
    std::memcpy(d, values, sizeof(W) * kLanes);
  } else {
    for (uint32_t l = 0; l < kLanes; ++l) d[l] = (lanes >> l & 1) != 0 ? values[l] : d[l];
  }
}

// The lanes for which `is` returns true.
template <class F>
inline uint32_t lanes_where(F&& is) {
#if defined(__AVX2__)
  alignas(32) uint8_t all[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) all[l] = is(l) ? 255 : 0;
  return uint32_t(_mm256_movemask_epi8(_mm256_load_si256(reinterpret_cast<const __m256i*>(all))));
#else
  uint32_t lanes = 0;
  for (uint32_t l = 0; l < kLanes; ++l) lanes |= uint32_t(is(l)) << l;
  return lanes;
#endif
}

// Operations declare this if they are slow, or if they must not be evaluated for inactive lanes.
template <class Op>
concept Careful = requires {
  Op::kCareful;
};

template <class Op, class F>
inline void for_lanes(uint32_t lanes, F&& f) {
  if constexpr (Careful<Op>) {
    for (uint32_t m = lanes; m != 0; m &= m - 1) f(uint32_t(__builtin_ctz(m)));
  } else {
    for (uint32_t l = 0; l < kLanes; ++l) f(l);
  }
}

template <class Op, class R, class A>
void unary(Warp& w, const Instruction& in, uint32_t lanes) {
  const WordOf<A>* const a = row<A>(w, in.a);
  WordOf<R> results[kLanes];
  for_lanes<Op>(lanes, [&](uint32_t l) { results[l] = to_word<R>(Op::template run<A>(from_word<A>(a[l]))); });
  keep(row<R>(w, in.d), results, lanes);
}
template <class Op, class R, class A, class B>
void binary(Warp& w, const Instruction& in, uint32_t lanes) {
  const WordOf<A>* const a = row<A>(w, in.a);
  const WordOf<B>* const b = row<B>(w, in.b);
  WordOf<R> results[kLanes];
  for_lanes<Op>(
      lanes, [&](uint32_t l) { results[l] = to_word<R>(Op::template run<A>(from_word<A>(a[l]), from_word<B>(b[l]))); });
  keep(row<R>(w, in.d), results, lanes);
}
template <class Op, class R, class A, class B, class C>
void ternary(Warp& w, const Instruction& in, uint32_t lanes) {
  const WordOf<A>* const a = row<A>(w, in.a);
  const WordOf<B>* const b = row<B>(w, in.b);
  const WordOf<C>* const c = row<C>(w, in.c);
  WordOf<R> results[kLanes];
  for_lanes<Op>(lanes, [&](uint32_t l) {
    results[l] = to_word<R>(Op::template run<A>(from_word<A>(a[l]), from_word<B>(b[l]), from_word<C>(c[l])));
  });
  keep(row<R>(w, in.d), results, lanes);
}

// Number types, and handlers by the type that an instruction names.
template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>  // types for which the standard library has functions
using Wider = std::conditional_t<std::is_same_v<T, Half>, float, T>;
template <class T>
constexpr int kBits = int(sizeof(T)) * 8;

template <class F>
Handler for_integer(Type t, F&& f) {
  switch (t) {
    case Type::b16:
    case Type::u16: return f(uint16_t());
    case Type::s16: return f(int16_t());
    case Type::b32:
    case Type::u32: return f(uint32_t());
    case Type::s32: return f(int32_t());
    case Type::b64:
    case Type::u64: return f(uint64_t());
    case Type::s64: return f(int64_t());
    default: return nullptr;
  }
}
template <class F>
Handler for_bits(Type t, F&& f) {
  switch (bytes_of(t)) {
    case 2: return f(uint16_t());
    case 4: return f(uint32_t());
    case 8: return f(uint64_t());
    default: return nullptr;
  }
}

template <class F>
Handler for_small(Type t, F&& f) {
  if (t == Type::u8 || t == Type::b8) return f(uint8_t());
  if (t == Type::s8) return f(int8_t());
  return for_integer(t, f);
}
template <class F>
Handler for_float(Type t, F&& f) {
  if (t == Type::f16) return f(Half());
  if (t == Type::f32) return f(float());
  if (t == Type::f64) return f(double());
  return nullptr;
}

// Non-default rounding, flushed denormals and saturation, one lane at a time. `mode` comes from rounding_mode.
template <class T>
T flushed(T value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T(0), value) : value;
}
template <class T>
T finished(T value, uint8_t mode) {
  if ((mode & 4) != 0) value = flushed(value);
  if ((mode & 8) != 0) value = value > T(0) ? std::min(value, T(1)) : T(0);  // NaN becomes 0
  return value;
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
__attribute__((noinline)) T opaque(T value) {
  asm volatile("" : "+x"(value));
  return value;
}

}  // namespace brokkr::ptx
