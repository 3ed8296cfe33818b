// A fragment shader of a known cost: 2500 multiply-adds, which represent elaborate shading in [Kerbl17, 5] and
// [Kerbl18, 7.5]. It has four chains of 625: one per channel and one that is not shown. The machines do not contract
// them (-ffp-contract=off), so each is a multiplication and an addition.
#pragma once

#include "shader.h"

BROKKR_MACHINE_BEGIN

template <class W>
struct MultiplyAdd : ShaderTraits {
  static constexpr int kSteps = 625;  // steps of each chain
  BROKKR_FN Fragment<W> operator()(W&, const ShaderInput<W>& in, Mask) const {
    const Vec3<W> aim = palette(in.primitive >> 5);
    Float r = fraction(in.x * (1.0f / 256.0f)), g = fraction(in.y * (1.0f / 256.0f)), b = in.z, a = r * g;
    // Each step goes 1/512 of the way, and about 30 % of the initial value is left at the end. The compiler can omit
    // nothing.
    const Float keep(511.0f / 512.0f), part(1.0f / 512.0f);
    const Float to_r = aim.x * part, to_g = aim.y * part, to_b = aim.z * part;
    for (int i = 0; i < kSteps; ++i) {
      r = r * keep + to_r;
      g = g * keep + to_g;
      b = b * keep + to_b;
      a = a * keep + part;
    }
    return {Vec4<W>(saturate(r), saturate(g), saturate(b), saturate(a)), Mask(true)};
  }
};

BROKKR_MACHINE_END
