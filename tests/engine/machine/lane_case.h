// A test case of a warp as data: the lanes' inputs, their answers and the expected answers. The machines answer
// (lane_answers.h), and the host checks (lane_oracle.h).
#pragma once

#include <cstdint>

namespace brokkr::machine_test {

// The lanes of a machine and plain scalars of the host evaluate every expression: the same text with other types for
// Float, Int, ... Operands: u v (Uint), i j (Int, small, j not 0), x y (Float, finite), s (Float, among them NaN,
// infinities, denormals), h (Float, with ties, fits an int), d (Double, fits an int), k (Ulong), m (Mask). clang-format
// changes these lists in every run.
// clang-format off
#define BROKKR_UINT_EXPRESSIONS(X)                                                                          \
  X(u + v)                                                                                                  \
  X(u - v)                                                                                                  \
  X(u* v)                                                                                                   \
  X(u / (v | Uint(1u)))                                                                                     \
  X(u& v) X(u | v) X(u ^ v) X(~u) X(u << (v & Uint(31u))) X(u >> (v & Uint(31u))) X(select(m, u, v))        \
      X(select(m, u, Uint(7u))) X(as_uint(x)) X(as_uint(s)) X(as_uint(i)) X(minimum(u, v)) X(maximum(u, v)) \
          X(clamp_to(u, Uint(1u << 20), Uint(1u << 30))) X(hash_lanes(u)) X(hash_lanes(u) ^ hash_lanes(v))  \
              X(Uint(i)) X(Uint(k& Ulong(0xffffffffull))) X(u* Uint(0u) - Uint(1u))
#define BROKKR_INT_EXPRESSIONS(X)                                                                            \
  X(i + j)                                                                                                   \
  X(i - j)                                                                                                   \
  X(i* j)                                                                                                    \
  X(i / j)                                                                                                   \
  X(-i) X(~i) X(i& j) X(i | j) X(i ^ j) X(i << Int(3)) X(i >> Int(2)) X(select(m, i, j))                     \
      X(select(m, Int(-5), j)) X(as_int(u)) X(as_int(x)) X(minimum(i, j)) X(maximum(i, j))                   \
          X(clamp_to(i, Int(-50), Int(60))) X(to_int(h)) X(to_int(d)) X(round_to_int(h)) X(round_to_int(-h)) \
              X(round_to_int(to_float(i) * Float(0.5f))) X(to_int(floor(h))) X(Int(u))
#define BROKKR_FLOAT_EXPRESSIONS(X)                                                                         \
  X(x + y)                                                                                                  \
  X(x - y)                                                                                                  \
  X(x* y)                                                                                                   \
  X(x / y)                                                                                                  \
  X(-x) X(x* y + x) X(s + x) X(s* y) X(select(m, x, s)) X(select(m, 0.5f, x))                               \
      X(as_float(u& Uint(0x7f7fffffu))) X(as_float(as_int(s))) X(floor(x)) X(floor(h)) X(sqrt(absolute(x))) \
          X(to_float(i)) X(to_float(as_int(u))) X(to_float(d)) X(minimum(x, y)) X(maximum(x, y))            \
              X(minimum(s, x)) X(maximum(x, s)) X(clamp_to(x, Float(-1.0f), Float(1.0f))) X(absolute(s))    \
                  X(fraction(x)) X(saturate(x)) X(saturate(s)) X(sqrt(absolute(y)) / x)
#define BROKKR_DOUBLE_EXPRESSIONS(X)                                                       \
  X(d + d * to_double(x))                                                                  \
  X(d - to_double(i))                                                                      \
  X(d / to_double(j))                                                                      \
  X(-d)                                                                                    \
  X(floor(d)) X(to_double(x) * to_double(y)) X(to_double(i)) X(select(m, d, to_double(h))) \
      X(minimum(d, to_double(x)))
#define BROKKR_ULONG_EXPRESSIONS(X)                                                                          \
  X(k + k)                                                                                                   \
  X(k - Ulong(1ull))                                                                                         \
  X(k << Ulong(7ull))                                                                                        \
  X(k >> Ulong(33ull))                                                                                       \
  X(k&(k >> Ulong(5ull))) X((Ulong(u) << Ulong(32ull)) | Ulong(v)) X(select(m, k, Ulong(u))) X(k ^ Ulong(v)) \
      X(~k)
#define BROKKR_MASK_EXPRESSIONS(X)                                                                         \
  X(u < v)                                                                                                 \
  X(u <= v)                                                                                                \
  X(u > v)                                                                                                 \
  X(u >= v)                                                                                                \
  X(u == v) X(u != v) X(i < j) X(i >= j) X(i == -j) X(x < y) X(x <= y) X(x > y) X(x >= y) X(s == s)        \
      X(s != s) X(s < x) X(s >= x) X(d < to_double(x)) X(k > Ulong(u)) X(k == k) X(!m) X(m&& x < y)        \
          X(m || x < y) X(m != (x < y)) X(!(m && !(u < v)) || Mask(false)) X(is_finite(s)) X(is_finite(x)) \
              X(m&& Mask(true))
// clang-format on

#define BROKKR_COUNT_ONE(...) +1
inline constexpr int kUints = 0 BROKKR_UINT_EXPRESSIONS(BROKKR_COUNT_ONE);
inline constexpr int kInts = 0 BROKKR_INT_EXPRESSIONS(BROKKR_COUNT_ONE);
inline constexpr int kFloats = 0 BROKKR_FLOAT_EXPRESSIONS(BROKKR_COUNT_ONE);
inline constexpr int kDoubles = 0 BROKKR_DOUBLE_EXPRESSIONS(BROKKR_COUNT_ONE);
inline constexpr int kUlongs = 0 BROKKR_ULONG_EXPRESSIONS(BROKKR_COUNT_ONE);
inline constexpr int kMasks = 0 BROKKR_MASK_EXPRESSIONS(BROKKR_COUNT_ONE);

struct LaneInput {
  uint32_t u[32], v[32];
  int32_t i[32], j[32];
  float x[32], y[32], s[32], h[32];
  double d[32];
  uint64_t k[32];
  float base[32], exponent[32];  // exp2 of exponent, log2 of base, and their power
  int32_t from[32];              // shuffle: also outside 0 .. width - 1
  int32_t at[32];                // memory: a permutation of the lanes
  int32_t meet[32];              // memory: indices that collide
  uint32_t mask;
};

struct LaneAnswers {
  uint32_t uints[kUints][32];
  int32_t ints[kInts][32];
  float floats[kFloats][32];
  double doubles[kDoubles][32];
  uint64_t ulongs[kUlongs][32];
  uint32_t masks[kMasks];
  float exp2[32], log2[32], power[32];

