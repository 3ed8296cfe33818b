#include "reference/gl_link.h"

#include <stdexcept>

namespace brokkr {
namespace {

// Adds the first line of the driver's log for a shader or program.
template <class ReadLog>
[[noreturn]] void fail(const char* what, const char* problem, GLuint object, ReadLog read_log) {
  char log[2048] = "";
  read_log(object, sizeof log, nullptr, log);
  const std::string said(log);
  throw std::runtime_error(std::string("OpenGL: ") + what + problem + ": " + said.substr(0, said.find('\n')));
}

}  // namespace

GlProgram link_program(std::initializer_list<std::pair<GLenum, std::string>> texts, const char* what) {
  GlProgram program = GlProgram::create();
  GLint good = GL_FALSE;
  for (const auto& [stage, text] : texts) {
    const GLuint shader = glCreateShader(stage);
    glAttachShader(program.id(), shader);
    glDeleteShader(shader);  // deleted together with the program
    const char* const source = text.c_str();
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good == GL_FALSE) fail(what, " does not compile", shader, glGetShaderInfoLog);
  }
  glLinkProgram(program.id());
  glGetProgramiv(program.id(), GL_LINK_STATUS, &good);
  if (good == GL_FALSE) fail(what, " does not link", program.id(), glGetProgramInfoLog);
  return program;
}

}  // namespace brokkr
