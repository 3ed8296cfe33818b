// The input cases of warps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>

#include "lane_case.h"

namespace brokkr::machine_test {

inline LaneInput random_input(uint32_t seed) {
  std::mt19937 random(seed);
  const auto real = [&](float lo, float hi) { return lo + (hi - lo) * float(random()) / 4294967296.0f; };
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float special[] = {0.0f, -0.0f, inf, -inf, nan, 1e-41f, -1e-41f, 3.4e38f, -3.4e38f, 1.0f, 0.25f, 1.18e-38f};
  LaneInput in{};
  for (int lane = 0; lane < 32; ++lane) {
    in.u[lane] = uint32_t(random());
    in.v[lane] = random() % 4 == 0 ? in.u[lane] : uint32_t(random());
    in.i[lane] = int32_t(random() % 20001) - 10000;
    in.j[lane] = (random() % 2 == 0 ? 1 : -1) * (1 + int32_t(random() % 100));
    in.x[lane] = real(-300.0f, 300.0f);
    in.y[lane] = random() % 4 == 0 ? in.x[lane] : real(-3.0f, 3.0f);
    in.s[lane] = special[random() % std::size(special)];
    in.h[lane] = float(int32_t(random() % 4001) - 2000) * 0.25f;
    in.d[lane] = double(int32_t(random())) / 3.0;
    in.k[lane] = (uint64_t(random()) << 32) | random();
    in.base[lane] = random() % 2 == 0 ? real(0.5f, 2.0f) : std::ldexp(real(0.5f, 1.0f), int(random() % 240) - 120);
    in.exponent[lane] = random() % 8 == 0 ? float(int(random() % 252) - 126) : real(-8.0f, 8.0f);
    in.from[lane] = int32_t(random() % 64) - 16;
    in.meet[lane] = int32_t(random() % 5) * 3;
  }
  in.mask = seed == 0 ? 0u : seed == 1 ? ~0u : uint32_t(random());
  return in;
}
// Random inputs with valid addresses for a warp of that width.
inline LaneInput random_input(uint32_t seed, int width) {
  LaneInput in = random_input(seed);
  std::mt19937 random(seed + 99);
  for (int lane = 0; lane < width; ++lane) in.at[lane] = lane;
  std::shuffle(in.at, in.at + width, random);
  if (width < 32) in.mask &= (1u << width) - 1u;
  return in;
}
inline void clear(LaneAnswers& out) {
  std::memset(static_cast<void*>(&out), 0, sizeof(out));
  for (auto* p : {out.stored, out.stored_masked, out.compressed, out.scattered, out.quads, out.lowered}) {
    std::fill(p, p + 64, kUntouched);
  }
  std::memset(out.compressed_float, 0xcc, sizeof(out.compressed_float));
  for (int n = 0; n < 64; ++n) out.ored[n] = out.fetched[n] = uint32_t(n) * 0x01010101u;
}

}  // namespace brokkr::machine_test
