// A few words for each lane at once, where a gather or a scatter for each word would take most of the time: nodes of
// trees, and entries of stacks.
#pragma once

#include "machine/machine.h"

BROKKR_MACHINE_BEGIN

#if defined(__AVX2__) && !defined(__CUDACC__)
// Eight words from each of eight places, and from there by columns.
BROKKR_FN void load_eight_by_eight(const float* p, const int32_t* at, __m256 (&columns)[8]) {
  __m256 r[8], s[8];
  for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(p + at[i]);
  for (int i = 0; i < 8; i += 2) {
    s[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    s[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(s[i], s[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(s[i], s[i + 2], 0xee);
    r[i + 2] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    columns[i] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x20);
    columns[i + 4] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x31);
  }
}
#endif

// Lane i gets the eight words from p[at_i] on. Lanes outside m get anything; p[0 .. 7] are there in any case.
BROKKR_FN void gather_eight(Warp& w, const float* p, Int at, Mask m, Float (&words)[8]) {
#if defined(__AVX2__) && !defined(__CUDACC__)
  if constexpr (kWidth == 8 || kWidth == 16) {
    alignas(64) int32_t places[kWidth];
    select(m, at, 0).v.copy_to(places, stdx::vector_aligned);
    __m256 columns[kWidth / 8][8];
    for (int i = 0; i < kWidth / 8; ++i) load_eight_by_eight(p, places + 8 * i, columns[i]);
    for (int k = 0; k < 8; ++k) {
      __m256 parts[kWidth / 8];
      for (int i = 0; i < kWidth / 8; ++i) parts[i] = columns[i][k];
      words[k] = Float(same_bits<Vector<float>>(parts));
    }
    return;
  }
#endif
  for (int k = 0; k < 8; ++k) words[k] = w.gather(p + k, at, m);
}

// Lane i writes a to p[at_i] and b to the word behind. Lanes outside m may write to p[nowhere + 2 i] and behind instead.
BROKKR_FN void scatter_pairs(Warp& w, uint32_t* p, Int at, Uint a, Uint b, int nowhere, Mask m) {
#if !defined(__CUDACC__)
  if constexpr (kWidth <= 16) {
    // Without a branch for each lane.
    alignas(64) int32_t places[kWidth];
    alignas(64) uint32_t first[kWidth], second[kWidth];
    select(m, at, w.lane() * 2 + nowhere).v.copy_to(places, stdx::vector_aligned);
    a.v.copy_to(first, stdx::vector_aligned);
    b.v.copy_to(second, stdx::vector_aligned);
    for (int i = 0; i < kWidth; ++i) {
      p[places[i]] = first[i];
      p[places[i] + 1] = second[i];
    }
    return;
  }
#endif
  w.scatter(p, at, a, m);
  w.scatter(p, at + 1, b, m);
}

BROKKR_MACHINE_END
