// The vertex programs of captured frames as texts for the driver.
#pragma once

#include <string>
#include <string_view>

#include "brokkr/frame.h"

namespace brokkr {

// The name of a built-in attribute or uniform in the texts that vertex_text returns: "gl_Vertex" is "brokkr_Vertex",
// and "gl_LightSource[0].position" is "brokkr_LightSource[0].position". Other names are unchanged.
std::string driver_name(std::string_view name);

// The text of a vertex shader in which OpenGL's built-in attributes and uniforms are ordinary ones, so that values from
// a file can be set. `text` is one of the program's. OpenGL 2.1's variables of all versions are known, except
// gl_DepthRange, which the viewport sets.
std::string vertex_text(const VertexProgram& program, const std::string& text);

// The types by their GLSL names.
std::string glsl_name(ShaderType type);

}  // namespace brokkr
