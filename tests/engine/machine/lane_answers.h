// A warp's answers to a case: the same code on every machine.
#pragma once

#include "lane_case.h"
#include "machine/machine.h"

BROKKR_MACHINE_BEGIN
namespace machine_workers {
using namespace machine_test;

BROKKR_FN void evaluate(Warp& w, const LaneInput& in, LaneAnswers& out) {
  const Uint u = w.load(in.u), v = w.load(in.v);
  const Int i = w.load(in.i), j = w.load(in.j);
  const Float x = w.load(in.x), y = w.load(in.y), s = w.load(in.s), h = w.load(in.h);
  const Double d = w.load(in.d);
  const Ulong k = w.load(in.k);
  const Mask m = w.lanes_of(in.mask);
  int n = 0;
#define BROKKR_STORE_UINT(...) w.store(out.uints[n++], Uint(__VA_ARGS__));
#define BROKKR_STORE_INT(...) w.store(out.ints[n++], Int(__VA_ARGS__));
#define BROKKR_STORE_FLOAT(...) w.store(out.floats[n++], Float(__VA_ARGS__));
#define BROKKR_STORE_DOUBLE(...) w.store(out.doubles[n++], Double(__VA_ARGS__));
#define BROKKR_STORE_ULONG(...) w.store(out.ulongs[n++], Ulong(__VA_ARGS__));
#define BROKKR_STORE_MASK(...)                         \
  {                                                    \
    const uint32_t bits = w.ballot(Mask(__VA_ARGS__)); \
    w.once([&] { out.masks[n] = bits; });              \
    ++n;                                               \
  }
  BROKKR_UINT_EXPRESSIONS(BROKKR_STORE_UINT)
  n = 0;
  BROKKR_INT_EXPRESSIONS(BROKKR_STORE_INT)
  n = 0;
  BROKKR_FLOAT_EXPRESSIONS(BROKKR_STORE_FLOAT)
  n = 0;
  BROKKR_DOUBLE_EXPRESSIONS(BROKKR_STORE_DOUBLE)
  n = 0;
  BROKKR_ULONG_EXPRESSIONS(BROKKR_STORE_ULONG)
  n = 0;
  BROKKR_MASK_EXPRESSIONS(BROKKR_STORE_MASK)
  const Float base = w.load(in.base), exponent = w.load(in.exponent);
  w.store(out.exp2, exp2_lanes(exponent));
  w.store(out.log2, log2_lanes(base));
  w.store(out.power, pow_lanes(base, exponent));
  // Bytes and their weights, 0 .. 256, and sums of 255 * 256 at most.
  const Uint weight = v & 255u;
  w.store(out.weighted_halves, weighted_halves(u & 0x00ff00ffu, (256u - weight) * 0x10001u));
  const Uint weights = (256u - weight) | (weight << 16u), a = (u & 0x00ff00ffu) * 256u,
             b = (v >> 8u & 0x00ff00ffu) * 256u;
  w.store(out.sum_of_lower, sum_of_lower(a, b, weights));
  w.store(out.sum_of_upper, sum_of_upper(a, b, weights));
}

BROKKR_FN void vote_and_exchange(Warp& w, const LaneInput& in, LaneAnswers& out) {
  const Mask m = w.lanes_of(in.mask);
  const Uint u = w.load(in.u);
  const Int i = w.load(in.i), j = w.load(in.j), from = w.load(in.from);
  const Float x = w.load(in.x);
  w.store(out.lane, w.lane());
  for (int n = 0; n <= w.width; ++n) {
    const uint32_t bits = w.ballot(w.first_lanes(n));
    w.once([&] { out.first_lanes[n] = bits; });
  }
  const uint32_t ballot = w.ballot(m), lanes = w.ballot(w.lanes_of(ballot)), none = w.ballot(Mask(false));
  const bool any = w.any(m), all = w.all(m);
  const int count = w.count(m);
  // All lanes reach a collective on the right of && and ||, whatever the left side is in each lane.
  const uint32_t behind_and = w.ballot(i < j && u >= w.broadcast(u, 1)),
                 behind_or = w.ballot(i < j || w.shuffle(i, w.lane() ^ 1) > 0);
  w.store(out.shuffle_uint, w.shuffle(u, from));
  w.store(out.shuffle_int, w.shuffle(i, from));
  w.store(out.shuffle_float, w.shuffle(x, from));
  w.store(out.shuffle_double, w.shuffle(w.load(in.d), from));
  w.store(out.shuffle_ulong, w.shuffle(w.load(in.k), from));
  w.store(out.inclusive_uint, w.inclusive_sum(u));
  w.store(out.inclusive_int, w.inclusive_sum(i));
  w.store(out.inclusive_count, w.inclusive_count(m));
  for (int lane = 0; lane < w.width; ++lane) {
    const uint32_t one = w.broadcast(u, lane);
    const float other = w.broadcast(x, lane);
    w.once([&] {
      out.broadcast_uint[lane] = one;
      out.broadcast_float[lane] = other;
    });
  }
  const uint32_t add_uint = w.reduce_add(u), min_uint = w.reduce_min(u), max_uint = w.reduce_max(u);
  const int32_t add_int = w.reduce_add(i), min_int = w.reduce_min(i), max_int = w.reduce_max(i);
  const float min_float = w.reduce_min(x), max_float = w.reduce_max(x);
  w.once([&] {
    out.ballot = ballot, out.lanes_of = lanes, out.none = none, out.behind_and = behind_and, out.behind_or = behind_or,
    out.any = any, out.all = all;
    out.count = uint32_t(count);
    out.add_uint = add_uint, out.min_uint = min_uint, out.max_uint = max_uint;
    out.add_int = add_int, out.min_int = min_int, out.max_int = max_int;
    out.min_float = min_float, out.max_float = max_float;
  });
}

BROKKR_FN void use_memory(Warp& w, const LaneInput& in, LaneAnswers& out) {
  const Mask m = w.lanes_of(in.mask);
  const Uint u = w.load(in.u), v = w.load(in.v);
  const Float x = w.load(in.x);
  const Int at = w.load(in.at), meet = w.load(in.meet);
  w.store(out.stored + 1, u);
  w.store(out.stored_masked + 1, u, m);
  w.store(out.loaded_masked, w.load(in.u, m, 77u));
  const int n = w.compress_store(out.compressed, u, m);
  w.compress_store(out.compressed_float, x, m);
  // Lanes outside the mask have no valid address.
  const Int only = select(m, at, Int(0x40000000));
  w.store(out.gathered, w.gather(in.u, only, m, 99u));
  w.store(out.gathered_float, w.gather(in.x, only, m));
  w.store(out.gathered_double, w.gather(in.d, only, m, -1.0));
  for (int apart = 0; apart < 2; ++apart) {
    Uint a, b;
    w.gather_near(in.u, only & ~1, apart != 0 ? select(m, meet, only) : only | 1, m, a, b);
    w.store(out.near_first[apart], a);
    w.store(out.near_second[apart], b);
  }
  for (int apart = 0; apart < 2; ++apart) {
    Uint texel[4];
    const Int low = at & ~1, high = apart != 0 ? low : meet & ~1, step = apart != 0 ? meet - low : Int(1);
    w.gather_square(in.u, low, high, step, m, texel);
    for (int t = 0; t < 4; ++t) w.store(out.square[apart][t], select(m, texel[t], 0u));
  }
  w.scatter(out.scattered, only, u, m);
  // Each quad goes to the place of its mirror quad, counted from the other end.
  w.scatter_quads(out.quads, Int(w.width - 4) - (w.lane() & ~3) + (w.lane() & 3), u, m);
  w.sync();
  w.scatter_or(out.ored, select(m, meet, Int(0x40000000)), u, m);
  w.scatter_min(out.lowered, select(m, meet, Int(0x40000000)), u, m);
  w.store(out.before, w.scatter_fetch_or(out.fetched, only, v, m));
  w.sync();
  auto spilled = w.spill(u);
  w.for_lanes(m, [&](int lane) {
    spilled.set(lane, spilled[lane] + uint32_t(lane));
    out.visits[lane] += 1;
  });
  w.store(out.spilled, spilled.lanes());
  // A few different keys, and one that only lanes outside the mask have.
  Uint distinct(55u);
  w.for_distinct(select(m, u & Uint(3u), Uint(9u)), m,
                 [&](auto key, Mask same) { distinct = select(same, Uint(in.v[key]), distinct); });
  w.store(out.distinct, distinct);
  w.once([&] {
    out.compressed_count = n;
    out.once += 1;
  });
  const bool truth = w.uniform([&] { return in.mask != 0; });
  const uint32_t word = w.uniform([&] { return in.u[0]; });
  const uint64_t wide = w.uniform([&] { return in.k[0]; });
  const int bits32 = count_bits(in.u[0]), bits64 = count_bits(in.k[0]);
  const int lowest32 = lowest_bit(in.u[0] | 1u << 31), lowest64 = lowest_bit(in.k[0] | uint64_t(1) << 63);
  w.once([&] {
    out.uniform_bool = truth, out.uniform_uint = word, out.uniform_ulong = wide;
    out.bits32 = bits32, out.bits64 = bits64, out.lowest32 = lowest32, out.lowest64 = lowest64;
  });
}

BROKKR_FN void answer(Warp& w, const LaneInput& in, LaneAnswers& out) {
  evaluate(w, in, out);
  vote_and_exchange(w, in, out);
  use_memory(w, in, out);
}

}  // namespace machine_workers
BROKKR_MACHINE_END
