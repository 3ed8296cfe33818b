#include "capture/image_size.h"

namespace brokkr::capture {
namespace {

// A target that a texture of unknown kind may belong to, and the state that names the texture bound there.
struct TextureKind {
  GLenum target, binding, level_target;
  int version;  // that brought it
};
constexpr TextureKind kTextureKinds[] = {
    {GL_TEXTURE_2D, GL_TEXTURE_BINDING_2D, GL_TEXTURE_2D, 11},
    {GL_TEXTURE_2D_MULTISAMPLE, GL_TEXTURE_BINDING_2D_MULTISAMPLE, GL_TEXTURE_2D_MULTISAMPLE, 32},
    {GL_TEXTURE_CUBE_MAP, GL_TEXTURE_BINDING_CUBE_MAP, GL_TEXTURE_CUBE_MAP_POSITIVE_X, 13},
    {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_BINDING_2D_ARRAY, GL_TEXTURE_2D_ARRAY, 30},
    {GL_TEXTURE_RECTANGLE, GL_TEXTURE_BINDING_RECTANGLE, GL_TEXTURE_RECTANGLE, 31},
    {GL_TEXTURE_3D, GL_TEXTURE_BINDING_3D, GL_TEXTURE_3D, 12},
    {GL_TEXTURE_1D, GL_TEXTURE_BINDING_1D, GL_TEXTURE_1D, 11},
    {GL_TEXTURE_1D_ARRAY, GL_TEXTURE_BINDING_1D_ARRAY, GL_TEXTURE_1D_ARRAY, 30},
    {GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_BINDING_CUBE_MAP_ARRAY, GL_TEXTURE_CUBE_MAP_ARRAY, 40},
    {GL_TEXTURE_2D_MULTISAMPLE_ARRAY, GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY, GL_TEXTURE_2D_MULTISAMPLE_ARRAY, 32},
};

ImageSize renderbuffer_size(const Image& image) {
  ImageSize size;
  const GLuint bound = get_name(GL_RENDERBUFFER_BINDING);
  GL(BindRenderbuffer)(GL_RENDERBUFFER, static_cast<GLuint>(image.name));
  GL(GetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, &size.width);
  GL(GetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_HEIGHT, &size.height);
  GL(GetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES, &size.samples);
  GL(BindRenderbuffer)(GL_RENDERBUFFER, bound);
  return size;
}

void clear_errors() {
  for (int i = 0; i < 16 && GL(GetError)() != GL_NO_ERROR; i++) {
  }
}

ImageSize texture_size(const Context& context, const Image& image) {
  ImageSize size;
  for (const TextureKind& kind : kTextureKinds) {
    if (context.info.version < kind.version) continue;
    const GLuint bound = get_name(kind.binding);
    // Binding a texture to another target than its own is an error that changes nothing. This finds the target.
    GL(BindTexture)(kind.target, static_cast<GLuint>(image.name));
    const bool fits = GL(GetError)() == GL_NO_ERROR;
    if (fits) {
      GL(GetTexLevelParameteriv)(kind.level_target, image.level, GL_TEXTURE_WIDTH, &size.width);
      GL(GetTexLevelParameteriv)(kind.level_target, image.level, GL_TEXTURE_HEIGHT, &size.height);
      if (context.info.version >= 32) {
        GL(GetTexLevelParameteriv)(kind.level_target, image.level, GL_TEXTURE_SAMPLES, &size.samples);
      }
      size.target = kind.target;
      GL(BindTexture)(kind.target, bound);
      clear_errors();
      return size;
    }
    clear_errors();
  }
  return size;
}

}  // namespace

ImageSize image_size(const Context& context, const Image& image) {
  return image.kind == GL_RENDERBUFFER ? renderbuffer_size(image) : texture_size(context, image);
}

}  // namespace brokkr::capture
