// Fixed function as a fragment shader in GLSL 1.20: texture environments, colour sum and fog of OpenGL 1.5 [OpenGL 2.1,
// 3.8.13, 3.9, 3.10]. The alpha test is the state's.
#pragma once

#include <string>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::shader {

// What a unit's environment has to know of its texture. A unit without one is as if it was off.
struct UnitTexture {
  bool is_there = true;
  bool compares = false;  // its depths with the third coordinate
  TexelBase base = TexelBase::rgba;
  auto operator<=>(const UnitTexture&) const = default;
};

// Of each unit of the program, which is fixed function.
std::vector<UnitTexture> unit_textures(const Frame& frame, const DrawInputs& inputs);

// The name of the sampler of a unit's number in FixedFunction::units.
std::string unit_sampler(size_t number);

// `textures`: of each unit. All names in the text are ours or GLSL's.
std::string fixed_function_text(const FragmentProgram& program, const std::vector<UnitTexture>& textures);

}  // namespace brokkr::shader
