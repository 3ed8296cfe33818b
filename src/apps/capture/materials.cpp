#include "capture/program.h"

#include <algorithm>
#include <functional>

#include "capture/session.h"

namespace brokkr::capture {
namespace {

// Uses the last of OpenGL's 16 guaranteed attributes, because programs that mix fixed function with their own
// attributes start at 0.
constexpr GLuint kFirst = 16 - 2 * GLuint(kMaterialAttributes.size());
constexpr GLuint kColor = kFirst - 1;

// Calls f(attribute, side, member) for each material attribute.
void for_each_material(const std::function<void(GLuint, size_t, const MaterialAttribute&)>& f) {
  GLuint attribute = kFirst;
  for (size_t side = 0; side < kMaterialSides.size(); side++) {
    for (const MaterialAttribute& member : kMaterialAttributes) f(attribute++, side, member);
  }
}

// Returns true if commands currently go into a display list: the program's, or the private one between glBegin and
// glEnd.
bool is_compiled() {
  if (!is_busy(kCompiling) && !is_busy(kInBegin)) return false;
  const Context* const context = current_context();
  if (!context || (context->compiling == 0 && context->begin_list == 0)) return false;
  return has_vertex_materials(*known_context());
}

void follow_material(GLenum face, GLenum name, const std::array<GLfloat, 4>& values) {
  if (!is_compiled()) return;
  const bool sides[] = {face != GL_BACK, face != GL_FRONT};
  for_each_material([&](GLuint attribute, size_t side, const MaterialAttribute& member) {
    const bool both = name == GL_AMBIENT_AND_DIFFUSE && (member.value == GL_AMBIENT || member.value == GL_DIFFUSE);
    if (sides[side] && (both || name == member.value)) GL(VertexAttrib4fv)(attribute, values.data());
  });
}

size_t components(GLenum name) { return name == GL_SHININESS ? 1 : 4; }

bool is_material(GLenum name) {
  return name == GL_AMBIENT_AND_DIFFUSE ||
         std::any_of(kMaterialAttributes.begin(), kMaterialAttributes.end(),
                     [&](const MaterialAttribute& member) { return member.value == name; });
}

}  // namespace

bool has_vertex_materials(const Context& context) {
  return context.info.mesa && context.info.compatibility && context.info.glsl;
}

std::string material_declarations() {
  std::string text = std::string("attribute vec4 ") + kColorBefore + ";\n";
  for_each_material([&](GLuint, size_t side, const MaterialAttribute& member) {
    text += std::string("attribute vec4 ") + kMaterialSides[side] + member.name + ";\n";
  });
  return text;
}

void place_materials(GLuint program) {
  GL(BindAttribLocation)(program, kColor, kColorBefore);
  for_each_material([&](GLuint attribute, size_t side, const MaterialAttribute& member) {
    GL(BindAttribLocation)(program, attribute, (std::string(kMaterialSides[side]) + member.name).c_str());
  });
}

void set_materials(Restore& restore) {
  const auto set = [&](GLuint attribute, const std::array<GLfloat, 4>& values) {
    std::array<GLfloat, 4> before{};
    GL(GetVertexAttribfv)(attribute, GL_CURRENT_VERTEX_ATTRIB, before.data());
    restore.add([attribute, before] { GL(VertexAttrib4fv)(attribute, before.data()); });
    GL(VertexAttrib4fv)(attribute, values.data());
  };
  set(kColor, get_floats<4>(GL_CURRENT_COLOR));
  for_each_material([&](GLuint attribute, size_t side, const MaterialAttribute& member) {
    std::array<GLfloat, 4> values{};
    GL(GetMaterialfv)(side == 0 ? GL_FRONT : GL_BACK, member.value, values.data());
    set(attribute, values);
  });
}

}  // namespace brokkr::capture

using namespace brokkr::capture;

BROKKR_EXPORT void glMaterialfv(GLenum face, GLenum name, const GLfloat* values) {
  GL(Materialfv)(face, name, values);
  if (is_idle() || !is_material(name)) return;
  std::array<GLfloat, 4> all{};
  std::copy_n(values, components(name), all.begin());
  follow_material(face, name, all);
}

BROKKR_EXPORT void glMaterialiv(GLenum face, GLenum name, const GLint* values) {
  GL(Materialiv)(face, name, values);
  if (is_idle() || !is_material(name)) return;
  std::array<GLfloat, 4> all{};
  for (size_t i = 0; i < components(name); i++) {
    // Integer colours map the whole integer range to -1 .. 1.
    all[i] = name == GL_SHININESS ? GLfloat(values[i]) : GLfloat((2.0 * values[i] + 1.0) / 4294967295.0);
  }
  follow_material(face, name, all);
}

BROKKR_EXPORT void glMaterialf(GLenum face, GLenum name, GLfloat value) {
  GL(Materialf)(face, name, value);
  if (!is_idle() && name == GL_SHININESS) follow_material(face, name, {value, 0, 0, 0});
}

BROKKR_EXPORT void glMateriali(GLenum face, GLenum name, GLint value) {
  GL(Materiali)(face, name, value);
  if (!is_idle() && name == GL_SHININESS) follow_material(face, name, {GLfloat(value), 0, 0, 0});
}
