// Hooks for clears, blits, and the deletion of images.
#include <algorithm>

#include "capture/session.h"

namespace brokkr::capture {
namespace {

ClearValues values_of(GLbitfield mask) {
  ClearValues values;
  if (mask & GL_COLOR_BUFFER_BIT) {
    const auto [red, green, blue, alpha] = get_floats<4>(GL_COLOR_CLEAR_VALUE);
    values.color = glm::vec4(red, green, blue, alpha);
  }
  if (mask & GL_DEPTH_BUFFER_BIT) values.depth = get_floats<1>(GL_DEPTH_CLEAR_VALUE)[0];
  if (mask & GL_STENCIL_BUFFER_BIT) values.stencil = get_integer(GL_STENCIL_CLEAR_VALUE);
  return values;
}

// The clear value for one buffer.
template <typename T>
ClearValues values_of(GLenum buffer, GLint draw_buffer, const T* value) {
  ClearValues values;
  if (buffer == GL_COLOR) {
    values.draw_buffer = static_cast<size_t>(std::max(draw_buffer, 0));
    values.color = glm::vec4(float(value[0]), float(value[1]), float(value[2]), float(value[3]));
  } else if (buffer == GL_DEPTH) {
    values.depth = static_cast<float>(*value);
  } else if (buffer == GL_STENCIL) {
    values.stencil = static_cast<int>(*value);
  }
  return values;
}

// `read`, `draw`: framebuffers named by a direct-state-access function; empty: the bound ones.
using Named = std::optional<GLuint>;

// Calls f(recorder, context) before the program's call, with those framebuffers bound.
template <typename F>
void record_on(const char* name, Named read, Named draw, F f) {
  if (is_idle()) return;
  record(name, [&](Recorder& current, Context& context) {
    Restore restore;
    if (read) restore.bind(GL_READ_FRAMEBUFFER, *read);
    if (draw) restore.bind(GL_DRAW_FRAMEBUFFER, *draw);
    f(current, context);
  });
}

template <typename Make>
void record_clear(const char* name, Named draw, Make make) {
  record_on(name, {}, draw, [&](Recorder& current, Context& context) { current.clear(context, make()); });
}

void forget_all(const char* name, GLenum kind, GLsizei n, const GLuint* objects) {
  if (is_idle()) return;
  record(name, [&](Recorder& current, Context& context) {
    for (GLsizei i = 0; i < n; i++) current.forget(context, kind, objects[i]);
  });
}

}  // namespace
}  // namespace brokkr::capture

using namespace brokkr::capture;

BROKKR_EXPORT void glClear(GLbitfield mask) {
  record_clear("glClear", {}, [&] { return values_of(mask); });
  GL(Clear)(mask);
}

// Defines the hooks glClearBuffer… and glClearNamedFramebuffer… of one type. The trailing expression converts
// `parameters` to ClearValues.
#define BROKKR_CLEAR(suffix, parameters, arguments, ...)                                             \
  BROKKR_EXPORT void glClearBuffer##suffix(GLenum buffer, GLint index, BROKKR_LIST parameters) {     \
    record_clear("glClearBuffer" #suffix, {}, [&] { return __VA_ARGS__; });                          \
    GL(ClearBuffer##suffix)(buffer, index, BROKKR_LIST arguments);                                   \
  }                                                                                                  \
  BROKKR_EXPORT void glClearNamedFramebuffer##suffix(GLuint framebuffer, GLenum buffer, GLint index, \
                                                     BROKKR_LIST parameters) {                       \
    record_clear("glClearNamedFramebuffer" #suffix, framebuffer, [&] { return __VA_ARGS__; });       \
    GL(ClearNamedFramebuffer##suffix)(framebuffer, buffer, index, BROKKR_LIST arguments);            \
  }
#define BROKKR_LIST(...) __VA_ARGS__  // without the brackets
BROKKR_CLEAR(fv, (const GLfloat* value), (value), values_of(buffer, index, value))
BROKKR_CLEAR(iv, (const GLint* value), (value), values_of(buffer, index, value))
BROKKR_CLEAR(uiv, (const GLuint* value), (value), values_of(buffer, index, value))
BROKKR_CLEAR(fi, (GLfloat depth, GLint stencil), (depth, stencil), ClearValues{{}, {}, depth, stencil})

BROKKR_EXPORT void glBlitFramebuffer(GLint x0, GLint y0, GLint x1, GLint y1, GLint to_x0, GLint to_y0, GLint to_x1,
                                     GLint to_y1, GLbitfield mask, GLenum filter) {
  record_on("glBlitFramebuffer", {}, {}, [&](Recorder& current, Context& context) {
    current.blit(context, {x0, y0, x1, y1}, {to_x0, to_y0, to_x1, to_y1}, mask, filter);
  });
  GL(BlitFramebuffer)(x0, y0, x1, y1, to_x0, to_y0, to_x1, to_y1, mask, filter);
}

BROKKR_EXPORT void glBlitNamedFramebuffer(GLuint read, GLuint draw, GLint x0, GLint y0, GLint x1, GLint y1, GLint to_x0,
                                          GLint to_y0, GLint to_x1, GLint to_y1, GLbitfield mask, GLenum filter) {
  record_on("glBlitNamedFramebuffer", read, draw, [&](Recorder& current, Context& context) {
    current.blit(context, {x0, y0, x1, y1}, {to_x0, to_y0, to_x1, to_y1}, mask, filter);
  });
  GL(BlitNamedFramebuffer)(read, draw, x0, y0, x1, y1, to_x0, to_y0, to_x1, to_y1, mask, filter);
}

BROKKR_EXPORT void glDeleteTextures(GLsizei n, const GLuint* textures) {
  forget_all("glDeleteTextures", GL_TEXTURE, n, textures);
  GL(DeleteTextures)(n, textures);
}

BROKKR_EXPORT void glDeleteRenderbuffers(GLsizei n, const GLuint* renderbuffers) {
  forget_all("glDeleteRenderbuffers", GL_RENDERBUFFER, n, renderbuffers);
  GL(DeleteRenderbuffers)(n, renderbuffers);
}

BROKKR_ALIAS(glBlitFramebufferEXT, glBlitFramebuffer);
BROKKR_ALIAS(glDeleteRenderbuffersEXT, glDeleteRenderbuffers);
BROKKR_ALIAS_ES(glBlitFramebufferANGLE, glBlitFramebuffer);
BROKKR_ALIAS_ES(glBlitFramebufferNV, glBlitFramebuffer);
