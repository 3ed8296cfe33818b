// Owners of OpenGL object names. The context that made an object must be current when it is destroyed.
#pragma once

#include <glad/gl.h>

#include <utility>

#include "brokkr/frame.h"

namespace brokkr {

template <typename Kind>
class GlObject {
 public:
  GlObject() = default;  // owns no object
  ~GlObject() {
    if (id_ != 0) Kind::destroy(id_);
  }
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

  GLuint id() const { return id_; }
  explicit operator bool() const { return id_ != 0; }

 private:
  GLuint id_ = 0;
};

// Object kinds that OpenGL creates and deletes in arrays. `parameters`: the target, for kinds that are created for one.
#define BROKKR_GL_KIND(kind, plural, parameters, ...)            \
  struct Gl##kind##Kind {                                        \
    static GLuint create parameters {                            \
      GLuint id = 0;                                             \
      glCreate##plural(__VA_ARGS__);                             \
      return id;                                                 \
    }                                                            \
    static void destroy(GLuint id) { glDelete##plural(1, &id); } \
  }
BROKKR_GL_KIND(Buffer, Buffers, (), 1, &id);
BROKKR_GL_KIND(Texture, Textures, (GLenum target), target, 1, &id);
BROKKR_GL_KIND(Framebuffer, Framebuffers, (), 1, &id);
BROKKR_GL_KIND(VertexArray, VertexArrays, (), 1, &id);
BROKKR_GL_KIND(Query, Queries, (GLenum target), target, 1, &id);
BROKKR_GL_KIND(Sampler, Samplers, (), 1, &id);
#undef BROKKR_GL_KIND

struct GlProgramKind {
  static GLuint create() { return glCreateProgram(); }
  static void destroy(GLuint id) { glDeleteProgram(id); }
};

using GlBuffer = GlObject<GlBufferKind>;
using GlTexture = GlObject<GlTextureKind>;
using GlFramebuffer = GlObject<GlFramebufferKind>;
using GlVertexArray = GlObject<GlVertexArrayKind>;
using GlQuery = GlObject<GlQueryKind>;
using GlSampler = GlObject<GlSamplerKind>;
using GlProgram = GlObject<GlProgramKind>;

// Sets a draw's state by OpenGL calls.
void enable(GLenum capability, bool on);

// Sets all of `state` and of a draw's convention flags (DrawFlag), whatever was set before, except the state that only
// captured programs use (apply_program_state).
void apply_state(const State& state, uint32_t flags);

// Call after apply_state, in a compatibility context: sets blending and masks of each draw buffer, alpha test, sRGB
// encoding, flat shading, points and lines.
void apply_program_state(const State& state);

// Applies the state of targets with several samples a pixel.
void apply_samples(const State& state);

}  // namespace brokkr
