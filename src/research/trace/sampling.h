// Low-discrepancy points: the first two dimensions of Sobol's sequence, Owen-scrambled by hashing, and padded: each
// pair of dimensions has its own order and scrambling [Burley20]. Also converts points to directions.
#pragma once

#include "trace/vector3.h"

BROKKR_MACHINE_BEGIN
namespace trace_machine {

struct V2 {
  Float x, y;
};

BROKKR_FN Uint reversed_bits(Uint x) {
  x = (x << 16) | (x >> 16);
  x = ((x & 0x00ff00ffu) << 8) | ((x & 0xff00ff00u) >> 8);
  x = ((x & 0x0f0f0f0fu) << 4) | ((x & 0xf0f0f0f0u) >> 4);
  x = ((x & 0x33333333u) << 2) | ((x & 0xccccccccu) >> 2);
  return ((x & 0x55555555u) << 1) | ((x & 0xaaaaaaaau) >> 1);
}
// Owen scrambling of a bit-reversed number by a hash in which each bit depends only on lower bits [Laine11, 3.1].
BROKKR_FN Uint scrambled_reversed(Uint x, Uint seed) {
  x = x ^ (x * 0x3d20adeau);
  x = x + seed;
  x = x * ((seed >> 16) | 1u);
  x = x ^ (x * 0x05526c56u);
  return x ^ (x * 0x53a22864u);
}
BROKKR_FN Float unit_of(Uint bits) { return to_float(as_int(bits >> 8)) * (1.0f / 16777216.0f); }

// The random numbers of one pixel. `pixel` is a hash of the pixel and the picture's seed.
class Sampler {
 public:
  BROKKR_FN Sampler(Uint pixel, Uint sample) : pixel_(pixel), reversed_(reversed_bits(sample)) {}

  // The sample's point in dimension pair `pair`.
  BROKKR_FN V2 point(Uint pair) const {
    const Uint seed = hash_lanes(pixel_ ^ (pair * 0x9e3779b9u + 0x85ebca6bu));
    const Uint i = reversed_bits(scrambled_reversed(reversed_, seed));
    // Sobol's second matrix is Pascal's triangle modulo 2: five exchanges of bits.
    Uint j = i ^ ((i >> 1) & 0x55555555u);
    j = j ^ ((j >> 2) & 0x33333333u);
    j = j ^ ((j >> 4) & 0x0f0f0f0fu);
    j = j ^ ((j >> 8) & 0x00ff00ffu);
    j = j ^ ((j >> 16) & 0x0000ffffu);
    const Uint second = hash_lanes(seed ^ 0x68bc21ebu), third = hash_lanes(seed ^ 0x02e5be93u);
    return {unit_of(reversed_bits(scrambled_reversed(i, second))),
            unit_of(reversed_bits(scrambled_reversed(j, third)))};
  }

 private:
  Uint pixel_, reversed_;
};

// Sine and cosine of 2 pi x for x in [0, 1): polynomials on an eighth of the circle, with an error below 1e-6.
struct SinCos {
  Float sine, cosine;
};
BROKKR_FN SinCos sin_cos_turn(Float x) {
  const Float quarter = floor(x * 4.0f + 0.5f);
  const Float a = (x - quarter * 0.25f) * 6.28318530717958648f;  // -pi/4 .. pi/4
  const Float q = a * a;
  const Float s = a * (1.0f + q * (-1.0f / 6.0f + q * (1.0f / 120.0f + q * (-1.0f / 5040.0f))));
  const Float c = 1.0f + q * (-0.5f + q * (1.0f / 24.0f + q * (-1.0f / 720.0f + q * (1.0f / 40320.0f))));
  const Int n = to_int(quarter) & 3;
  const Mask odd = n == 1 || n == 3;
  const Float sine = select(odd, c, s), cosine = select(odd, s, c);
  return {select(n >= 2, -sine, sine), select(n == 1 || n == 2, -cosine, cosine)};
}

// A point of the unit disk, uniform by area.
BROKKR_FN V2 disk_point(V2 u) {
  const Float r = sqrt(u.x);
  const SinCos turn = sin_cos_turn(u.y);
  return {r * turn.cosine, r * turn.sine};
}

// Two axes that form a right-handed frame with n [Duff17].
struct Axes {
  V3 a, b, n;
  BROKKR_FN V3 to_world(V3 v) const { return a * v.x + b * v.y + n * v.z; }
  BROKKR_FN V3 to_local(V3 v) const { return {dot(v, a), dot(v, b), dot(v, n)}; }
};
BROKKR_FN Axes axes_around(V3 n) {
  const Float sign = select(n.z < 0.0f, -1.0f, Float(1.0f));
  const Float a = -1.0f / (sign + n.z);
  const Float b = n.x * n.y * a;
  return {{1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}, n};
}

}  // namespace trace_machine
BROKKR_MACHINE_END
