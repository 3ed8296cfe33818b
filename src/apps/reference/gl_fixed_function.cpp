#include "reference/gl_fixed_function.h"

#include <glad/gl.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "reference/gl_state.h"

namespace brokkr {

namespace {

constexpr GLenum kUnits = 8;  // units with coordinates in GLSL 1.20
constexpr GLint kModes[] = {GL_MODULATE, GL_REPLACE, GL_DECAL, GL_BLEND, GL_ADD, GL_COMBINE};
constexpr GLint kOps[] = {GL_REPLACE,     GL_MODULATE, GL_ADD,      GL_ADD_SIGNED,
                          GL_INTERPOLATE, GL_SUBTRACT, GL_DOT3_RGB, GL_DOT3_RGBA};
constexpr GLint kSources[] = {GL_TEXTURE,  GL_CONSTANT, GL_PRIMARY_COLOR, GL_PREVIOUS, GL_TEXTURE0, GL_TEXTURE1,
                              GL_TEXTURE2, GL_TEXTURE3, GL_TEXTURE4,      GL_TEXTURE5, GL_TEXTURE6, GL_TEXTURE7};
constexpr GLint kOperands[] = {GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA};
constexpr GLint kFogModes[] = {GL_LINEAR, GL_EXP, GL_EXP2};
// By TextureKind, for the kinds that fixed function supports.
constexpr GLenum kEnabledTargets[] = {GL_TEXTURE_1D, GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP,
                                      GL_TEXTURE_RECTANGLE};

void environment(GLenum name, GLint value) { glTexEnvi(GL_TEXTURE_ENV, name, value); }

void apply_term(const CombineTerm& term, bool alpha) {
  environment(alpha ? GL_COMBINE_ALPHA : GL_COMBINE_RGB, kOps[size_t(term.op)]);
  for (GLenum i = 0; i < 3; ++i) {
    environment((alpha ? GL_SOURCE0_ALPHA : GL_SOURCE0_RGB) + i, kSources[size_t(term.sources[i])]);
    environment((alpha ? GL_OPERAND0_ALPHA : GL_OPERAND0_RGB) + i, kOperands[size_t(term.operands[i])]);
  }
  glTexEnvf(GL_TEXTURE_ENV, alpha ? GL_ALPHA_SCALE : GL_RGB_SCALE, term.scale);
}

void apply_unit(const TextureUnit& unit, TextureKind kind) {
  glActiveTexture(GL_TEXTURE0 + unit.unit);
  if (size_t(kind) < std::size(kEnabledTargets)) glEnable(kEnabledTargets[size_t(kind)]);
  environment(GL_TEXTURE_ENV_MODE, kModes[size_t(unit.mode)]);
  glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, &unit.color.x);
  if (unit.mode != EnvironmentMode::combine) return;
  apply_term(unit.rgb, false);
  apply_term(unit.alpha, true);
}

// "gl_LightSource[2].diffuse"
void set_light(std::string_view name, const GLfloat* values) {
  struct Member {
    std::string_view name;
    GLenum value;
  };
  static constexpr Member kMembers[] = {{"ambient", GL_AMBIENT},
                                        {"diffuse", GL_DIFFUSE},
                                        {"specular", GL_SPECULAR},
                                        {"position", GL_POSITION},
                                        {"spotDirection", GL_SPOT_DIRECTION},
                                        {"spotExponent", GL_SPOT_EXPONENT},
                                        {"spotCutoff", GL_SPOT_CUTOFF},
                                        {"constantAttenuation", GL_CONSTANT_ATTENUATION},
                                        {"linearAttenuation", GL_LINEAR_ATTENUATION},
                                        {"quadraticAttenuation", GL_QUADRATIC_ATTENUATION}};
  const size_t bracket = name.find('['), dot = name.find('.');
  if (bracket == std::string_view::npos || dot == std::string_view::npos) return;
  const GLenum light = GL_LIGHT0 + GLenum(std::atoi(name.data() + bracket + 1));
  // Positions and directions are already in eye space.
  glMatrixMode(GL_MODELVIEW);
  glPushMatrix();
  glLoadIdentity();
  for (const Member& member : kMembers) {
    if (name.substr(dot + 1) == member.name) glLightfv(light, member.value, values);
  }
  glPopMatrix();
}

}  // namespace

void apply_fixed_function(const FragmentProgram& program) {
  const FixedFunction& fixed = *program.fixed;
  for (GLenum i = 0; i < kUnits; ++i) {
    glActiveTexture(GL_TEXTURE0 + i);
    for (const GLenum target : kEnabledTargets) glDisable(target);
  }
  for (size_t i = 0; i < fixed.units.size(); ++i) apply_unit(fixed.units[i], program.samplers[i].kind);
  glActiveTexture(GL_TEXTURE0);
  enable(GL_COLOR_SUM, fixed.separate_specular);
  enable(GL_FOG, fixed.fog.has_value());
  if (!fixed.fog) return;
  glFogi(GL_FOG_MODE, kFogModes[size_t(fixed.fog->mode)]);
  glFogfv(GL_FOG_COLOR, &fixed.fog->color.x);
  glFogf(GL_FOG_DENSITY, fixed.fog->density);
  glFogf(GL_FOG_START, fixed.fog->start);
  glFogf(GL_FOG_END, fixed.fog->end);
}

void set_built_in(const ProgramUniform& uniform, const uint32_t* words) {
  GLfloat values[16] = {};
  const std::string_view name = uniform.name;
  std::memcpy(values, words, sizeof(GLfloat) * shape_of(uniform.type).components());
  if (name == "gl_Fog.color") {
    glFogfv(GL_FOG_COLOR, values);
  } else if (name == "gl_Fog.density") {
    glFogf(GL_FOG_DENSITY, values[0]);
  } else if (name == "gl_Fog.start") {
    glFogf(GL_FOG_START, values[0]);
  } else if (name == "gl_Fog.end") {
    glFogf(GL_FOG_END, values[0]);
  } else if (name == "gl_Fog.scale") {
    // 1 / (end - start), with the end that is set beside it
    GLfloat start = 0;
    glGetFloatv(GL_FOG_START, &start);
    if (values[0] != 0) glFogf(GL_FOG_END, start + 1 / values[0]);
  } else if (name == "gl_ModelViewMatrix" || name == "gl_ProjectionMatrix") {
    glMatrixMode(name == "gl_ModelViewMatrix" ? GL_MODELVIEW : GL_PROJECTION);
    glLoadMatrixf(values);
  } else if (name == "gl_TextureEnvColor") {
    for (uint32_t i = 0; i < uniform.count && i < kUnits; ++i) {
      std::memcpy(values, words + size_t(4) * i, sizeof(GLfloat) * 4);
      glActiveTexture(GL_TEXTURE0 + i);
      glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, values);
    }
    glActiveTexture(GL_TEXTURE0);
  } else if (name.starts_with("gl_LightSource[")) {
    set_light(name, values);
  }
}

}  // namespace brokkr