  // Votes and lane exchange.
  int32_t lane[32];
  uint32_t first_lanes[33], ballot, any, all, count, lanes_of, none, behind_and, behind_or;
  uint32_t shuffle_uint[32], inclusive_uint[32], inclusive_count[32], broadcast_uint[32];
  int32_t shuffle_int[32], inclusive_int[32];
  float shuffle_float[32], broadcast_float[32];
  double shuffle_double[32];
  uint64_t shuffle_ulong[32];
  uint32_t add_uint, min_uint, max_uint;
  int32_t add_int, min_int, max_int;
  float min_float, max_float;

  // Memory: 64 words each, 0xcccccccc where nothing was stored.
  uint32_t stored[64], stored_masked[64], compressed[64], scattered[64], quads[64], ored[64], lowered[64], fetched[64];
  float compressed_float[64];
  uint32_t loaded_masked[32], gathered[32], near_first[2][32], near_second[2][32], before[32];
  uint32_t square[2][4][32];  // gather_square: adjacent and apart
  uint32_t weighted_halves[32];
  int32_t sum_of_lower[32], sum_of_upper[32];
  float gathered_float[32];
  double gathered_double[32];
  int32_t compressed_count;
  uint32_t spilled[32], visits[32], distinct[32];

  // Uniform values.
  uint32_t uniform_bool, uniform_uint, once;
  uint64_t uniform_ulong;
  int32_t bits32, bits64, lowest32, lowest64;
};

constexpr uint32_t kUntouched = 0xccccccccu;

}  // namespace brokkr::machine_test
