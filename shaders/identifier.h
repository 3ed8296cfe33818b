// Identifier colours: by draw, by triangle, by batch.
#pragma once

#include "shader.h"

BROKKR_MACHINE_BEGIN

enum class IdentifierKind { draw, triangle, batch };

template <class W, IdentifierKind kind>
struct Identifier {
  static constexpr bool kSurface = false, kDerivatives = false;
  BROKKR_FN Fragment<W> operator()(W&, const ShaderInput<W>& in, Mask) const {
    Uint id = in.primitive;
    if constexpr (kind == IdentifierKind::draw) id = in.draw_number;
    if constexpr (kind == IdentifierKind::batch) id = in.primitive >> 5;
    const Vec3<W> c = palette(id);
    return {Vec4<W>(c.x, c.y, c.z, Float(1.0f)), Mask(true)};
  }
};

BROKKR_MACHINE_END
