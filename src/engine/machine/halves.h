// Words of two 16-bit numbers, which filter bytes (shade/texture_usual.h). Processors have instructions for such halves
// that cost less than products of whole words. If BROKKR_DOTS_HALVES is defined, the machine provides multiply_halves
// (both halves, modulo 2^16), dot_halves (the sum of both products of signed halves) and upper_bytes_of_halves. If
// BROKKR_REPEATS_HALVES is defined, it provides lower_half_twice.
#pragma once

BROKKR_MACHINE_BEGIN

// Multiplies both halves by a weight, which both halves of `weight` hold. The products fit in 16 bits.
BROKKR_FN Uint weighted_halves(Uint two, Uint weight) {
#if defined(BROKKR_DOTS_HALVES)
  return multiply_halves(two, weight);
#else
  return two * (weight & 0xffffu);
#endif
}

#if defined(BROKKR_DOTS_HALVES)
// Signed halves are 2^15 too small, so a sum is too small by 2^15 times the sum of the weights, which is 256.
BROKKR_FN Int sum_of_halves(Uint pair, Uint weights) { return dot_halves(pair ^ 0x80008000u, weights) + (256 << 15); }
#endif

// A number below 2^16 in both halves. Compilers would replace shift and sum by a product of whole words, which takes
// longer than a permutation.
BROKKR_FN Uint in_both_halves(Uint a) {
#if defined(BROKKR_REPEATS_HALVES)
  return lower_half_twice(a);
#else
  return a | (a << 16u);
#endif
}

// The second and the fourth byte of each word, as halves.
BROKKR_FN Uint odd_bytes(Uint a) {
#if defined(BROKKR_DOTS_HALVES)
  return upper_bytes_of_halves(a);
#else
  return (a >> 8u) & 0x00ff00ffu;
#endif
}

// The product of two numbers in 0 .. 32767.
BROKKR_FN Int multiply_small(Int a, Int b) {
#if defined(BROKKR_DOTS_HALVES)
  return dot_halves(as_uint(a), as_uint(b));
#else
  return a * b;
#endif
}

// Weighted sums of a and b by the lower and the upper half of `weights`, which sum to 256. One function is for the
// lower halves of a and b, the other for their upper halves.
BROKKR_FN Int sum_of_lower(Uint a, Uint b, Uint weights) {
#if defined(BROKKR_DOTS_HALVES)
  return sum_of_halves((a & 0xffffu) | (b << 16u), weights);
#else
  return as_int((a & 0xffffu) * (weights & 0xffffu) + (b & 0xffffu) * (weights >> 16u));
#endif
}
BROKKR_FN Int sum_of_upper(Uint a, Uint b, Uint weights) {
#if defined(BROKKR_DOTS_HALVES)
  return sum_of_halves((a >> 16u) | (b & 0xffff0000u), weights);
#else
  return as_int((a >> 16u) * (weights & 0xffffu) + (b >> 16u) * (weights >> 16u));
#endif
}

BROKKR_MACHINE_END
