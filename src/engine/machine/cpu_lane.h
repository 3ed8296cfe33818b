// The content of the lane types (machine/lane.h) on the CPU-side machines: std::experimental::simd vectors.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <experimental/simd>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

BROKKR_MACHINE_BEGIN

#define BROKKR_ISA_IS_emulated 32
#define BROKKR_ISA_IS_v4 16
#define BROKKR_ISA_IS_v3 8
#define BROKKR_ISA_IS_v2 4
#define BROKKR_ISA_IS_neon 4
#define BROKKR_WIDTH_OF_(isa) BROKKR_ISA_IS_##isa
#define BROKKR_WIDTH_OF(isa) BROKKR_WIDTH_OF_(isa)
inline constexpr int kWidth = BROKKR_WIDTH_OF(BROKKR_ISA);

namespace stdx = std::experimental;
template <class T>
using Vector = stdx::simd<T, stdx::simd_abi::deduce_t<T, kWidth>>;
template <class T>
using VectorMask = typename Vector<T>::mask_type;

// Reinterprets the bits as another type. Fixed-size vectors are not declared trivially copyable, but their content is.
template <class To, class From>
BROKKR_FN To same_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof(To));
  return to;
}

template <class To, class From>
BROKKR_FN Vector<To> convert_lanes(const Vector<From>& from) {
  return stdx::static_simd_cast<Vector<To>>(from);
}

template <class To, class From>
BROKKR_FN To convert_mask(const From& from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (sizeof(typename To::simd_type::value_type) == sizeof(typename From::simd_type::value_type)) {
    return same_bits<To>(from);  // masks of equally wide elements have the same form
  } else {
    return stdx::__proposed::static_simd_cast<To>(from);
  }
}

BROKKR_MACHINE_END

#include "machine/lane.h"

BROKKR_MACHINE_BEGIN

template <class T>
BROKKR_FN Lane<T> select(Mask m, Lane<T> a, Lane<T> b) {
#if defined(__clang__) && defined(__AVX512F__)
  // With clang, libstdc++ 12 does not blend by an AVX-512 mask; it takes one side for all lanes.
  if constexpr (kWidth == 16 && sizeof(T) == 4) {
    return Lane<T>(same_bits<Vector<T>>(
        _mm512_mask_blend_epi32(same_bits<__mmask16>(m.m), same_bits<__m512i>(b.v), same_bits<__m512i>(a.v))));
  } else if constexpr (kWidth == 16) {
    return Lane<T>(Vector<T>([&](auto i) { return T(m.m[i] ? a.v[i] : b.v[i]); }));
  }
#endif
  stdx::where(m.as<T>(), b.v) = a.v;
  return b;
}
// a < b ? a : b and a > b ? a : b, which return b if a or b is NaN. Processors have instructions for exactly this, but
// GCC does not select them for a masked expression.
#define BROKKR_LANE_EXTREMUM(name, op, instruction) \
  template <class T>                                \
  BROKKR_FN Lane<T> name(Lane<T> a, Lane<T> b) {    \
    BROKKR_LANE_EXTREMUM_512(instruction)           \
    BROKKR_LANE_EXTREMUM_256(instruction)           \
    return select(a op b, a, b);                    \
  }
