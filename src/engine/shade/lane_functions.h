// GLSL's functions on lanes, with the same bits on every machine. GLSL does not define their precision.
// tests/engine/shader/operations_test.cpp checks the error bounds stated here.
#pragma once

#include "machine/machine.h"

BROKKR_MACHINE_BEGIN

BROKKR_FN Float shader_sign(Float a) { return select(a > 0.0f, 1.0f, select(a < 0.0f, -1.0f, 0.0f)); }
BROKKR_FN Float shader_truncate(Float a) { return select(a < 0.0f, -floor(-a), floor(a)); }

// Rounds to nearest, ties to even. After we add 1.5 * 2^23, a float has no bits left for fractions.
BROKKR_FN Float shader_round_even(Float a) {
  constexpr float kShift = 12582912.0f;
  return select(absolute(a) < 4194304.0f, (a + kShift) - kShift, a);
}

BROKKR_FN Float shader_smooth_step(Float low, Float high, Float x) {
  const Float t = saturate((x - low) / (high - low));
  return t * t * (3.0f - 2.0f * t);
}

// The log2 of values below the smallest normal number, including all negative values, is minus infinity.
BROKKR_FN Float shader_log2(Float x) {
  constexpr float kSmallest = 1.17549435e-38f;
  return select(x >= kSmallest, log2_lanes(maximum(x, kSmallest)), as_float(Uint(0xff800000u)));
}
// 2^a; 0 and infinity where that is no normal float. From 126 to 128 it is 2^126.
BROKKR_FN Float shader_exp2(Float a) {
  const Float infinity = as_float(Uint(0x7f800000u));
  return select(a < -126.0f, Float(0.0f), select(a >= 128.0f, infinity, exp2_lanes(a)));
}
// x^y as 2^(y log2 x). x <= 0 counts as 0, whose powers are 0, except 0^0 = 1.
BROKKR_FN Float shader_power(Float x, Float y) {
  const Float p = shader_exp2(log2_lanes(maximum(x, 1.2e-38f)) * y);
  return select(y == 0.0f, 1.0f, select(x > 1.2e-38f, p, 0.0f));
}

// sin(x + quarter * pi / 2). Three steps reduce the argument to [-pi/4, pi/4] (Cody and Waite); the polynomials are
// those of Cephes' sinf and cosf. The absolute error is below 2e-7 for |x| up to 8192. For larger |x| it grows, but the
// result stays in [-1, 1].
BROKKR_FN Float shader_sine(Float x, int quarter) {
  const Float n = floor(x * 0.636619772367581f + 0.5f);
  const Float r = ((x - n * 1.5703125f) - n * 4.837512969970703125e-4f) - n * 7.54978995489188216e-8f;
  const Float z = r * r;
  const Float sine = ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * r + r;
  const Float cosine =
      ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z - 0.5f * z + 1.0f;
  const Int turn = to_int(clamp_to(n, -4194304.0f, 4194304.0f)) + quarter;
  const Float value = select((turn & 1) != 0, cosine, sine);
  return clamp_to(select((turn & 2) != 0, -value, value), -1.0f, 1.0f);
}

// Result in [-pi/2, pi/2], absolute error below 3e-7. Uses the polynomial of Cephes' asinf; |a| > 1 counts as 1.
BROKKR_FN Float shader_arc_sine(Float a) {
  const Float x = minimum(absolute(a), 1.0f);
  const Mask high = x > 0.5f;
  const Float z = select(high, 0.5f * (1.0f - x), x * x);
  const Float s = select(high, sqrt(z), x);
  Float p = 4.2163199048e-2f * z + 2.4181311049e-2f;
  p = p * z + 4.5470025998e-2f;
  p = p * z + 7.4953002686e-2f;
  p = p * z + 1.6666752422e-1f;
  p = p * z * s + s;
  p = select(high, 1.57079632679490f - (p + p), p);
  return select(a < 0.0f, -p, p);
}

