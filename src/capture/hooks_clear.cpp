// Clears, blits, and the deletion of images.
#include <exception>

#include "capture/hook_table.h"
#include "capture/session.h"

namespace brokkr::capture {
namespace {

glm::vec4 clear_color() {
  GLfloat color[4] = {};
  gl().GetFloatv(GL_COLOR_CLEAR_VALUE, color);
  return {color[0], color[1], color[2], color[3]};
}

ClearValues values_of(GLbitfield mask) {
  ClearValues values;
  if (mask & GL_COLOR_BUFFER_BIT) values.color = clear_color();
  if (mask & GL_DEPTH_BUFFER_BIT) {
    GLfloat depth = 1;
    gl().GetFloatv(GL_DEPTH_CLEAR_VALUE, &depth);
    values.depth = depth;
  }
  if (mask & GL_STENCIL_BUFFER_BIT) values.stencil = get_integer(GL_STENCIL_CLEAR_VALUE);
  return values;
}

// One buffer's value; `components`: of a colour. Of several colour buffers a target of the file has the first.
template <typename T>
ClearValues values_of(GLenum buffer, GLint draw_buffer, const T* value) {
  ClearValues values;
  if (buffer == GL_COLOR && draw_buffer == 0) {
    values.color = glm::vec4(float(value[0]), float(value[1]), float(value[2]), float(value[3]));
  } else if (buffer == GL_DEPTH) {
    values.depth = static_cast<float>(*value);
  } else if (buffer == GL_STENCIL) {
    values.stencil = static_cast<int>(*value);
  }
  return values;
}

// Framebuffers that a direct-state-access function names, bound while this lives.
class NamedFramebuffers {
 public:
  NamedFramebuffers(GLuint read, GLuint draw)
      : read_(get_name(GL_READ_FRAMEBUFFER_BINDING)), draw_(get_name(GL_DRAW_FRAMEBUFFER_BINDING)) {
    gl().BindFramebuffer(GL_READ_FRAMEBUFFER, read);
    gl().BindFramebuffer(GL_DRAW_FRAMEBUFFER, draw);
  }
  explicit NamedFramebuffers(GLuint draw) : NamedFramebuffers(get_name(GL_READ_FRAMEBUFFER_BINDING), draw) {}
  ~NamedFramebuffers() {
    gl().BindFramebuffer(GL_READ_FRAMEBUFFER, read_);
    gl().BindFramebuffer(GL_DRAW_FRAMEBUFFER, draw_);
  }
  NamedFramebuffers(const NamedFramebuffers&) = delete;
  NamedFramebuffers& operator=(const NamedFramebuffers&) = delete;

 private:
  GLuint read_, draw_;
};

template <typename Make>
void record_clear(const char* name, Make make) {
  record(name, [&](Recorder& current, Context& context) { current.clear(context, make()); });
}

template <typename Make>
void record_named_clear(const char* name, GLuint framebuffer, Make make) {
  record(name, [&](Recorder& current, Context& context) {
    const NamedFramebuffers bound(framebuffer);
    current.clear(context, make());
  });
}

}  // namespace
}  // namespace brokkr::capture

using namespace brokkr::capture;

BROKKR_EXPORT void glClear(GLbitfield mask) {
  if (!is_idle()) record_clear("glClear", [&] { return values_of(mask); });
  gl().Clear(mask);
}

BROKKR_EXPORT void glClearBufferfv(GLenum buffer, GLint index, const GLfloat* value) {
  if (!is_idle()) record_clear("glClearBufferfv", [&] { return values_of(buffer, index, value); });
  gl().ClearBufferfv(buffer, index, value);
}

BROKKR_EXPORT void glClearBufferiv(GLenum buffer, GLint index, const GLint* value) {
  if (!is_idle()) record_clear("glClearBufferiv", [&] { return values_of(buffer, index, value); });
  gl().ClearBufferiv(buffer, index, value);
}

BROKKR_EXPORT void glClearBufferuiv(GLenum buffer, GLint index, const GLuint* value) {
  if (!is_idle()) record_clear("glClearBufferuiv", [&] { return values_of(buffer, index, value); });
  gl().ClearBufferuiv(buffer, index, value);
}

