// One colour for everything: the cheapest shader, for measurements of the pipeline itself.
#pragma once

#include "shader.h"

BROKKR_MACHINE_BEGIN

template <class W>
struct Flat : ShaderTraits {
  BROKKR_FN Fragment<W> operator()(W&, const ShaderInput<W>&, Mask) const {
    return {Vec4<W>(Float(0.8f), Float(0.8f), Float(0.8f), Float(1.0f)), Mask(true)};
  }
};

// Counts fragments and shows none of its colour.
template <class W>
struct Overdraw : Flat<W> {
  static constexpr bool kOverdraw = true;
};

BROKKR_MACHINE_END
