// One colour for everything: the cheapest shader, for measuring the pipeline itself.
#pragma once

#include "shader.h"

BROKKR_MACHINE_BEGIN

template <class W>
struct Flat {
  static constexpr bool kSurface = false, kDerivatives = false;
  BROKKR_FN Fragment<W> operator()(W&, const ShaderInput<W>&, Mask) const {
    return {Vec4<W>(Float(0.8f), Float(0.8f), Float(0.8f), Float(1.0f)), Mask(true)};
  }
};

BROKKR_MACHINE_END
