// Lane functions with the same text on every machine. Results are bit-identical, because we use IEEE-754 arithmetic
// without contraction (-ffp-contract=off, --fmad=false).
#pragma once

#include <bit>

BROKKR_MACHINE_BEGIN

// Counts the bits of a uniform number. CUDA has its own function, because nvcc 13 silently generates no code for
// std::popcount of 64 bits.
BROKKR_FN int count_bits(uint32_t bits) {
#if defined(__CUDACC__)
  return __popc(bits);
#else
  return std::popcount(bits);
#endif
}
BROKKR_FN int count_bits(uint64_t bits) {
#if defined(__CUDACC__)
  return __popcll(bits);
#else
  return std::popcount(bits);
#endif
}
// Position of the lowest set bit; bits must not be 0.
BROKKR_FN int lowest_bit(uint32_t bits) {
#if defined(__CUDACC__)
  return __ffs(int(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}
BROKKR_FN int lowest_bit(uint64_t bits) {
#if defined(__CUDACC__)
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}

// Returns a small number >= 0. Branches determine it and the processor predicts them, so that later code does not wait
// for the computation of the number. The compiler must not learn that both numbers are equal, because it would then use
// the computed one.
BROKKR_FN int foreseen(int number) {
#if defined(__CUDACC__)
  return number;
#else
  for (int guess = 0;; ++guess) {
    int same = guess;
    asm("" : "+r"(same));
    if (same == number) return guess;
  }
#endif
}

// Returns the number. Compilers do not read it together with its neighbours in memory: processors wait for a wide read
// of what narrower writes have just stored.
BROKKR_FN int read_alone(int number) {
#if !defined(__CUDACC__)
  asm("" : "+r"(number));
#endif
  return number;
}

// Makes compilers load each number of the array from memory. They would extract it from a vector, which takes longer.
template <int kCount>
BROKKR_FN void keep_in_memory(int32_t (&numbers)[kCount]) {
#if !defined(__CUDACC__)
  asm("" : "+m"(numbers));
#endif
}

template <class T>
BROKKR_FN Lane<T> minimum(Lane<T> a, Lane<T> b) {
  return lesser_of(b, a);
}
template <class T>
BROKKR_FN Lane<T> minimum(Lane<T> a, std::type_identity_t<T> b) {
  return lesser_of(Lane<T>(b), a);
}
template <class T>
BROKKR_FN Lane<T> maximum(Lane<T> a, Lane<T> b) {
  return greater_of(b, a);
}
template <class T>
BROKKR_FN Lane<T> maximum(Lane<T> a, std::type_identity_t<T> b) {
  return greater_of(Lane<T>(b), a);
}
// NaN becomes lo.
template <class T>
BROKKR_FN Lane<T> clamp_to(Lane<T> v, std::type_identity_t<Lane<T>> lo, std::type_identity_t<Lane<T>> hi) {
  return lesser_of(greater_of(v, lo), hi);
}

BROKKR_FN Float absolute(Float a) { return as_float(as_uint(a) & 0x7fffffff); }
BROKKR_FN Mask is_finite(Float a) { return (as_uint(a) & 0x7f800000) != 0x7f800000; }
BROKKR_FN Float finite_or_zero(Float a) {
#if defined(BROKKR_FIXES_FLOATS)
  return finite_by_table(a);
#else
  return select(is_finite(a), a, 0.0f);
#endif
}
BROKKR_FN Float fraction(Float a) { return a - floor(a); }

// Clamps to [0, 1]; NaN becomes 0.
BROKKR_FN Float saturate(Float a) { return clamp_to(a, 0.0f, 1.0f); }

// 2^f for f in [-0.5, 0.5], per lane, or for one number when a compiler builds a table.
template <class F>
BROKKR_FN constexpr F exp2_of_fraction(F f) {
  f = f * 0.693147180559945f;
  F p = 1.0f / 720.0f;
  p = p * f + 1.0f / 120.0f;
  p = p * f + 1.0f / 24.0f;
  p = p * f + 1.0f / 6.0f;
  p = p * f + 0.5f;
  p = p * f + 1.0f;
  return p * f + 1.0f;
}

// 2^x for x in [-126, 126]; relative error below 2.5e-7 (polynomial of degree 6).
BROKKR_FN Float exp2_lanes(Float x) {
  x = clamp_to(x, -126.0f, 126.0f);
  const Float n = floor(x + 0.5f);
  return exp2_of_fraction(x - n) * as_float((to_int(n) + 127) << 23);
}

// log2(x) for normal x > 0; absolute error below 3e-7 near 1 (atanh series on [sqrt(1/2), sqrt(2)]).
BROKKR_FN Float log2_lanes(Float x) {
  const Int bits = as_int(x);
  const Int shifted = bits - 0x3f3504f3;
  const Int exponent = shifted >> 23;
  const Float m = as_float(bits - (exponent << 23));
  const Float s = (m - 1.0f) / (m + 1.0f);
  const Float q = s * s;
  Float p = 1.0f / 9.0f;
  p = p * q + 1.0f / 7.0f;
  p = p * q + 1.0f / 5.0f;
  p = p * q + 1.0f / 3.0f;
  p = p * q + 1.0f;
  return to_float(exponent) + p * s * (2.0f * 1.44269504088896f);
}

// x^y for x >= 0; 0^y is 0.
BROKKR_FN Float pow_lanes(Float x, Float y) {
  const Float p = exp2_lanes(log2_lanes(maximum(x, 1.2e-38f)) * y);
  return select(x > 1.2e-38f, p, 0.0f);
}

// Spreads a 32-bit value. It is a good hash for turning identifiers into colours.
BROKKR_FN Uint hash_lanes(Uint x) {
  x = x ^ (x >> 16);
  x = x * 0x7feb352d;
  x = x ^ (x >> 15);
  x = x * 0x846ca68bu;
  return x ^ (x >> 16);
}

BROKKR_MACHINE_END
