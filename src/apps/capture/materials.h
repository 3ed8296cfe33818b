// Materials that change between vertices. A vertex shader sees only the material in the state (gl_FrontMaterial), while
// Mesa's fixed function uses each vertex's own. So glMaterial inside glBegin and glEnd and in display lists also sets
// generic attributes, which the layer's vertex shader reads instead.
#pragma once

#include <array>

#include "capture/context.h"
#include "capture/state_guard.h"

namespace brokkr::capture {

struct MaterialAttribute {
  const char* name;  // name in the layer's vertex shader, after "brokkr_front_" or "brokkr_back_"
  GLenum value;      // parameter of glMaterial
};
inline constexpr std::array kMaterialAttributes = {
    MaterialAttribute{"ambient", GL_AMBIENT}, MaterialAttribute{"diffuse", GL_DIFFUSE},
    MaterialAttribute{"specular", GL_SPECULAR}, MaterialAttribute{"emission", GL_EMISSION},
    MaterialAttribute{"shininess", GL_SHININESS}};
inline constexpr std::array kMaterialSides = {"brokkr_front_", "brokkr_back_"};
// The current colour before the draw, used by vertices without a colour.
inline constexpr const char* kColorBefore = "brokkr_color_before";

// Whether fixed-function vertices of the context are lit by their own materials, and generic attributes do not alias
// those of fixed function.
bool has_vertex_materials(const Context& context);

// Declares the attributes in GLSL 1.20.
std::string material_declarations();
// Call before a link: sets the attributes' locations.
void place_materials(GLuint program);
// Sets the attributes to the state's values for the following draws.
void set_materials(Restore& restore);

}  // namespace brokkr::capture
