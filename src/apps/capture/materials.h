// Materials that change from vertex to vertex. A vertex shader sees the one material of the state (gl_FrontMaterial),
// where Mesa's fixed function has that of each vertex. glMaterial inside of glBegin and glEnd and of display lists
// therefore sets generic attributes as well, which the layer's vertex shader reads in the material's place.
#pragma once

#include <array>

#include "capture/context.h"
#include "capture/state_guard.h"

namespace brokkr::capture {

struct MaterialAttribute {
  const char* name;  // in the layer's vertex shader, after "brokkr_front_" or "brokkr_back_"
  GLenum value;      // of glMaterial
};
inline constexpr std::array kMaterialAttributes = {
    MaterialAttribute{"ambient", GL_AMBIENT}, MaterialAttribute{"diffuse", GL_DIFFUSE},
    MaterialAttribute{"specular", GL_SPECULAR}, MaterialAttribute{"emission", GL_EMISSION},
    MaterialAttribute{"shininess", GL_SHININESS}};
inline constexpr std::array kMaterialSides = {"brokkr_front_", "brokkr_back_"};
// The current colour before the draw, which a vertex without a colour of its own has.
inline constexpr const char* kColorBefore = "brokkr_color_before";

// Whether fixed-function vertices of the context are lit by materials of their own, and generic attributes are others
// than those of fixed function.
bool has_vertex_materials(const Context& context);

// Declares the attributes in GLSL 1.20.
std::string material_declarations();
// Before a link: where these attributes are.
void place_materials(GLuint program);
// Gives the attributes the state's values for the draws that follow.
void set_materials(Restore& restore);

}  // namespace brokkr::capture
