// The built-in uniforms of GLSL 1.20 for vertex shaders: their types, and their values from the context's state.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <glm/gtc/type_ptr.hpp>
#include <glm/mat3x3.hpp>
#include <glm/mat4x4.hpp>
#include <glm/matrix.hpp>
#include <set>
#include <string_view>

#include "capture/state_guard.h"
#include "capture/vertex.h"

namespace brokkr::capture {
namespace {

constexpr uint32_t kLights = 8, kUnits = 8, kClipPlanes = 6;

// A built-in variable. If it is an array of structures, each structure is listed with its number: gl_LightSource[0].
struct BuiltIn {
  std::string_view name, member;  // `member` is empty for a variable that is no structure
  ShaderType type;
  uint32_t count = 1;       // of a plain array
  uint32_t structures = 0;  // of an array of structures
};

constexpr BuiltIn kBuiltIns[] = {
    {"gl_NormalMatrix", "", ShaderType::mat3},
    {"gl_NormalScale", "", ShaderType::f32},
    {"gl_DepthRange", "near", ShaderType::f32},
    {"gl_DepthRange", "far", ShaderType::f32},
    {"gl_DepthRange", "diff", ShaderType::f32},
    {"gl_ClipPlane", "", ShaderType::vec4, kClipPlanes},
    {"gl_Point", "size", ShaderType::f32},
    {"gl_Point", "sizeMin", ShaderType::f32},
    {"gl_Point", "sizeMax", ShaderType::f32},
    {"gl_Point", "fadeThresholdSize", ShaderType::f32},
    {"gl_Point", "distanceConstantAttenuation", ShaderType::f32},
    {"gl_Point", "distanceLinearAttenuation", ShaderType::f32},
    {"gl_Point", "distanceQuadraticAttenuation", ShaderType::f32},
    {"gl_FrontMaterial", "emission", ShaderType::vec4},
    {"gl_FrontMaterial", "ambient", ShaderType::vec4},
    {"gl_FrontMaterial", "diffuse", ShaderType::vec4},
    {"gl_FrontMaterial", "specular", ShaderType::vec4},
    {"gl_FrontMaterial", "shininess", ShaderType::f32},
    {"gl_BackMaterial", "emission", ShaderType::vec4},
    {"gl_BackMaterial", "ambient", ShaderType::vec4},
    {"gl_BackMaterial", "diffuse", ShaderType::vec4},
    {"gl_BackMaterial", "specular", ShaderType::vec4},
    {"gl_BackMaterial", "shininess", ShaderType::f32},
    {"gl_LightModel", "ambient", ShaderType::vec4},
    {"gl_FrontLightModelProduct", "sceneColor", ShaderType::vec4},
    {"gl_BackLightModelProduct", "sceneColor", ShaderType::vec4},
    {"gl_LightSource", "ambient", ShaderType::vec4, 1, kLights},
    {"gl_LightSource", "diffuse", ShaderType::vec4, 1, kLights},
    {"gl_LightSource", "specular", ShaderType::vec4, 1, kLights},
    {"gl_LightSource", "position", ShaderType::vec4, 1, kLights},
    {"gl_LightSource", "halfVector", ShaderType::vec4, 1, kLights},
    {"gl_LightSource", "spotDirection", ShaderType::vec3, 1, kLights},
    {"gl_LightSource", "spotExponent", ShaderType::f32, 1, kLights},
    {"gl_LightSource", "spotCutoff", ShaderType::f32, 1, kLights},
    {"gl_LightSource", "spotCosCutoff", ShaderType::f32, 1, kLights},
    {"gl_LightSource", "constantAttenuation", ShaderType::f32, 1, kLights},
    {"gl_LightSource", "linearAttenuation", ShaderType::f32, 1, kLights},
    {"gl_LightSource", "quadraticAttenuation", ShaderType::f32, 1, kLights},
    {"gl_FrontLightProduct", "ambient", ShaderType::vec4, 1, kLights},
    {"gl_FrontLightProduct", "diffuse", ShaderType::vec4, 1, kLights},
    {"gl_FrontLightProduct", "specular", ShaderType::vec4, 1, kLights},
    {"gl_BackLightProduct", "ambient", ShaderType::vec4, 1, kLights},
    {"gl_BackLightProduct", "diffuse", ShaderType::vec4, 1, kLights},
    {"gl_BackLightProduct", "specular", ShaderType::vec4, 1, kLights},
    {"gl_TextureEnvColor", "", ShaderType::vec4, kUnits},
    {"gl_ObjectPlaneS", "", ShaderType::vec4, kUnits},
    {"gl_ObjectPlaneT", "", ShaderType::vec4, kUnits},
    {"gl_ObjectPlaneR", "", ShaderType::vec4, kUnits},
    {"gl_ObjectPlaneQ", "", ShaderType::vec4, kUnits},
    {"gl_EyePlaneS", "", ShaderType::vec4, kUnits},
    {"gl_EyePlaneT", "", ShaderType::vec4, kUnits},
    {"gl_EyePlaneR", "", ShaderType::vec4, kUnits},
    {"gl_EyePlaneQ", "", ShaderType::vec4, kUnits},
    {"gl_Fog", "color", ShaderType::vec4},
    {"gl_Fog", "density", ShaderType::f32},
    {"gl_Fog", "start", ShaderType::f32},
    {"gl_Fog", "end", ShaderType::f32},
    {"gl_Fog", "scale", ShaderType::f32},
};
constexpr std::string_view kMatrices[] = {"gl_ModelViewMatrix", "gl_ProjectionMatrix", "gl_ModelViewProjectionMatrix",
                                          "gl_TextureMatrix"};
constexpr std::string_view kForms[] = {"", "Inverse", "Transpose", "InverseTranspose"};

glm::mat4 matrix_of(GLenum name) { return glm::make_mat4(get_floats<16>(name).data()); }

// The product as drivers compute it: row by row, in single precision.
glm::mat4 product(const glm::mat4& a, const glm::mat4& b) {
  glm::mat4 result;
  for (int column = 0; column < 4; column++) {
    for (int row = 0; row < 4; row++) {
      float sum = a[0][row] * b[column][0];
      for (int i = 1; i < 4; i++) sum += a[i][row] * b[column][i];
      result[column][row] = sum;
    }
  }
  return result;
}

glm::mat4 inverse_of(const glm::mat4& matrix) { return glm::mat4(glm::inverse(glm::dmat4(matrix))); }

glm::mat4 in_form(const glm::mat4& matrix, std::string_view form) {
  const glm::mat4 result = form.starts_with("Inverse") ? inverse_of(matrix) : matrix;
  return form.ends_with("Transpose") ? glm::transpose(result) : result;
}

// Sets the active unit until destruction.
class UnitGuard {
 public:
  explicit UnitGuard(uint32_t unit) : before_(get_name(GL_ACTIVE_TEXTURE)) { GL(ActiveTexture)(GL_TEXTURE0 + unit); }
  ~UnitGuard() { GL(ActiveTexture)(before_); }
  UnitGuard(const UnitGuard&) = delete;
  UnitGuard& operator=(const UnitGuard&) = delete;

