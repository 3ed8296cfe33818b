// Window depth as grey: near is bright. Most of a perspective frame lies close to 1, so the scale is logarithmic.
#pragma once

#include "shader.h"

BROKKR_MACHINE_BEGIN

template <class W>
struct DepthGrey : ShaderTraits {
  BROKKR_FN Fragment<W> operator()(W&, const ShaderInput<W>& in, Mask) const {
    // 1 - z from 1 down to 2^-16 becomes 1 .. 0.
    const Float away = maximum(1.0f - in.z, 1.0f / 65536.0f);
    const Float grey = 1.0f + log2_lanes(away) * (1.0f / 16.0f);
    return {Vec4<W>(grey, grey, grey, Float(1.0f)), Mask(true)};
  }
};

BROKKR_MACHINE_END