BROKKR_EXPORT void glClearBufferfi(GLenum buffer, GLint index, GLfloat depth, GLint stencil) {
  if (!is_idle()) record_clear("glClearBufferfi", [&] { return ClearValues{{}, depth, stencil}; });
  gl().ClearBufferfi(buffer, index, depth, stencil);
}

BROKKR_EXPORT void glClearNamedFramebufferfv(GLuint framebuffer, GLenum buffer, GLint index, const GLfloat* value) {
  if (!is_idle()) {
    record_named_clear("glClearNamedFramebufferfv", framebuffer, [&] { return values_of(buffer, index, value); });
  }
  gl().ClearNamedFramebufferfv(framebuffer, buffer, index, value);
}

BROKKR_EXPORT void glClearNamedFramebufferiv(GLuint framebuffer, GLenum buffer, GLint index, const GLint* value) {
  if (!is_idle()) {
    record_named_clear("glClearNamedFramebufferiv", framebuffer, [&] { return values_of(buffer, index, value); });
  }
  gl().ClearNamedFramebufferiv(framebuffer, buffer, index, value);
}

BROKKR_EXPORT void glClearNamedFramebufferuiv(GLuint framebuffer, GLenum buffer, GLint index, const GLuint* value) {
  if (!is_idle()) {
    record_named_clear("glClearNamedFramebufferuiv", framebuffer, [&] { return values_of(buffer, index, value); });
  }
  gl().ClearNamedFramebufferuiv(framebuffer, buffer, index, value);
}

BROKKR_EXPORT void glClearNamedFramebufferfi(GLuint framebuffer, GLenum buffer, GLint index, GLfloat depth,
                                             GLint stencil) {
  if (!is_idle()) {
    record_named_clear("glClearNamedFramebufferfi", framebuffer, [&] { return ClearValues{{}, depth, stencil}; });
  }
  gl().ClearNamedFramebufferfi(framebuffer, buffer, index, depth, stencil);
}

BROKKR_EXPORT void glBlitFramebuffer(GLint x0, GLint y0, GLint x1, GLint y1, GLint to_x0, GLint to_y0, GLint to_x1,
                                     GLint to_y1, GLbitfield mask, GLenum filter) {
  if (!is_idle()) {
    record("glBlitFramebuffer", [&](Recorder& current, Context& context) {
      current.blit(context, {x0, y0, x1, y1}, {to_x0, to_y0, to_x1, to_y1}, mask);
    });
  }
  gl().BlitFramebuffer(x0, y0, x1, y1, to_x0, to_y0, to_x1, to_y1, mask, filter);
}

BROKKR_EXPORT void glBlitNamedFramebuffer(GLuint read, GLuint draw, GLint x0, GLint y0, GLint x1, GLint y1, GLint to_x0,
                                          GLint to_y0, GLint to_x1, GLint to_y1, GLbitfield mask, GLenum filter) {
  if (!is_idle()) {
    record("glBlitNamedFramebuffer", [&](Recorder& current, Context& context) {
      const NamedFramebuffers bound(read, draw);
      current.blit(context, {x0, y0, x1, y1}, {to_x0, to_y0, to_x1, to_y1}, mask);
    });
  }
  gl().BlitNamedFramebuffer(read, draw, x0, y0, x1, y1, to_x0, to_y0, to_x1, to_y1, mask, filter);
}

BROKKR_EXPORT void glDeleteTextures(GLsizei n, const GLuint* textures) {
  if (!is_idle()) {
    record("glDeleteTextures", [&](Recorder& current, Context&) {
      for (GLsizei i = 0; i < n; i++) current.forget(GL_TEXTURE, textures[i]);
    });
  }
  gl().DeleteTextures(n, textures);
}

BROKKR_EXPORT void glDeleteRenderbuffers(GLsizei n, const GLuint* renderbuffers) {
  if (!is_idle()) {
    record("glDeleteRenderbuffers", [&](Recorder& current, Context&) {
      for (GLsizei i = 0; i < n; i++) current.forget(GL_RENDERBUFFER, renderbuffers[i]);
    });
  }
  gl().DeleteRenderbuffers(n, renderbuffers);
}

BROKKR_ALIAS(glBlitFramebufferEXT, glBlitFramebuffer);
BROKKR_ALIAS(glDeleteRenderbuffersEXT, glDeleteRenderbuffers);
