// Textures of a captured frame, as its programs read them.
#pragma once

#include <cstdint>
#include <vector>

#include "brokkr/frame.h"
#include "reference/gl_object.h"

namespace brokkr {

class GlPlanes;

// How OpenGL stores texels of a format, and how they are handed to it. Of compressed formats `pixels` is GL_NONE.
struct GlTexelFormat {
  GLenum internal = GL_RGBA8, pixels = GL_RGBA, type = GL_UNSIGNED_BYTE;
};
GlTexelFormat gl_texel_format(TexelFormat format, TexelBase base);
bool is_integer_format(TexelFormat format);

// In a compatibility context, whose luminance, alpha and intensity formats captured textures may have.
class GlCapturedTextures {
 public:
  // Uploads what `frame` holds. Both must outlive this.
  GlCapturedTextures(const Frame& frame, GlPlanes& planes);

  // Binds what a draw's sampler reads to a unit: levels that the frame draws itself are what the planes hold now.
  void bind(GLuint unit, const BoundTexture& bound);
  void generate_mips(const GenerateMipsCommand& command);

  // Nothing counts as copied from planes any more: at the beginning of a frame.
  void forget_copies();

 private:
  struct Texture {
    GlTexture own;
    GlBuffer texels;               // TextureKind::buffer
    bool is_plane = false;         // the one image, all of it: the plane's own texture is bound
    int32_t sampler = -1;          // whose parameters the texture has
    std::vector<uint64_t> copied;  // of each image: the plane's version
  };

  void upload(const CapturedTexture& source, Texture& texture);
  void take_images(uint32_t number);
  GLuint name_of(uint32_t number) const;
  void set_parameters(uint32_t number, int32_t sampler);

  const Frame& frame_;
  GlPlanes& planes_;
  std::vector<Texture> textures_;
  std::vector<GlSampler> samplers_;
};

}  // namespace brokkr
