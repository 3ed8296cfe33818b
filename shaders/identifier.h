// Identifier colours: by draw, by triangle, by batch.
#pragma once

#include "shader.h"

BROKKR_MACHINE_BEGIN

BROKKR_FN Fragment<Warp> identifier_color(Uint id) {
  const Vec3<Warp> c = palette(id);
  return {Vec4<Warp>(c.x, c.y, c.z, Float(1.0f)), Mask(true)};
}

template <class W>
struct DrawColor : ShaderTraits {
  static constexpr bool kDrawNumber = true;
  BROKKR_FN Fragment<W> operator()(W&, const ShaderInput<W>& in, Mask) const {
    return identifier_color(in.draw_number);
  }
};

template <class W>
struct TriangleColor : ShaderTraits {
  static constexpr bool kTriangleNumber = true;
  BROKKR_FN Fragment<W> operator()(W&, const ShaderInput<W>& in, Mask) const { return identifier_color(in.primitive); }
};

template <class W>
struct BatchColor : ShaderTraits {
  static constexpr bool kBatchNumber = true;
  BROKKR_FN Fragment<W> operator()(W&, const ShaderInput<W>& in, Mask) const {
    return identifier_color(in.batch_number);
  }
};

BROKKR_MACHINE_END
