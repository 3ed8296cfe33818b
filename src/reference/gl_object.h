// Owners of OpenGL object names. The context that made an object must be current when it is destroyed.
#pragma once

#include <glad/gl.h>

#include <utility>

namespace brokkr {

template <typename Kind>
class GlObject {
 public:
  GlObject() = default;  // owns nothing
  ~GlObject() { reset(); }
  GlObject(GlObject&& other) noexcept : id_(std::exchange(other.id_, 0u)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }

  template <typename... Arguments>
  static GlObject create(Arguments... arguments) {
    GlObject object;
    object.id_ = Kind::create(arguments...);
    return object;
  }

  void reset() {
    if (id_ != 0) Kind::destroy(std::exchange(id_, 0u));
  }
  GLuint id() const { return id_; }
  explicit operator bool() const { return id_ != 0; }

 private:
  GLuint id_ = 0;
};

struct GlBufferKind {
  static GLuint create() {
    GLuint id = 0;
    glCreateBuffers(1, &id);
    return id;
  }
  static void destroy(GLuint id) { glDeleteBuffers(1, &id); }
};

struct GlTextureKind {
  static GLuint create(GLenum target) {
    GLuint id = 0;
    glCreateTextures(target, 1, &id);
    return id;
  }
  static void destroy(GLuint id) { glDeleteTextures(1, &id); }
};

struct GlFramebufferKind {
  static GLuint create() {
    GLuint id = 0;
    glCreateFramebuffers(1, &id);
    return id;
  }
  static void destroy(GLuint id) { glDeleteFramebuffers(1, &id); }
};

struct GlVertexArrayKind {
  static GLuint create() {
    GLuint id = 0;
    glCreateVertexArrays(1, &id);
    return id;
  }
  static void destroy(GLuint id) { glDeleteVertexArrays(1, &id); }
};

struct GlQueryKind {
  static GLuint create(GLenum target) {
    GLuint id = 0;
    glCreateQueries(target, 1, &id);
    return id;
  }
  static void destroy(GLuint id) { glDeleteQueries(1, &id); }
};

struct GlProgramKind {
  static GLuint create() { return glCreateProgram(); }
  static void destroy(GLuint id) { glDeleteProgram(id); }
};

using GlBuffer = GlObject<GlBufferKind>;
using GlTexture = GlObject<GlTextureKind>;
using GlFramebuffer = GlObject<GlFramebufferKind>;
using GlVertexArray = GlObject<GlVertexArrayKind>;
using GlQuery = GlObject<GlQueryKind>;
using GlProgram = GlObject<GlProgramKind>;

}  // namespace brokkr
