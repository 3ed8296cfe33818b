// What the host asks of the shader that a mode shows surfaces with.
#pragma once

#include "brokkr/choices.h"

namespace brokkr {

// As ShaderTraits of shaders/shader.h has them.
struct ShadingTraits {
  bool material, derivatives, overdraw;
};
const ShadingTraits& shading_traits(Shading shading);

}  // namespace brokkr
