// The textures of a captured frame, as its programs read them.
#pragma once

#include <cstdint>
#include <vector>

#include "brokkr/frame.h"
#include "reference/gl_object.h"

namespace brokkr {

class GlPlanes;

// OpenGL's storage and transfer formats of texels. For compressed formats `pixels` is GL_NONE.
struct GlTexelFormat {
  GLenum internal = GL_RGBA8, pixels = GL_RGBA, type = GL_UNSIGNED_BYTE;
};
GlTexelFormat gl_texel_format(TexelFormat format, TexelBase base);
bool is_integer_format(TexelFormat format);

// Requires a compatibility context, because captured textures may have luminance, alpha and intensity formats.
class GlCapturedTextures {
 public:
  // Uploads the textures of `frame`. Both arguments must outlive the object.
  GlCapturedTextures(const Frame& frame, GlPlanes& planes);

  // Binds a draw's texture to a unit. Levels that the frame itself renders have the current content of their planes.
  void bind(GLuint unit, const BoundTexture& bound);
  void generate_mips(const GenerateMipsCommand& command);

  // Forgets all copies from planes; call at the start of a frame.
  void forget_copies();

 private:
  struct Texture {
    GlTexture own;
    GlBuffer texels;               // TextureKind::buffer
    bool is_plane = false;         // a plane is the only image and covers the texture: the plane's own texture is bound
    int32_t sampler = -1;          // the sampler whose parameters the texture has
    std::vector<uint64_t> copied;  // per image: the version of its plane
  };

  // Makes an array for the samples of targets.
  void make_layers(const CapturedTexture& source, Texture& texture);
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