// Result in [-pi/2, pi/2], absolute error below 3e-7. Uses the polynomial and ranges of Cephes' atanf.
BROKKR_FN Float shader_arc_tangent(Float a) {
  const Float x = absolute(a);
  const Mask high = x > 2.414213562373095f, middle = x > 0.4142135623730950f;
  const Float base = select(high, 1.57079632679490f, select(middle, 0.785398163397448f, 0.0f));
  const Float t = select(high, -1.0f / x, select(middle, (x - 1.0f) / (x + 1.0f), x));
  const Float z = t * t;
  Float p = 8.05374449538e-2f * z - 1.38776856032e-1f;
  p = p * z + 1.99777106478e-1f;
  p = p * z - 3.33329491539e-1f;
  p = base + (p * z * t + t);
  return select(a < 0.0f, -p, p);
}

// The angle of (x, y) in [-pi, pi]; 0 for (0, 0).
BROKKR_FN Float shader_arc_tangent2(Float y, Float x) {
  const Float ax = absolute(x), ay = absolute(y);
  const Float larger = maximum(ax, ay), smaller = minimum(ax, ay);
  Float angle = shader_arc_tangent(select(larger == 0.0f, 0.0f, smaller / larger));
  angle = select(ay > ax, 1.57079632679490f - angle, angle);
  angle = select(x < 0.0f, 3.14159265358979f - angle, angle);
  return select(y < 0.0f, -angle, angle);
}

// (e^a + sign * e^-a) / 2.
BROKKR_FN Float shader_hyperbolic(Float a, float sign) {
  const Float up = exp2_lanes(a * 1.44269504088896f);
  return 0.5f * (up + sign / up);
}
BROKKR_FN Float shader_hyperbolic_tangent(Float a) {
  return 1.0f - 2.0f / (exp2_lanes(clamp_to(a, -20.0f, 20.0f) * 2.88539008177793f) + 1.0f);
}

BROKKR_FN Int shader_to_int(Float a) { return to_int(clamp_to(a, -2147483648.0f, 2147483520.0f)); }
BROKKR_FN Uint shader_to_uint(Float a) {
  const Float x = clamp_to(a, 0.0f, 4294967040.0f);
  const Mask high = x >= 2147483648.0f;
  return as_uint(to_int(select(high, x - 2147483648.0f, x))) ^ select(high, 0x80000000u, 0u);
}
// The two 16-bit halves are exact, so only their sum is rounded.
BROKKR_FN Float shader_to_float(Uint a) {
  return to_float(as_int(a >> 16u)) * 65536.0f + to_float(as_int(a & 0xffffu));
}

// In double precision, the quotient of 32-bit integers never rounds across an integer.
BROKKR_FN Uint shader_divide(Uint a, Uint b) {
  const auto exact = [](Uint x) { return to_double(as_int(x >> 1u)) * 2.0 + to_double(as_int(x & 1u)); };
  const Uint divisor = select(b == 0u, 1u, b);
  const Double quotient = floor(exact(a) / exact(divisor));
  const Double high = floor(quotient * (1.0 / 65536.0));
  const Uint result = (as_uint(to_int(high)) << 16u) | as_uint(to_int(quotient - high * 65536.0));
  return select(b == 0u, 0u, result);
}
BROKKR_FN Uint shader_remainder(Uint a, Uint b) { return a - shader_divide(a, b) * b; }
BROKKR_FN Uint shader_magnitude(Int a) { return select(a < 0, Uint(0u) - as_uint(a), as_uint(a)); }
// Rounds towards zero.
BROKKR_FN Int shader_divide(Int a, Int b) {
  const Uint q = shader_divide(shader_magnitude(a), shader_magnitude(b));
  return as_int(select((a ^ b) < 0, Uint(0u) - q, q));
}
// The remainder has the sign of a.
BROKKR_FN Int shader_remainder(Int a, Int b) { return as_int(as_uint(a) - as_uint(shader_divide(a, b)) * as_uint(b)); }
// The remainder has the sign of b.
BROKKR_FN Int shader_modulo(Int a, Int b) {
  const Int r = shader_remainder(a, b);
  return select(r != 0 && (r ^ b) < 0, as_int(as_uint(r) + as_uint(b)), r);
}

BROKKR_MACHINE_END
