// The surface normal as a colour, and the colour of a draw under a lamp beside the camera.
#pragma once

#include "shader.h"

BROKKR_MACHINE_BEGIN

template <class W>
struct NormalColor : ShaderTraits {
  static constexpr bool kSurface = true;
  BROKKR_FN Fragment<W> operator()(W&, const ShaderInput<W>& in, Mask) const {
    const Vec3<W> n = normalize(in.normal);
    const Float half(0.5f);
    return {Vec4<W>(n.x * half + half, n.y * half + half, n.z * half + half, Float(1.0f)), Mask(true)};
  }
};

// For captured frames whose draws have no material: the draw's colour, lit from the camera by its face normal.
template <class W>
struct LitDraw : ShaderTraits {
  static constexpr bool kSurface = true;
  BROKKR_FN Fragment<W> operator()(W&, const ShaderInput<W>& in, Mask) const {
    const Vec3<W> base = palette(in.draw_number);
    const Float facing = absolute(dot(normalize(in.normal), normalize(in.position)));
    const Float light = 0.3f + 0.7f * facing;
    return {Vec4<W>(base.x * light, base.y * light, base.z * light, Float(1.0f)), Mask(true)};
  }
};

BROKKR_MACHINE_END
