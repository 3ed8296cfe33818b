// The colour of the draw with the edges of its triangles. A line is drawn where a barycentric weight is less than a
// pixel from 0.
#pragma once

#include "normal.h"

BROKKR_MACHINE_BEGIN

template <class W>
struct Wireframe : ShaderTraits {
  static constexpr bool kSurface = true, kDerivatives = true;
  BROKKR_FN Fragment<W> operator()(W& w, const ShaderInput<W>& in, Mask active) const {
    Fragment<W> f = LitDraw<W>()(w, in, active);
    const auto pixels_from_edge = [&](Float b) {
      return b / maximum(absolute(ddx(w, b)) + absolute(ddy(w, b)), 1e-12f);
    };
    const Float nearest = minimum(minimum(pixels_from_edge(in.barycentric.x), pixels_from_edge(in.barycentric.y)),
                                  pixels_from_edge(in.barycentric.z));
    const Float line = 1.0f - saturate(nearest - 0.5f);
    const auto mix = [&](Float c) { return c + (0.04f - c) * line; };
    f.color = Vec4<W>(mix(f.color.x), mix(f.color.y), mix(f.color.z), f.color.w);
    return f;
  }
};

BROKKR_MACHINE_END
