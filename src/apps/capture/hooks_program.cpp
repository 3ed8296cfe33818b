// Hooks for programs, conditional rendering and errors.

#include <utility>
#include <vector>

#include "capture/program.h"
#include "capture/session.h"

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
  GL(LinkProgram)(program);
  if (is_armed()) program_linked(program);
}

BROKKR_EXPORT void glLinkProgramARB(GLhandleARB program) {
  GL(LinkProgramARB)(program);
  if (is_armed()) program_linked(program);
}

BROKKR_EXPORT GLuint glCreateShaderProgramv(GLenum type, GLsizei count, const GLchar* const* strings) {
  const GLuint program = GL(CreateShaderProgramv)(type, count, strings);
  if (is_armed()) shader_program_created(program, type, count, strings);
  return program;
}

BROKKR_EXPORT void glGetProgramBinary(GLuint program, GLsizei size, GLsizei* length, GLenum* format, void* binary) {
  GLsizei written = 0;
  GL(GetProgramBinary)(program, size, length ? length : &written, format, binary);
  if (length) written = *length;
  const auto* const bytes = static_cast<const std::byte*>(binary);
  if (is_armed() && bytes && written > 0 && written <= size) binary_read(program, {bytes, bytes + written});
}

// The content of a binary that another process stored is unknown. The hook passes on a format that the driver does not
// know. The link then fails without an error, as it does after a driver update, and the application compiles from
// source.
BROKKR_EXPORT void glProgramBinary(GLuint program, GLenum format, const void* binary, GLsizei length) {
  const auto* const bytes = static_cast<const std::byte*>(binary);
  if (!is_armed() || !binary || length <= 0 || binary_linked(program, {bytes, bytes + length}))
    return GL(ProgramBinary)(program, format, binary, length);
  std::vector<std::byte> spoilt(bytes, bytes + length);
  for (size_t i = 0; i < spoilt.size() && i < 64; i++) spoilt[i] = ~spoilt[i];
  GL(ProgramBinary)(program, format, spoilt.data(), length);
}

BROKKR_EXPORT void glBeginTransformFeedback(GLenum mode) {
  GL(BeginTransformFeedback)(mode);
  Context* const context = is_armed() ? current_context() : nullptr;
  if (context) context->feedback_mode = mode;
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
    if (context && context->error != GL_NO_ERROR) {
      take_errors();  // OpenGL keeps only the first error
      return std::exchange(context->error, GLenum(GL_NO_ERROR));
    }
  }
  return GL(GetError)();
}

BROKKR_ALIAS_ES(glProgramBinaryOES, glProgramBinary);
BROKKR_ALIAS_ES(glGetProgramBinaryOES, glGetProgramBinary);
BROKKR_ALIAS_ES(glCreateShaderProgramvEXT, glCreateShaderProgramv);
BROKKR_ALIAS(glBeginTransformFeedbackEXT, glBeginTransformFeedback);
BROKKR_ALIAS(glBeginConditionalRenderNV, glBeginConditionalRender);
BROKKR_ALIAS(glEndConditionalRenderNV, glEndConditionalRender);

// State that a display list may set and that describes draws. While a list is compiled, these hooks note such commands,
// so that the list is split there (hooks_immediate.cpp). Running the list reproduces other state, such as matrices,
// colours and materials. The layer restores matrix stacks afterwards, so they must not change in a part that draws.

using namespace brokkr::capture;

// Argument lists include their own parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define BROKKR_STATE(name, parameters, arguments)       \
  BROKKR_EXPORT void gl##name parameters {              \
    if (is_busy(kCompiling)) note_compiled(kListState); \
    GL(name) arguments;                                 \
  }
// NOLINTEND(bugprone-macro-parentheses)

BROKKR_STATE(ShadeModel, (GLenum mode), (mode))
BROKKR_STATE(Enable, (GLenum capability), (capability))
BROKKR_STATE(Disable, (GLenum capability), (capability))
BROKKR_STATE(PushAttrib, (GLbitfield mask), (mask))
BROKKR_STATE(PopAttrib, (), ())
BROKKR_STATE(PushMatrix, (), ())
BROKKR_STATE(PopMatrix, (), ())
BROKKR_STATE(BindTexture, (GLenum target, GLuint texture), (target, texture))
BROKKR_STATE(ActiveTexture, (GLenum unit), (unit))
BROKKR_STATE(UseProgram, (GLuint program), (program))
BROKKR_STATE(TexEnvf, (GLenum target, GLenum name, GLfloat value), (target, name, value))
BROKKR_STATE(TexEnvi, (GLenum target, GLenum name, GLint value), (target, name, value))
BROKKR_STATE(TexEnvfv, (GLenum target, GLenum name, const GLfloat* values), (target, name, values))
BROKKR_STATE(TexEnviv, (GLenum target, GLenum name, const GLint* values), (target, name, values))
BROKKR_STATE(TexGenf, (GLenum axis, GLenum name, GLfloat value), (axis, name, value))
BROKKR_STATE(TexGeni, (GLenum axis, GLenum name, GLint value), (axis, name, value))
BROKKR_STATE(ColorMaterial, (GLenum face, GLenum mode), (face, mode))
BROKKR_STATE(LightModelf, (GLenum name, GLfloat value), (name, value))
BROKKR_STATE(LightModeli, (GLenum name, GLint value), (name, value))
BROKKR_STATE(Fogf, (GLenum name, GLfloat value), (name, value))
BROKKR_STATE(Fogi, (GLenum name, GLint value), (name, value))
BROKKR_STATE(Fogfv, (GLenum name, const GLfloat* values), (name, values))
BROKKR_STATE(BlendFunc, (GLenum source, GLenum destination), (source, destination))
BROKKR_STATE(AlphaFunc, (GLenum function, GLclampf reference), (function, reference))
BROKKR_STATE(DepthFunc, (GLenum function), (function))
BROKKR_STATE(DepthMask, (GLboolean on), (on))
BROKKR_STATE(ColorMask, (GLboolean red, GLboolean green, GLboolean blue, GLboolean alpha), (red, green, blue, alpha))
BROKKR_STATE(StencilFunc, (GLenum function, GLint reference, GLuint mask), (function, reference, mask))
BROKKR_STATE(StencilOp, (GLenum fail, GLenum depth_fail, GLenum pass), (fail, depth_fail, pass))
BROKKR_STATE(StencilMask, (GLuint mask), (mask))
BROKKR_STATE(CullFace, (GLenum mode), (mode))
BROKKR_STATE(FrontFace, (GLenum mode), (mode))
BROKKR_STATE(PolygonMode, (GLenum face, GLenum mode), (face, mode))
BROKKR_STATE(PolygonOffset, (GLfloat factor, GLfloat units), (factor, units))
BROKKR_STATE(LineWidth, (GLfloat width), (width))
BROKKR_STATE(PointSize, (GLfloat size), (size))
BROKKR_STATE(Scissor, (GLint x, GLint y, GLsizei width, GLsizei height), (x, y, width, height))
BROKKR_STATE(Viewport, (GLint x, GLint y, GLsizei width, GLsizei height), (x, y, width, height))
BROKKR_ALIAS(glActiveTextureARB, glActiveTexture);
BROKKR_ALIAS(glBindTextureEXT, glBindTexture);
