#include "capture/image_format.h"

#include <algorithm>
#include <iterator>

namespace brokkr::capture {

TargetColor color_format(GLint internal) {
  struct Known {
    GLint name;
    TexelFormat format;
    TexelBase base;
  };
  static constexpr Known kKnown[] = {{GL_RGB, TexelFormat::rgba8, TexelBase::rgb},
                                     {GL_RGB8, TexelFormat::rgba8, TexelBase::rgb},
                                     {GL_RGB565, TexelFormat::rgba8, TexelBase::rgb},
                                     {GL_R3_G3_B2, TexelFormat::rgba8, TexelBase::rgb},
                                     {GL_SRGB8, TexelFormat::rgba8_srgb, TexelBase::rgb},
                                     {GL_SRGB8_ALPHA8, TexelFormat::rgba8_srgb, TexelBase::rgba},
                                     {GL_SRGB_ALPHA, TexelFormat::rgba8_srgb, TexelBase::rgba},
                                     {GL_RED, TexelFormat::r8, TexelBase::red},
                                     {GL_R8, TexelFormat::r8, TexelBase::red},
                                     {GL_RG, TexelFormat::rg8, TexelBase::rg},
                                     {GL_RG8, TexelFormat::rg8, TexelBase::rg},
                                     {GL_ALPHA, TexelFormat::r8, TexelBase::alpha},
                                     {GL_ALPHA8, TexelFormat::r8, TexelBase::alpha},
                                     {GL_LUMINANCE8, TexelFormat::r8, TexelBase::luminance},
                                     {GL_R16, TexelFormat::r16, TexelBase::red},
                                     {GL_RG16, TexelFormat::rg16, TexelBase::rg},
                                     {GL_RGB16, TexelFormat::rgba16, TexelBase::rgb},
                                     {GL_RGBA16, TexelFormat::rgba16, TexelBase::rgba},
                                     {GL_RGBA12, TexelFormat::rgba16, TexelBase::rgba},
                                     {GL_R16F, TexelFormat::r16f, TexelBase::red},
                                     {GL_RG16F, TexelFormat::rg16f, TexelBase::rg},
                                     {GL_RGB16F, TexelFormat::rgba16f, TexelBase::rgb},
                                     {GL_RGBA16F, TexelFormat::rgba16f, TexelBase::rgba},
                                     {GL_R32F, TexelFormat::r32f, TexelBase::red},
                                     {GL_RG32F, TexelFormat::rg32f, TexelBase::rg},
                                     {GL_RGB32F, TexelFormat::rgba32f, TexelBase::rgb},
                                     {GL_RGBA32F, TexelFormat::rgba32f, TexelBase::rgba},
                                     {GL_R11F_G11F_B10F, TexelFormat::r11g11b10f, TexelBase::rgb},
                                     {GL_RGB10_A2, TexelFormat::rgb10_a2, TexelBase::rgba},
                                     {GL_RGB10, TexelFormat::rgb10_a2, TexelBase::rgb},
                                     {GL_R8I, TexelFormat::r8i, TexelBase::red},
                                     {GL_R8UI, TexelFormat::r8ui, TexelBase::red},
                                     {GL_R16I, TexelFormat::r16i, TexelBase::red},
                                     {GL_R16UI, TexelFormat::r16ui, TexelBase::red},
                                     {GL_R32I, TexelFormat::r32i, TexelBase::red},
                                     {GL_R32UI, TexelFormat::r32ui, TexelBase::red},
                                     {GL_RG32UI, TexelFormat::rg32ui, TexelBase::rg},
                                     {GL_RGBA8UI, TexelFormat::rgba8ui, TexelBase::rgba},
                                     {GL_RGBA16UI, TexelFormat::rgba16ui, TexelBase::rgba},
                                     {GL_RGBA32UI, TexelFormat::rgba32ui, TexelBase::rgba}};
  const auto* const found =
      std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& known) { return known.name == internal; });
  if (found == std::end(kKnown)) return {TexelFormat::rgba8, TexelBase::rgba};
  return {found->format, found->base};
}

std::optional<TexelFormat> depth_format(GLint internal) {
  switch (internal) {
    case GL_DEPTH_COMPONENT16: return TexelFormat::depth16;
    case GL_DEPTH_COMPONENT:
    case GL_DEPTH_COMPONENT24:
    case GL_DEPTH_STENCIL:
    case GL_DEPTH24_STENCIL8: return TexelFormat::depth24;
    case GL_DEPTH_COMPONENT32:
    case GL_DEPTH_COMPONENT32F:
    case GL_DEPTH32F_STENCIL8: return TexelFormat::depth32f;
    default: return std::nullopt;
  }
}

std::optional<TexelFormat> stencil_format(GLint internal) {
  switch (internal) {
    case GL_DEPTH_STENCIL:
    case GL_DEPTH24_STENCIL8:
    case GL_DEPTH32F_STENCIL8:
    case GL_STENCIL_INDEX:
    case GL_STENCIL_INDEX8: return TexelFormat::stencil8;
    default: return std::nullopt;
  }
}

bool is_float_format(TexelFormat format) {
  return (format >= TexelFormat::r16f && format <= TexelFormat::rgba32f) || format == TexelFormat::r11g11b10f;
}

}  // namespace brokkr::capture
