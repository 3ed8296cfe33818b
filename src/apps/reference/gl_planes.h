// The targets of a captured frame in the application's formats: up to eight colours, depth and stencil.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "brokkr/frame.h"
#include "reference/egl_context.h"
#include "reference/gl_object.h"
#include "reference/gl_renderer.h"

namespace brokkr {

// Requires a compatibility context. Targets have one layer.
class GlPlanes {
 public:
  // Throws std::runtime_error if the driver accepts no framebuffer with a target's formats. `frame` must outlive the
  // object. The first target whose samples lie upside down becomes a window of `windows`, whose samples do too, if the
  // driver has such windows and the frame does not use the target as a texture.
  explicit GlPlanes(const Frame& frame, EglContext* windows = nullptr);

  // Sets colour 0, depth 1, stencil 0 everywhere. Like clears, blits and loads, it changes masks and scissor.
  void reset();
  void clear(const ClearCommand& clear);
  void blit(const BlitCommand& blit);
  void copy(const CopyCommand& copy);
  void load(const LoadCommand& load);

  // Directs draws with this state to the target; its planes count as changed.
  void bind(uint32_t target, const State& state);

  // Returns true if the target is the window of the context. Its colours have a linear format.
  bool is_window(uint32_t target) const { return storages_[target].window != GL_NONE; }
  // The plane's texture, GL_TEXTURE_2D with one level, or GL_TEXTURE_2D_MULTISAMPLE; 0 if the target has no such plane.
  GLuint texture(uint32_t target, TargetPlane plane) const;
  // A number >= 1 that grows with every change of one of the target's planes.
  uint64_t version(uint32_t target) const { return storages_[target].version; }
  // Makes this plane the source of reads and copies.
  void read_from(uint32_t target, TargetPlane plane);

  // Reads the first colour with 8 bits per channel, depth and stencil.
  GlLayer read(uint32_t target);

 private:
  struct Storage {
    std::array<GlTexture, kMaxColorPlanes> colors;
    GlTexture depth;  // includes stencil if the target has one
    bool has_depth = false, has_stencil = false;
    GlFramebuffer framebuffer;
    GLenum window = GL_NONE;  // the buffer of its colours, if the target is the window, which has no textures
    bool has(TargetPlane plane) const;
    GLenum buffer(TargetPlane plane) const;  // of a colour that the target has
    std::vector<GLenum> draw_buffers;
    uint64_t version = 1;
  };

  static Storage make_storage(const Target& target);
  // Makes the target the window of the context, if it can be.
  static std::optional<Storage> make_window(const Target& target, EglContext& context);
  static GLuint texture_of(const Storage& storage, TargetPlane plane);
  // Uploads a picture to a plane with one sample per pixel.
  void upload(const Storage& storage, const LoadCommand& load) const;
  // Copies a plane between storages of one target. One of them has one sample per pixel.
  static void copy_plane(const Storage& source, Storage& destination, const Target& target, TargetPlane plane);
  static void set_draw_buffers(Storage& storage, const std::vector<GLenum>& buffers);
  void clear_color(Storage& storage, uint32_t target, TargetPlane plane, const glm::vec4& color);
  void touch(uint32_t target) { storages_[target].version = ++last_version_; }

  const Frame& frame_;
  std::vector<Storage> storages_;
  uint64_t last_version_ = 1;
};

}  // namespace brokkr
