// Targets of a captured frame in the formats that its application had: up to eight colours, depth and stencil.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "brokkr/frame.h"
#include "reference/gl_object.h"
#include "reference/gl_renderer.h"

namespace brokkr {

// In a compatibility context. Targets have one layer.
class GlPlanes {
 public:
  // Throws std::runtime_error where the driver takes no framebuffer of a target's formats. `frame` must outlive this.
  explicit GlPlanes(const Frame& frame);

  // Colours 0, depth 1, stencil 0 everywhere. This, clears, blits and loads change masks and scissor.
  void reset();
  void clear(const ClearCommand& clear);
  void blit(const BlitCommand& blit);
  void copy(const CopyCommand& copy);
  void load(const LoadCommand& load);

  // Draws with this state go to the target from now on; its planes count as changed.
  void bind(uint32_t target, const State& state);

  // The plane's texture, GL_TEXTURE_2D with one level; 0 where the target has no such plane.
  GLuint texture(uint32_t target, TargetPlane plane) const;
  // Grows with every change of one of its planes; 1 or more.
  uint64_t version(uint32_t target) const { return storages_[target].version; }
  // What is read and copied comes from this plane.
  void read_from(uint32_t target, TargetPlane plane);

  // The first colour as 8 bits a channel, depth and stencil.
  GlLayer read(uint32_t target);

 private:
  struct Storage {
    std::array<GlTexture, kMaxColorPlanes> colors;
    GlTexture depth;  // with stencil where there is some
    bool has_stencil = false;
    GlFramebuffer framebuffer;
    std::vector<GLenum> draw_buffers;
    uint64_t version = 1;
  };

  static Storage make_storage(const Target& target);
  static void set_draw_buffers(Storage& storage, const std::vector<GLenum>& buffers);
  void clear_color(Storage& storage, uint32_t target, TargetPlane plane, const glm::vec4& color);
  void touch(uint32_t target) { storages_[target].version = ++last_version_; }

  const Frame& frame_;
  std::vector<Storage> storages_;
  uint64_t last_version_ = 1;
};

}  // namespace brokkr
