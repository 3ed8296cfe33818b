// The properties of a shading mode's shader that the host needs.
#pragma once

#include "brokkr/choices.h"

namespace brokkr {

// Members of ShaderTraits in shaders/shader.h.
struct ShadingTraits {
  bool material, derivatives, normal_maps, overdraw;
};
const ShadingTraits& shading_traits(Shading shading);

}  // namespace brokkr
