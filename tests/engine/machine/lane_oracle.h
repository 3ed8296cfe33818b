// The expected answers, by scalar code.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string>

#include "lane_input.h"

namespace brokkr::machine_test {

// The functions of the machine model, on scalars.
namespace scalar {
using Uint = uint32_t;
using Int = int32_t;
using Float = float;
using Double = double;
using Ulong = uint64_t;
using Mask = bool;
template <class T>
T select(bool m, T a, T b) {
  return m ? a : b;
}
template <class T>
T minimum(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T maximum(T a, T b) {
  return a < b ? b : a;
}
template <class T>
T clamp_to(T v, T lo, T hi) {
  return v < lo ? lo : v > hi ? hi : v;
}
template <class T>
uint32_t as_uint(T a) {
  return std::bit_cast<uint32_t>(a);
}
template <class T>
int32_t as_int(T a) {
  return std::bit_cast<int32_t>(a);
}
template <class T>
float as_float(T a) {
  return std::bit_cast<float>(a);
}
inline float floor(float a) { return std::floor(a); }
inline double floor(double a) { return std::floor(a); }
inline float sqrt(float a) { return std::sqrt(a); }
inline float absolute(float a) { return std::fabs(a); }
inline float fraction(float a) { return a - std::floor(a); }
inline float saturate(float a) { return std::isnan(a) || a <= 0.0f ? 0.0f : a >= 1.0f ? 1.0f : a; }
inline bool is_finite(float a) { return std::isfinite(a); }
template <class T>
int32_t to_int(T a) {
  return int32_t(std::trunc(a));
}
template <class T>
float to_float(T a) {
  return float(a);
}
template <class T>
double to_double(T a) {
  return double(a);
}
inline int32_t round_to_int(float a) { return int32_t(std::nearbyint(a)); }
inline uint32_t hash_lanes(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
}  // namespace scalar

// Collects differences. It compares bits, not values; all NaNs are equal.
class Differences {
 public:
  template <class T>
  void expect(T got, T expected, const char* what, int lane = -1) {
    if (std::memcmp(&got, &expected, sizeof(T)) == 0) return;
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(got) && std::isnan(expected)) return;
    }
    if (text_.tellp() > 1000) return;
    text_ << what;
    if (lane >= 0) text_ << " in lane " << lane;
    text_ << ": " << got << ", expected " << expected << "; ";
  }
  void expect_near(double got, double expected, double tolerance, const char* what, int lane) {
    if (std::abs(got - expected) <= tolerance || text_.tellp() > 1000) return;
    text_ << what << " in lane " << lane << ": " << got << ", expected " << expected << " +- " << tolerance << "; ";
  }
  std::string str() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

inline void check_expressions(Differences& d_, int width, const LaneInput& in, const LaneAnswers& out) {
  using namespace scalar;
  for (int lane = 0; lane < width; ++lane) {
    const Uint u = in.u[lane], v = in.v[lane];
    const Int i = in.i[lane], j = in.j[lane];
    const Float x = in.x[lane], y = in.y[lane], s = in.s[lane], h = in.h[lane];
    const Double d = in.d[lane];
    const Ulong k = in.k[lane];
    const Mask m = (in.mask >> lane & 1u) != 0;
    int n = 0;
#define BROKKR_EXPECT_UINT(...) d_.expect(out.uints[n++][lane], Uint(__VA_ARGS__), #__VA_ARGS__, lane);
#define BROKKR_EXPECT_INT(...) d_.expect(out.ints[n++][lane], Int(__VA_ARGS__), #__VA_ARGS__, lane);
#define BROKKR_EXPECT_FLOAT(...) d_.expect(out.floats[n++][lane], Float(__VA_ARGS__), #__VA_ARGS__, lane);
#define BROKKR_EXPECT_DOUBLE(...) d_.expect(out.doubles[n++][lane], Double(__VA_ARGS__), #__VA_ARGS__, lane);
#define BROKKR_EXPECT_ULONG(...) d_.expect(out.ulongs[n++][lane], Ulong(__VA_ARGS__), #__VA_ARGS__, lane);
#define BROKKR_EXPECT_MASK(...) d_.expect((out.masks[n++] >> lane & 1u) != 0, Mask(__VA_ARGS__), #__VA_ARGS__, lane);
    BROKKR_UINT_EXPRESSIONS(BROKKR_EXPECT_UINT)
    n = 0;
    BROKKR_INT_EXPRESSIONS(BROKKR_EXPECT_INT)
    n = 0;
    BROKKR_FLOAT_EXPRESSIONS(BROKKR_EXPECT_FLOAT)
    n = 0;
    BROKKR_DOUBLE_EXPRESSIONS(BROKKR_EXPECT_DOUBLE)
    n = 0;
    BROKKR_ULONG_EXPRESSIONS(BROKKR_EXPECT_ULONG)
    n = 0;
    BROKKR_MASK_EXPRESSIONS(BROKKR_EXPECT_MASK)

    // With the error bounds of lane_math.h.
    const double base = in.base[lane], exponent = in.exponent[lane];
    const double exp2 = std::exp2(exponent), log2 = std::log2(base);
    const uint32_t weight = in.v[lane] & 255u, rest = 256u - weight;
    const uint32_t a = (in.u[lane] & 0x00ff00ffu) * 256u, b = (in.v[lane] >> 8 & 0x00ff00ffu) * 256u;
    d_.expect(out.weighted_halves[lane], (in.u[lane] & 0x00ff00ffu) * rest, "weighted_halves", lane);
    d_.expect(out.sum_of_lower[lane], int32_t((a & 0xffffu) * rest + (b & 0xffffu) * weight), "sum_of_lower", lane);
    d_.expect(out.sum_of_upper[lane], int32_t((a >> 16) * rest + (b >> 16) * weight), "sum_of_upper", lane);
    d_.expect_near(out.exp2[lane], exp2, exp2 * 2.5e-7, "exp2", lane);
    d_.expect_near(out.log2[lane], log2, 1.5e-7 + std::abs(log2) * 1.2e-7, "log2", lane);
    if (std::abs(log2 * exponent) < 125.0) {
      const double power = std::exp2(log2 * exponent);
      const double error = 3e-7 + (3e-7 + std::abs(log2) * 2.4e-7) * std::abs(exponent);
      d_.expect_near(out.power[lane], power, power * error, "power", lane);
    }
  }
}

inline void check_exchange(Differences& d, int width, const LaneInput& in, const LaneAnswers& out) {
  const uint32_t lanes = width == 32 ? ~0u : (1u << width) - 1u;
  for (int n = 0; n <= width; ++n) {
    d.expect(out.first_lanes[n], n == 32 ? ~0u : (1u << n) - 1u, "first_lanes", n);
  }
  d.expect(out.ballot, in.mask, "ballot of lanes_of");
  d.expect(out.lanes_of, in.mask, "lanes_of ballot");
  d.expect(out.none, 0u, "ballot of no lane");
  uint32_t behind_and = 0, behind_or = 0;
  for (int lane = 0; lane < width; ++lane) {
    const bool left = in.i[lane] < in.j[lane];
    behind_and |= uint32_t(left && in.u[lane] >= in.u[1]) << lane;
    behind_or |= uint32_t(left || in.i[lane ^ 1] > 0) << lane;
  }
  d.expect(out.behind_and, behind_and, "a collective behind &&");
  d.expect(out.behind_or, behind_or, "a collective behind ||");
  d.expect(out.any, uint32_t(in.mask != 0), "any");
  d.expect(out.all, uint32_t(in.mask == lanes), "all");
  d.expect(out.count, uint32_t(std::popcount(in.mask)), "count");
  uint32_t add_uint = 0, min_uint = ~0u, max_uint = 0;
  int32_t add_int = 0, min_int = in.i[0], max_int = in.i[0];
  float min_float = in.x[0], max_float = in.x[0];
  uint32_t set = 0;
  for (int lane = 0; lane < width; ++lane) {
    d.expect(out.lane[lane], lane, "lane", lane);
    set += in.mask >> lane & 1u;
    d.expect(out.inclusive_count[lane], set, "inclusive_count", lane);
    const int from = in.from[lane] & (width - 1);
    d.expect(out.shuffle_uint[lane], in.u[from], "shuffle Uint", lane);
    d.expect(out.shuffle_int[lane], in.i[from], "shuffle Int", lane);
    d.expect(out.shuffle_float[lane], in.x[from], "shuffle Float", lane);
    d.expect(out.shuffle_double[lane], in.d[from], "shuffle Double", lane);
    d.expect(out.shuffle_ulong[lane], in.k[from], "shuffle Ulong", lane);
    d.expect(out.broadcast_uint[lane], in.u[lane], "broadcast Uint", lane);
    d.expect(out.broadcast_float[lane], in.x[lane], "broadcast Float", lane);
    add_uint += in.u[lane];
    add_int += in.i[lane];
    d.expect(out.inclusive_uint[lane], add_uint, "inclusive_sum Uint", lane);
    d.expect(out.inclusive_int[lane], add_int, "inclusive_sum Int", lane);
    min_uint = std::min(min_uint, in.u[lane]), max_uint = std::max(max_uint, in.u[lane]);
    min_int = std::min(min_int, in.i[lane]), max_int = std::max(max_int, in.i[lane]);
    min_float = std::min(min_float, in.x[lane]), max_float = std::max(max_float, in.x[lane]);
  }
  d.expect(out.add_uint, add_uint, "reduce_add Uint");
  d.expect(out.min_uint, min_uint, "reduce_min Uint");
  d.expect(out.max_uint, max_uint, "reduce_max Uint");
  d.expect(out.add_int, add_int, "reduce_add Int");
  d.expect(out.min_int, min_int, "reduce_min Int");
  d.expect(out.max_int, max_int, "reduce_max Int");
  d.expect(out.min_float, min_float, "reduce_min Float");
  d.expect(out.max_float, max_float, "reduce_max Float");
}

inline void check_memory(Differences& d, int width, const LaneInput& in, const LaneAnswers& out) {
  LaneAnswers expected;
  clear(expected);
  int n = 0;
  for (int lane = 0; lane < width; ++lane) {
    const bool m = (in.mask >> lane & 1u) != 0;
    const int at = in.at[lane], meet = in.meet[lane];
    expected.stored[1 + lane] = in.u[lane];
    expected.loaded_masked[lane] = m ? in.u[lane] : 77u;
    expected.gathered[lane] = m ? in.u[at] : 99u;
    expected.gathered_float[lane] = m ? in.x[at] : 0.0f;
    expected.gathered_double[lane] = m ? in.d[at] : -1.0;
    expected.spilled[lane] = in.u[lane] + (m ? uint32_t(lane) : 0u);
    expected.visits[lane] = m;
    expected.distinct[lane] = m ? in.v[in.u[lane] & 3u] : 55u;
    if (!m) continue;
    expected.stored_masked[1 + lane] = in.u[lane];
    expected.compressed[n] = in.u[lane];
    expected.compressed_float[n++] = in.x[lane];
    expected.scattered[at] = in.u[lane];
    expected.quads[width - 4 - lane / 4 * 4 + lane % 4] = in.u[lane];
    expected.ored[meet] |= in.u[lane];
    expected.lowered[meet] = std::min(expected.lowered[meet], in.u[lane]);
    d.expect(out.before[lane], expected.fetched[at], "scatter_fetch_or, the value before", lane);
    expected.fetched[at] |= in.v[lane];
  }
  for (int p = 0; p < 64; ++p) {
    d.expect(out.stored[p], expected.stored[p], "store, word", p);
    d.expect(out.stored_masked[p], expected.stored_masked[p], "store of a mask, word", p);
    d.expect(out.compressed[p], expected.compressed[p], "compress_store, word", p);
    d.expect(out.compressed_float[p], expected.compressed_float[p], "compress_store Float, word", p);
    d.expect(out.scattered[p], expected.scattered[p], "scatter, word", p);
    d.expect(out.quads[p], expected.quads[p], "scatter_quads, word", p);
    d.expect(out.ored[p], expected.ored[p], "scatter_or, word", p);
    d.expect(out.lowered[p], expected.lowered[p], "scatter_min, word", p);
    d.expect(out.fetched[p], expected.fetched[p], "scatter_fetch_or, word", p);
  }
  for (int lane = 0; lane < width; ++lane) {
    d.expect(out.loaded_masked[lane], expected.loaded_masked[lane], "load of a mask", lane);
    d.expect(out.gathered[lane], expected.gathered[lane], "gather Uint", lane);
    for (int apart = 0; apart < 2; ++apart) {
      const bool m = (in.mask >> lane & 1u) != 0;
      const int a = in.at[lane] & ~1, b = apart != 0 ? in.meet[lane] : a + 1;
      d.expect(out.near_first[apart][lane], m ? in.u[a] : 0u, "gather_near, first", lane);
      d.expect(out.near_second[apart][lane], m ? in.u[b] : 0u, "gather_near, second", lane);
    }
    for (int apart = 0; apart < 2; ++apart) {
      const bool m = (in.mask >> lane & 1u) != 0;
      const int low = in.at[lane] & ~1, high = apart != 0 ? low : in.meet[lane] & ~1;
      const int step = apart != 0 ? in.meet[lane] - low : 1;
      const uint32_t square[4] = {in.u[low], in.u[low + step], in.u[high], in.u[high + step]};
      for (int t = 0; t < 4; ++t) d.expect(out.square[apart][t][lane], m ? square[t] : 0u, "gather_square", lane);
    }
    d.expect(out.gathered_float[lane], expected.gathered_float[lane], "gather Float", lane);
    d.expect(out.gathered_double[lane], expected.gathered_double[lane], "gather Double", lane);
    d.expect(out.spilled[lane], expected.spilled[lane], "spill, set in for_lanes", lane);
    d.expect(out.visits[lane], expected.visits[lane], "for_lanes, visits", lane);
    d.expect(out.distinct[lane], expected.distinct[lane], "for_distinct", lane);
  }
  d.expect(out.compressed_count, n, "compress_store, count");
  d.expect(out.once, 1u, "once");
  d.expect(out.uniform_bool, uint32_t(in.mask != 0), "uniform bool");
  d.expect(out.uniform_uint, in.u[0], "uniform Uint");
  d.expect(out.uniform_ulong, in.k[0], "uniform Ulong");
  d.expect(out.bits32, int32_t(std::popcount(in.u[0])), "count_bits of 32");
  d.expect(out.bits64, int32_t(std::popcount(in.k[0])), "count_bits of 64");
  d.expect(out.lowest32, int32_t(std::countr_zero(in.u[0] | 1u << 31)), "lowest_bit of 32");
  d.expect(out.lowest64, int32_t(std::countr_zero(in.k[0] | 1ull << 63)), "lowest_bit of 64");
}

// Returns an empty string if all answers of the warp are right.
inline std::string check(int width, const LaneInput& in, const LaneAnswers& out) {
  Differences differences;
  check_expressions(differences, width, in, out);
  check_exchange(differences, width, in, out);
  check_memory(differences, width, in, out);
  return differences.str();
}

}  // namespace brokkr::machine_test
