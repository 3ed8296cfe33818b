// How handlers read and write the values of all lanes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

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
inline WordOf<T> to_word(T v) {
  if constexpr (std::is_same_v<T, Half>) {
    return v != v ? 0x7fffu : std::bit_cast<uint16_t>(v);
  } else if constexpr (std::is_same_v<T, float>) {
    return v != v ? 0x7fffffffu : std::bit_cast<uint32_t>(v);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(v);
  } else {
    return WordOf<T>(v);  // signed values are sign-extended
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
inline void keep(W* d, const W* v, uint32_t lanes) {
  if (lanes == kAllLanes) {
    std::memcpy(d, v, sizeof(W) * kLanes);
  } else {
    for (uint32_t l = 0; l < kLanes; ++l) d[l] = (lanes >> l & 1) != 0 ? v[l] : d[l];
  }
}

// Declared by operations that are slow, or that must not be evaluated for inactive lanes.
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
  WordOf<R> v[kLanes];
  for_lanes<Op>(lanes, [&](uint32_t l) { v[l] = to_word<R>(Op::template run<A>(from_word<A>(a[l]))); });
  keep(row<R>(w, in.d), v, lanes);
}
template <class Op, class R, class A, class B>
void binary(Warp& w, const Instruction& in, uint32_t lanes) {
  const WordOf<A>* const a = row<A>(w, in.a);
  const WordOf<B>* const b = row<B>(w, in.b);
  WordOf<R> v[kLanes];
  for_lanes<Op>(lanes,
                [&](uint32_t l) { v[l] = to_word<R>(Op::template run<A>(from_word<A>(a[l]), from_word<B>(b[l]))); });
  keep(row<R>(w, in.d), v, lanes);
}
template <class Op, class R, class A, class B, class C>
void ternary(Warp& w, const Instruction& in, uint32_t lanes) {
  const WordOf<A>* const a = row<A>(w, in.a);
  const WordOf<B>* const b = row<B>(w, in.b);
  const WordOf<C>* const c = row<C>(w, in.c);
  WordOf<R> v[kLanes];
  for_lanes<Op>(lanes, [&](uint32_t l) {
    v[l] = to_word<R>(Op::template run<A>(from_word<A>(a[l]), from_word<B>(b[l]), from_word<C>(c[l])));
  });
  keep(row<R>(w, in.d), v, lanes);
}

}  // namespace brokkr::ptx
