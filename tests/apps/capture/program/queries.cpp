// GL's answers about programs and their shaders must be the same with and without the capture layer.
#include <EGL/egl.h>

#include <string>
#include <utility>
#include <vector>

#include "cases.h"

namespace scene {
namespace {

// Programs and the contexts that linked them.
std::vector<std::pair<EGLContext, GLuint>>& linked() {
  static std::vector<std::pair<EGLContext, GLuint>> all;
  return all;
}

void add(std::string& text, const char* name, GLint value) {
  text += std::string(name) + "=" + std::to_string(value) + " ";
}

void add_shader(std::string& text, GLuint shader) {
  for (const GLenum name :
       {GL_SHADER_TYPE, GL_DELETE_STATUS, GL_COMPILE_STATUS, GL_INFO_LOG_LENGTH, GL_SHADER_SOURCE_LENGTH}) {
    GLint value = 0;
    glGetShaderiv(shader, name, &value);
    add(text, "shader", value);
  }
  std::vector<GLchar> source(1 << 14);
  glGetShaderSource(shader, GLsizei(source.size()), nullptr, source.data());
  text += source.data();
}

template <typename Get, typename Locate>
void add_resources(std::string& text, GLuint program, GLenum count_name, Get get, Locate locate) {
  GLint count = 0;
  glGetProgramiv(program, count_name, &count);
  for (GLint i = 0; i < count; i++) {
    GLchar name[256] = {};
    GLint size = 0;
    GLenum type = GL_NONE;
    get(program, GLuint(i), GLsizei(sizeof(name)), nullptr, &size, &type, name);
    text += name;
    add(text, ":", size);
    add(text, "type", GLint(type));
    add(text, "at", locate(program, name));
  }
}

std::string describe(GLuint program) {
  std::string text;
  for (const GLenum name :
       {GL_LINK_STATUS, GL_DELETE_STATUS, GL_VALIDATE_STATUS, GL_INFO_LOG_LENGTH, GL_ATTACHED_SHADERS,
        GL_ACTIVE_ATTRIBUTES, GL_ACTIVE_ATTRIBUTE_MAX_LENGTH, GL_ACTIVE_UNIFORMS, GL_ACTIVE_UNIFORM_MAX_LENGTH,
        GL_ACTIVE_UNIFORM_BLOCKS, GL_TRANSFORM_FEEDBACK_VARYINGS, GL_TRANSFORM_FEEDBACK_BUFFER_MODE,
        GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH, GL_PROGRAM_BINARY_LENGTH, GL_PROGRAM_SEPARABLE}) {
    GLint value = 0;
    glGetProgramiv(program, name, &value);
    add(text, "program", value);
  }
  GLint varyings = 0;
  glGetProgramiv(program, GL_TRANSFORM_FEEDBACK_VARYINGS, &varyings);
  for (GLint i = 0; i < varyings; i++) {
    GLchar name[256] = {};
    GLsizei size = 0;
    GLenum type = GL_NONE;
    glGetTransformFeedbackVarying(program, GLuint(i), GLsizei(sizeof(name)), nullptr, &size, &type, name);
    text += name;
    add(text, "varying", size);
  }
  add_resources(text, program, GL_ACTIVE_ATTRIBUTES, glGetActiveAttrib, glGetAttribLocation);
  add_resources(text, program, GL_ACTIVE_UNIFORMS, glGetActiveUniform, glGetUniformLocation);
  for (const GLenum interface : {GL_PROGRAM_INPUT, GL_PROGRAM_OUTPUT}) {
    GLint count = 0;
    glGetProgramInterfaceiv(program, interface, GL_ACTIVE_RESOURCES, &count);
    add(text, "interface", count);
  }
  std::vector<GLchar> log(1 << 12);
  glGetProgramInfoLog(program, GLsizei(log.size()), nullptr, log.data());
  text += log.data();
  std::vector<GLuint> shaders(8);
  GLsizei count = 0;
  glGetAttachedShaders(program, GLsizei(shaders.size()), &count, shaders.data());
  for (GLsizei i = 0; i < count; i++) add_shader(text, shaders[size_t(i)]);
  return text;
}

}  // namespace

void note_program(GLuint program) { linked().emplace_back(eglGetCurrentContext(), program); }

void forget_program(GLuint program) { std::erase(linked(), std::pair(eglGetCurrentContext(), program)); }

std::string describe_context() {
  std::string text;
  for (const GLenum name :
       {GL_NUM_PROGRAM_BINARY_FORMATS, GL_NUM_SHADER_BINARY_FORMATS, GL_NUM_EXTENSIONS, GL_MAX_VARYING_COMPONENTS,
        GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS, GL_TRANSFORM_FEEDBACK_ACTIVE, GL_ACTIVE_TEXTURE}) {
    GLint value = 0;
    glGetIntegerv(name, &value);
    add(text, "state", value);
  }
  // An object's name depends on which names are free, and recorded frames use some.
  for (const GLenum name :
       {GL_CURRENT_PROGRAM, GL_PROGRAM_PIPELINE_BINDING, GL_TRANSFORM_FEEDBACK_BINDING,
        GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, GL_ARRAY_BUFFER_BINDING, GL_ELEMENT_ARRAY_BUFFER_BINDING,
        GL_VERTEX_ARRAY_BINDING, GL_DRAW_FRAMEBUFFER_BINDING, GL_READ_FRAMEBUFFER_BINDING, GL_RENDERBUFFER_BINDING,
        GL_TEXTURE_BINDING_2D, GL_PIXEL_PACK_BUFFER_BINDING, GL_UNIFORM_BUFFER_BINDING}) {
    GLint value = 0;
    glGetIntegerv(name, &value);
    add(text, "bound", value != 0);
  }
  for (const auto& [context, program] : linked()) {
    if (context == eglGetCurrentContext() && glIsProgram(program) == GL_TRUE) text += describe(program);
  }
  return text;
}

}  // namespace scene