 private:
  GLuint before_;
};

uint32_t units() { return uint32_t(std::clamp(get_integer(GL_MAX_TEXTURE_COORDS), 0, GLint(kUnits))); }

bool read_matrix(const ProgramUniform& uniform, uint32_t* words) {
  for (const std::string_view name : kMatrices) {
    if (!uniform.name.starts_with(name)) continue;
    const std::string_view form = std::string_view(uniform.name).substr(name.size());
    if (std::find(std::begin(kForms), std::end(kForms), form) == std::end(kForms)) continue;
    const auto write = [&](uint32_t element, const glm::mat4& matrix) {
      std::memcpy(words + size_t(16) * element, glm::value_ptr(in_form(matrix, form)), sizeof(glm::mat4));
    };
    if (name == "gl_ModelViewMatrix") {
      write(0, matrix_of(GL_MODELVIEW_MATRIX));
    } else if (name == "gl_ProjectionMatrix") {
      write(0, matrix_of(GL_PROJECTION_MATRIX));
    } else if (name == "gl_ModelViewProjectionMatrix") {
      write(0, transform_of_state());
    } else {
      for (uint32_t i = 0; i < std::min(uniform.count, units()); i++) {
        const UnitGuard unit(i);
        write(i, matrix_of(GL_TEXTURE_MATRIX));
      }
    }
    return true;
  }
  return false;
}

void write_floats(uint32_t* words, const GLfloat* values, size_t count) {
  std::memcpy(words, values, count * sizeof(GLfloat));
}
void write_vector(uint32_t* words, const glm::vec4& value) { write_floats(words, glm::value_ptr(value), 4); }

glm::vec4 material(GLenum face, std::string_view member) {
  const GLenum name = member == "emission"   ? GL_EMISSION
                      : member == "ambient"  ? GL_AMBIENT
                      : member == "diffuse"  ? GL_DIFFUSE
                      : member == "specular" ? GL_SPECULAR
                                             : GL_SHININESS;
  glm::vec4 value(0.0f);
  GL(GetMaterialfv)(face, name, glm::value_ptr(value));
  return value;
}

glm::vec4 light(uint32_t number, GLenum name) {
  glm::vec4 value(0.0f);
  GL(GetLightfv)(GL_LIGHT0 + number, name, glm::value_ptr(value));
  return value;
}

// The planes of a texture coordinate of all units: gl_EyePlaneS.
void read_planes(const ProgramUniform& uniform, uint32_t* words) {
  constexpr std::string_view kAxes = "STRQ";
  constexpr std::array<GLenum, 4> kNames = {GL_S, GL_T, GL_R, GL_Q};
  const GLenum axis = kNames[std::min(kAxes.find(uniform.name.back()), size_t(3))];
  const bool eye = uniform.name.starts_with("gl_EyePlane");
  for (uint32_t i = 0; i < std::min(uniform.count, units()); i++) {
    const UnitGuard unit(i);
    glm::vec4 plane(0.0f);
    GL(GetTexGenfv)(axis, eye ? GL_EYE_PLANE : GL_OBJECT_PLANE, glm::value_ptr(plane));
    write_vector(words + size_t(4) * i, plane);
  }
}

bool read_point(std::string_view member, uint32_t* words) {
  const auto attenuation = get_floats<3>(GL_POINT_DISTANCE_ATTENUATION);
  const GLfloat value = member == "size"                         ? get_floats<1>(GL_POINT_SIZE)[0]
                        : member == "sizeMin"                    ? get_floats<1>(GL_POINT_SIZE_MIN)[0]
                        : member == "sizeMax"                    ? get_floats<1>(GL_POINT_SIZE_MAX)[0]
                        : member == "fadeThresholdSize"          ? get_floats<1>(GL_POINT_FADE_THRESHOLD_SIZE)[0]
                        : member.starts_with("distanceConstant") ? attenuation[0]
                        : member.starts_with("distanceLinear")   ? attenuation[1]
                                                                 : attenuation[2];
  write_floats(words, &value, 1);
  return true;
}

// What GL derives from a light: gl_LightSource[2].halfVector.
bool read_derived_light(uint32_t number, std::string_view member, uint32_t* words) {
  if (member == "spotCosCutoff") {
    constexpr double kDegree = 3.14159265358979323846 / 180;
    const auto cosine = GLfloat(std::cos(double(light(number, GL_SPOT_CUTOFF).x) * kDegree));
    write_floats(words, &cosine, 1);
    return true;
  }
  if (member != "halfVector") return false;
  const glm::vec3 towards = glm::normalize(glm::vec3(light(number, GL_POSITION)));
  write_vector(words, glm::vec4(glm::normalize(towards + glm::vec3(0, 0, 1)), 1));
  return true;
}

}  // namespace

glm::mat4 transform_of_state() { return product(matrix_of(GL_PROJECTION_MATRIX), matrix_of(GL_MODELVIEW_MATRIX)); }

void add_built_ins(const std::set<std::string>& names, VertexProgram& program) {
  auto end = static_cast<uint32_t>(uniform_words(program) * 4);
  const auto add = [&](const std::string& name, ShaderType type, uint32_t count) {
    const ShaderShape shape = shape_of(type);
    ProgramUniform& added = program.uniforms.emplace_back();
    added = {.name = name, .type = type, .count = count, .block = -1, .offset = end};
    if (count > 1) added.array_stride = shape.components() * 4;
    if (shape.columns > 1) added.matrix_stride = shape.rows * 4;
    end += count * shape.components() * 4;
  };
  for (const std::string_view matrix : kMatrices) {
    for (const std::string_view form : kForms) {
      const std::string name = std::string(matrix) + std::string(form);
      if (names.contains(name)) add(name, ShaderType::mat4, matrix == "gl_TextureMatrix" ? kUnits : 1);
    }
  }
  for (const BuiltIn& one : kBuiltIns) {
    const std::string name(one.name), member = one.member.empty() ? "" : "." + std::string(one.member);
    if (!names.contains(name)) continue;
    if (one.structures == 0) add(name + member, one.type, one.count);
    for (uint32_t i = 0; i < one.structures; i++) add(name + "[" + std::to_string(i) + "]" + member, one.type, 1);
  }
}

bool read_vertex_built_in(const ProgramUniform& uniform, uint32_t* words) {
  if (read_matrix(uniform, words)) return true;
  const std::string& name = uniform.name;
  const size_t dot = name.find('.'), bracket = name.find('[');
  const std::string_view member = dot == std::string::npos ? "" : std::string_view(name).substr(dot + 1);
  const std::string_view variable = std::string_view(name).substr(0, std::min(dot, bracket));
  const auto number = bracket == std::string::npos ? 0u : uint32_t(std::atoi(name.c_str() + bracket + 1));
  const bool back = variable.starts_with("gl_Back");
  const GLenum face = back ? GL_BACK : GL_FRONT;
  if (variable == "gl_NormalMatrix") {
    const glm::dmat3 upper(glm::dmat4(matrix_of(GL_MODELVIEW_MATRIX)));
    write_floats(words, glm::value_ptr(glm::mat3(glm::transpose(glm::inverse(upper)))), 9);
  } else if (variable == "gl_NormalScale") {
    const glm::mat4 inverse = inverse_of(matrix_of(GL_MODELVIEW_MATRIX));
    const GLfloat scale = 1 / glm::length(glm::vec3(inverse[0][2], inverse[1][2], inverse[2][2]));
    write_floats(words, &scale, 1);
  } else if (variable == "gl_ClipPlane") {
    for (uint32_t i = 0; i < uniform.count; i++) {
      std::array<GLdouble, 4> plane{};
      GL(GetClipPlane)(GL_CLIP_PLANE0 + i, plane.data());
      write_vector(words + size_t(4) * i, glm::vec4(plane[0], plane[1], plane[2], plane[3]));
    }
  } else if (variable == "gl_Point") {
    return read_point(member, words);
  } else if (variable == "gl_FrontMaterial" || variable == "gl_BackMaterial") {
    const glm::vec4 value = material(face, member);
    write_floats(words, glm::value_ptr(value), member == "shininess" ? 1 : 4);
  } else if (variable == "gl_LightModel") {
    write_floats(words, get_floats<4>(GL_LIGHT_MODEL_AMBIENT).data(), 4);
  } else if (variable == "gl_FrontLightModelProduct" || variable == "gl_BackLightModelProduct") {
    const glm::vec4 ambient = glm::make_vec4(get_floats<4>(GL_LIGHT_MODEL_AMBIENT).data());
    glm::vec4 color = material(face, "emission") + material(face, "ambient") * ambient;
    color.a = material(face, "diffuse").a;
    write_vector(words, color);
  } else if (variable == "gl_FrontLightProduct" || variable == "gl_BackLightProduct") {
    const GLenum of_light = member == "ambient" ? GL_AMBIENT : member == "diffuse" ? GL_DIFFUSE : GL_SPECULAR;
    write_vector(words, material(face, member) * light(number, of_light));
  } else if (variable == "gl_LightSource") {
    return read_derived_light(number, member, words);
  } else if (variable.starts_with("gl_ObjectPlane") || variable.starts_with("gl_EyePlane")) {
    read_planes(uniform, words);
  } else {
    return false;
  }
  return true;
}

}  // namespace brokkr::capture
