// Render targets as OpenGL framebuffers: layers are array textures, cut into several where the driver's limits are
// lower than a frame's.
#pragma once

#include <cstdint>
#include <vector>

#include "brokkr/frame.h"
#include "reference/gl_object.h"
#include "reference/gl_renderer.h"

namespace brokkr {

class GlTargets {
 public:
  // `stencil` off leaves the stencil planes out: they then read back as 0. Throws std::runtime_error where the driver
  // refuses a size.
  GlTargets(const std::vector<Target>& targets, bool stencil);

  // Colour 0, depth 1, stencil 0 everywhere. Changes masks, scissor and the bound framebuffer, as clear and blit do.
  void reset();
  void clear(const ClearCommand& clear);
  void blit(const BlitCommand& blit);

  // Draws go to this layer from now on.
  void bind(uint32_t target, uint32_t layer);
  GlLayer read(uint32_t target, uint32_t layer);

 private:
  // Some layers of a target that one texture holds.
  struct Chunk {
    uint32_t layers = 1;
    GlTexture color, depth;
    GlFramebuffer all;                // every layer at once, for clears
    std::vector<GlFramebuffer> each;  // made when first drawn to
  };
  struct Storage {
    Target target;
    uint32_t layers_per_chunk = 1;
    std::vector<Chunk> chunks;
  };

  Chunk make_chunk(const Target& target, uint32_t layers) const;
  void attach(GLuint framebuffer, const Chunk& chunk, int layer) const;
  GLuint framebuffer(uint32_t target, uint32_t layer);
  void clear_storage(Storage& storage, const ClearCommand& clear);

  bool stencil_ = false;
  std::vector<Storage> storages_;
};

// Throws std::runtime_error naming `where` if OpenGL recorded an error.
void check_gl(const char* where);

}  // namespace brokkr
