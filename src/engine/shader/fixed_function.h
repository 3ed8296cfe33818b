// Generates a GLSL 1.20 fragment shader for fixed function: texture environments, colour sum and fog of OpenGL 1.5
// [OpenGL 2.1, 3.8.13, 3.9, 3.10]. The alpha test belongs to the state.
#pragma once

#include <string>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::shader {

// The properties of a texture that its unit's environment depends on. A unit without a texture is disabled.
struct UnitTexture {
  bool is_there = true;
  bool compares = false;  // compares depths with the third coordinate
  TexelBase base = TexelBase::rgba;
  auto operator<=>(const UnitTexture&) const = default;
};

// One entry per unit of the program, which must be fixed function.
std::vector<UnitTexture> unit_textures(const Frame& frame, const DrawInputs& inputs);

// The sampler's name for unit `number` of FixedFunction::units.
std::string unit_sampler(size_t number);

// `textures`: one per unit. All names in the text are ours or GLSL's.
std::string fixed_function_text(const FragmentProgram& program, const std::vector<UnitTexture>& textures);

}  // namespace brokkr::shader
