// Programs, conditional rendering, errors.
#include <utility>
#include <vector>

#include "capture/hooks.h"
#include "capture/program.h"

using namespace brokkr::capture;

BROKKR_EXPORT GLuint glCreateProgram() {
  const GLuint program = GL(CreateProgram)();
  if (is_armed()) program_created(program);
  return program;
}

BROKKR_EXPORT GLhandleARB glCreateProgramObjectARB() {
  const GLhandleARB program = GL(CreateProgramObjectARB)();
  if (is_armed()) program_created(program);
  return program;
}

BROKKR_EXPORT void glLinkProgram(GLuint program) {
  const auto link = [&] { GL(LinkProgram)(program); };
  if (is_armed()) return link_program(program, link);
  link();
}

BROKKR_EXPORT void glLinkProgramARB(GLhandleARB program) {
  const auto link = [&] { GL(LinkProgramARB)(program); };
  if (is_armed()) return link_program(program, link);
  link();
}

BROKKR_EXPORT void glTransformFeedbackVaryings(GLuint program, GLsizei count, const GLchar* const* names, GLenum mode) {
  if (is_armed()) set_own_feedback(program, count > 0);
  GL(TransformFeedbackVaryings)(program, count, names, mode);
}

BROKKR_EXPORT GLuint glCreateShaderProgramv(GLenum type, GLsizei count, const GLchar* const* strings) {
  const bool vertices = type == GL_VERTEX_SHADER || type == GL_TESS_EVALUATION_SHADER || type == GL_GEOMETRY_SHADER;
  if (is_armed() && (vertices || type == GL_FRAGMENT_SHADER)) return create_shader_program(type, count, strings);
  return GL(CreateShaderProgramv)(type, count, strings);
}

// The varyings of a program binary are fixed. The hook passes on a format that the driver does not know, so the link
// fails without an error, and the application compiles from source.
BROKKR_EXPORT void glProgramBinary(GLuint program, GLenum format, const void* binary, GLsizei length) {
  if (!is_armed() || !binary || length <= 0) return GL(ProgramBinary)(program, format, binary, length);
  std::vector<unsigned char> spoilt(static_cast<const unsigned char*>(binary),
                                    static_cast<const unsigned char*>(binary) + length);
  for (size_t i = 0; i < spoilt.size() && i < 64; i++) spoilt[i] = static_cast<unsigned char>(~spoilt[i]);
  GL(ProgramBinary)(program, format, spoilt.data(), length);
}

BROKKR_EXPORT void glGetIntegerv(GLenum name, GLint* values) {
  GL(GetIntegerv)(name, values);
  // Most applications query this number first, and neither save nor load binaries if it is 0.
  if (name == GL_NUM_PROGRAM_BINARY_FORMATS && values && is_armed()) *values = 0;
}

BROKKR_EXPORT void glBeginConditionalRender(GLuint query, GLenum mode) {
  GL(BeginConditionalRender)(query, mode);
  Context* const context = is_armed() ? current_context() : nullptr;
  if (!context) return;
  context->conditional_query = query;
  context->conditional_mode = mode;
}

BROKKR_EXPORT void glEndConditionalRender() {
  GL(EndConditionalRender)();
  Context* const context = is_armed() ? current_context() : nullptr;
  if (context) context->conditional_mode = GL_NONE;
}

BROKKR_EXPORT GLenum glGetError() {
  if (g_pending_errors.load(std::memory_order_relaxed)) {
    Context* const context = current_context();
    if (context && context->error != GL_NO_ERROR) return std::exchange(context->error, GLenum(GL_NO_ERROR));
  }
  return GL(GetError)();
}

BROKKR_ALIAS(glTransformFeedbackVaryingsEXT, glTransformFeedbackVaryings);
BROKKR_ALIAS(glBeginConditionalRenderNV, glBeginConditionalRender);
BROKKR_ALIAS(glEndConditionalRenderNV, glEndConditionalRender);
