#include "capture/targets.h"

#include <algorithm>

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
      take_errors();
      return size;
    }
    take_errors();
  }
  return size;
}

GLint attachment_value(GLenum binding, GLenum point, GLenum name) {
  GLint value = 0;
  GL(GetFramebufferAttachmentParameteriv)(binding, point, name, &value);
  return value;
}

// Since 3.0, GL has names for the planes of the default framebuffer; before, their numbers of bits tell.
bool window_has(const Context& context, GLenum binding, Plane plane) {
  if (context.info.version < 30) return get_integer(plane == Plane::depth ? GL_DEPTH_BITS : GL_STENCIL_BITS) > 0;
  const GLenum point = plane == Plane::depth ? GLenum(GL_DEPTH) : GLenum(GL_STENCIL);
  const GLint type = attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE);
  if (type != GL_FRAMEBUFFER_DEFAULT) return false;
  return attachment_value(
             binding, point,
             plane == Plane::depth ? GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE : GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE) > 0;
}

}  // namespace

ImageSize image_size(const Context& context, const Image& image) {
  return image.kind == GL_RENDERBUFFER ? renderbuffer_size(image) : texture_size(context, image);
}

bool TargetImages::is_window() const {
  return plane(Plane::color) && plane(Plane::color)->kind == GL_FRAMEBUFFER_DEFAULT;
}

Targets::Targets(const Surface& window) : window_(window) {}

std::optional<Image> Targets::attachment(const Context& context, GLenum binding, GLenum point) const {
  const GLint type = attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE);
  if (type != GL_TEXTURE && type != GL_RENDERBUFFER) return std::nullopt;
  Image image;
  image.kind = static_cast<GLenum>(type);
  image.name = static_cast<uintptr_t>(attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME));
  if (type == GL_TEXTURE) {
    image.level = attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL);
    image.face = attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE);
    if (context.info.version >= 30) {
      image.layer = attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER);
    }
    if (context.info.framebuffer_texture) {
      image.layered = attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_LAYERED) != 0;
    }
  }
  const auto found = generations_.find({image.kind, image.name});
  if (found != generations_.end()) image.generation = found->second;
  return image;
}

TargetImages Targets::images_of(const Context& context, GLenum binding, bool is_window) const {
  TargetImages images;
  if (is_window) {
    const Image image{.kind = GL_FRAMEBUFFER_DEFAULT, .name = current_surface().drawable};
    images.planes[0] = image;
    if (window_has(context, binding, Plane::depth)) images.planes[1] = image;
    if (window_has(context, binding, Plane::stencil)) images.planes[2] = image;
    return images;
  }
  // The first buffer drawn to; where none is, the first attached one, so that a pass without colour shares the target
  // of the one with it.
  const bool draw = binding == GL_DRAW_FRAMEBUFFER;
  const GLint buffer = get_integer(!draw                       ? GLenum(GL_READ_BUFFER)
                                   : context.info.draw_buffers ? GLenum(GL_DRAW_BUFFER0)
                                                               : GLenum(GL_DRAW_BUFFER));
  if (buffer >= GL_COLOR_ATTACHMENT0) images.planes[0] = attachment(context, binding, GLenum(buffer));
  const GLint count = get_integer(GL_MAX_COLOR_ATTACHMENTS);
  for (GLint i = 0; !images.planes[0] && i < count; i++) {
    images.planes[0] = attachment(context, binding, GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(i));
  }
  images.planes[1] = attachment(context, binding, GL_DEPTH_ATTACHMENT);
  images.planes[2] = attachment(context, binding, GL_STENCIL_ATTACHMENT);
  return images;
}

Targets::Found Targets::find(const Context& context, GLenum binding) {
  Found found;
  const bool draw = binding == GL_DRAW_FRAMEBUFFER;
  const bool is_window = !context.info.framebuffers || get_integer(draw ? GLenum(GL_DRAW_FRAMEBUFFER_BINDING)
                                                                        : GLenum(GL_READ_FRAMEBUFFER_BINDING)) == 0;
  if (context.info.framebuffers && GL(CheckFramebufferStatus)(binding) != GL_FRAMEBUFFER_COMPLETE) return found;
  const TargetImages images = images_of(context, binding, is_window);
  if (const auto known = number_of_.find(images); known != number_of_.end()) {
    found.target = known->second;
    return found;
  }
  TargetInfo info{.images = images};
  if (is_window) {
    info.surface = current_surface();
    info.is_main_window = info.surface.drawable == window_.drawable;
    std::tie(info.width, info.height) = surface_size(info.surface);
    if (info.width == 0 || info.height == 0) {
      // The window system does not give the size: the application's viewport is the best guess.
      std::array<GLint, 4> viewport{};
      GL(GetIntegerv)(GL_VIEWPORT, viewport.data());
      info.width = viewport[0] + viewport[2];
      info.height = viewport[1] + viewport[3];
    }
    info.samples = context.info.multisample ? get_integer(GL_SAMPLES) : 0;
  } else {
    for (const std::optional<Image>& image : images.planes) {
      if (!image) continue;
      const ImageSize size = image_size(context, *image);
      info.width = info.width == 0 ? size.width : std::min(info.width, size.width);
      info.height = info.height == 0 ? size.height : std::min(info.height, size.height);
      info.samples = std::max(info.samples, size.samples);
    }
  }
  if (info.width < 1 || info.height < 1 || info.width > kMaxTargetSize || info.height > kMaxTargetSize) {
    found.problem = "the framebuffer's size is not known or above 16384 pixels";
    return found;
  }
  found.target = all_.size();
  number_of_[images] = all_.size();
  all_.push_back(info);
  return found;
}

void Targets::forget(GLenum kind, GLuint name) { generations_[{kind, name}]++; }

}  // namespace brokkr::capture