#define BROKKR_LANE_EXTREMUM_BY(bits, instruction)                                                                   \
  if constexpr (kWidth == bits / 32 && std::is_same_v<T, float>)                                                     \
    return Lane<T>(                                                                                                  \
        same_bits<Vector<T>>(_mm##bits##_##instruction##_ps(same_bits<__m##bits>(a.v), same_bits<__m##bits>(b.v)))); \
  if constexpr (kWidth == bits / 32 && std::is_same_v<T, int32_t>)                                                   \
    return Lane<T>(same_bits<Vector<T>>(                                                                             \
        _mm##bits##_##instruction##_epi32(same_bits<__m##bits##i>(a.v), same_bits<__m##bits##i>(b.v))));
#if defined(__AVX512F__)
#define BROKKR_LANE_EXTREMUM_512(instruction) BROKKR_LANE_EXTREMUM_BY(512, instruction)
#else
#define BROKKR_LANE_EXTREMUM_512(instruction)
#endif
#if defined(__AVX2__)
#define BROKKR_LANE_EXTREMUM_256(instruction) BROKKR_LANE_EXTREMUM_BY(256, instruction)
#else
#define BROKKR_LANE_EXTREMUM_256(instruction)
#endif
BROKKR_LANE_EXTREMUM(lesser_of, <, min)
BROKKR_LANE_EXTREMUM(greater_of, >, max)
#undef BROKKR_LANE_EXTREMUM
#undef BROKKR_LANE_EXTREMUM_BY
#undef BROKKR_LANE_EXTREMUM_512
#undef BROKKR_LANE_EXTREMUM_256

template <class To, class From>
BROKKR_FN Lane<To> bit_cast_lanes(Lane<From> a) {
  static_assert(sizeof(To) == sizeof(From));
  return Lane<To>(same_bits<Vector<To>>(a.v));
}
BROKKR_FN Uint as_uint(Float a) { return bit_cast_lanes<uint32_t>(a); }
BROKKR_FN Uint as_uint(Int a) { return bit_cast_lanes<uint32_t>(a); }
BROKKR_FN Int as_int(Float a) { return bit_cast_lanes<int32_t>(a); }
BROKKR_FN Int as_int(Uint a) { return bit_cast_lanes<int32_t>(a); }
BROKKR_FN Float as_float(Uint a) { return bit_cast_lanes<float>(a); }
BROKKR_FN Float as_float(Int a) { return bit_cast_lanes<float>(a); }
BROKKR_FN Ulong as_ulong(Double a) { return bit_cast_lanes<uint64_t>(a); }

BROKKR_FN Float floor(Float a) { return Float(Vector<float>(stdx::floor(a.v))); }
BROKKR_FN Float sqrt(Float a) { return Float(Vector<float>(stdx::sqrt(a.v))); }
BROKKR_FN Double floor(Double a) { return Double(Vector<double>(stdx::floor(a.v))); }
// Rounds towards zero; the value must fit.
BROKKR_FN Int to_int(Float a) { return Int(a); }
BROKKR_FN Int to_int(Double a) { return Int(a); }
BROKKR_FN Float to_float(Int a) { return Float(a); }
BROKKR_FN Float to_float(Double a) { return Float(a); }
BROKKR_FN Double to_double(Int a) { return Double(a); }
BROKKR_FN Double to_double(Float a) { return Double(a); }
// Rounds to nearest, ties to even; the value must fit.
BROKKR_FN Int round_to_int(Float a) {
#if defined(__AVX512F__)
  if constexpr (kWidth == 16) {
    const __m512i r = _mm512_cvtps_epi32(same_bits<__m512>(a.v));
    return Int(same_bits<Vector<int32_t>>(r));
  }
#endif
  return Int(Vector<int32_t>(stdx::static_simd_cast<Vector<int32_t>>(stdx::nearbyint(a.v))));
}

#if defined(BROKKR_ISA_V4)
#define BROKKR_FIXES_FLOATS
// Replaces infinities and NaN by 0. The table of the instruction specifies 0 for these classes.
BROKKR_FN Float finite_by_table(Float a) {
  const __m512 v = same_bits<__m512>(a.v);
  return Float(same_bits<Vector<float>>(_mm512_fixupimm_ps(v, v, _mm512_set1_epi32(0x00880088), 0)));
}
#endif

// Converts both halves of each word (IEEE half precision) if all are finite; otherwise returns false, because
// processors make signalling NaNs quiet.
#if defined(BROKKR_ISA_V4)
#define BROKKR_CONVERTS_HALVES
BROKKR_FN bool finite_halves(Uint word, Float& low, Float& high) {
  const __m512i v = same_bits<__m512i>(word.v), exponent = _mm512_set1_epi16(0x7c00);
  if (_mm512_cmpeq_epi16_mask(_mm512_and_si512(v, exponent), exponent) != 0) return false;
  const __m512 first = _mm512_cvtph_ps(_mm512_castsi512_si256(v)),
               second = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(v, 1));
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  low = Float(same_bits<Vector<float>>(_mm512_permutex2var_ps(first, even, second)));
  high = Float(
      same_bits<Vector<float>>(_mm512_permutex2var_ps(first, _mm512_or_si512(even, _mm512_set1_epi32(1)), second)));
  return true;
}
#elif defined(BROKKR_ISA_V3)
#define BROKKR_CONVERTS_HALVES
BROKKR_FN bool finite_halves(Uint word, Float& low, Float& high) {
  const __m256i v = same_bits<__m256i>(word.v), exponent = _mm256_set1_epi16(0x7c00);
  const __m256i infinite = _mm256_cmpeq_epi16(_mm256_and_si256(v, exponent), exponent);
  if (!_mm256_testz_si256(infinite, infinite)) return false;
  const __m256 first = _mm256_cvtph_ps(_mm256_castsi256_si128(v)),
               second = _mm256_cvtph_ps(_mm256_extracti128_si256(v, 1));
  // A shuffle acts on 128 bits, which hold two words, so it returns the words of lanes 0, 1, 4, 5, 2, 3, 6, 7.
  const auto in_order = [](__m256 pairs) {
    return Float(same_bits<Vector<float>>(_mm256_permute4x64_pd(_mm256_castps_pd(pairs), 0xd8)));
  };
  low = in_order(_mm256_shuffle_ps(first, second, 0x88));
  high = in_order(_mm256_shuffle_ps(first, second, 0xdd));
  return true;
}
#endif

// For halves of words, see machine/halves.h.
#define BROKKR_HALVES_BY(prefix, type)                                                      \
  BROKKR_FN Uint multiply_halves(Uint a, Uint b) {                                          \
    const type product = prefix##_mullo_epi16(same_bits<type>(a.v), same_bits<type>(b.v));  \
    return Uint(same_bits<Vector<uint32_t>>(product));                                      \
  }                                                                                         \
  BROKKR_FN Uint upper_bytes_of_halves(Uint a) {                                            \
    return Uint(same_bits<Vector<uint32_t>>(prefix##_srli_epi16(same_bits<type>(a.v), 8))); \
  }                                                                                         \
  BROKKR_FN Int dot_halves(Uint a, Uint b) {                                                \
    const type sum = prefix##_madd_epi16(same_bits<type>(a.v), same_bits<type>(b.v));       \
    return Int(same_bits<Vector<int32_t>>(sum));                                            \
  }
#if defined(BROKKR_ISA_V4)
#define BROKKR_DOTS_HALVES
BROKKR_HALVES_BY(_mm512, __m512i)
#elif defined(BROKKR_ISA_V3)
#define BROKKR_DOTS_HALVES
BROKKR_HALVES_BY(_mm256, __m256i)
#elif defined(BROKKR_ISA_V2)
#define BROKKR_DOTS_HALVES
BROKKR_HALVES_BY(_mm, __m128i)
#endif
#undef BROKKR_HALVES_BY

BROKKR_MACHINE_END
