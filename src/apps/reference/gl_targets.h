// Render targets as OpenGL framebuffers: layers are array textures, split into several if the driver's limits are below
// the frame's.
#pragma once

#include <cstdint>
#include <vector>

#include "brokkr/frame.h"
#include "reference/gl_object.h"
#include "reference/gl_renderer.h"

namespace brokkr {

class GlTargets {
 public:
  // If `stencil` is false, there are no stencil planes, and stencil reads back as 0. Throws std::runtime_error if the
  // driver rejects a size.
  GlTargets(const std::vector<Target>& targets, bool stencil);

  // Sets colour 0, depth 1, stencil 0 everywhere. Changes masks, scissor and the bound framebuffer, as clear and blit
  // do.
  void reset();
  void clear(const ClearCommand& clear);
  void blit(const BlitCommand& blit);

  // Directs draws to this layer.
  void bind(uint32_t target, uint32_t layer);
  GlLayer read(uint32_t target, uint32_t layer);

 private:
  // The layers of a target that one texture holds.
  struct Chunk {
    uint32_t layers = 1;
    GlTexture color, depth;
    GlFramebuffer all;                // all layers at once, for clears
    std::vector<GlFramebuffer> each;  // created when a layer is first drawn to
  };
  struct Storage {
    Target target;
    uint32_t layers_per_chunk = 1;
    std::vector<Chunk> chunks;
    Chunk resolved;  // of a target with several samples a pixel: created when a layer is first read
  };

  Chunk make_chunk(const Target& target, uint32_t layers) const;
  void attach(GLuint framebuffer, const Chunk& chunk, int layer) const;
  GLuint framebuffer(uint32_t target, uint32_t layer);
  // The framebuffer to which the layer's samples were resolved.
  GLuint resolve(uint32_t target, uint32_t layer);
  void clear_storage(Storage& storage, const ClearCommand& clear);

  bool stencil_ = false;
  std::vector<Storage> storages_;
};

// Throws std::runtime_error that names `where` if OpenGL recorded an error.
void check_gl(const char* where);

}  // namespace brokkr
