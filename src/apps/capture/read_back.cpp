#include "capture/read_back.h"

#include <algorithm>
#include <array>

#include "capture/state_guard.h"

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
// Compiled in, so that a captured program needs no further library.
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace brokkr::capture {
namespace {

void attach(const Context& context, GLenum point, const Image& image) {
  const auto name = static_cast<GLuint>(image.name);
  if (image.kind == GL_RENDERBUFFER) {
    GL(FramebufferRenderbuffer)(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, name);
    return;
  }
  const GLenum target = image_size(context, image).target;
  const bool is_array = target == GL_TEXTURE_2D_ARRAY || target == GL_TEXTURE_3D || target == GL_TEXTURE_1D_ARRAY ||
                        target == GL_TEXTURE_CUBE_MAP_ARRAY || target == GL_TEXTURE_2D_MULTISAMPLE_ARRAY;
  if (is_array) {
    GL(FramebufferTextureLayer)(GL_FRAMEBUFFER, point, name, image.level, image.layer);
  } else if (target == GL_TEXTURE_CUBE_MAP) {
    const GLint face = image.face ? image.face : GL_TEXTURE_CUBE_MAP_POSITIVE_X + image.layer % 6;
    GL(FramebufferTexture2D)(GL_FRAMEBUFFER, point, static_cast<GLenum>(face), name, image.level);
  } else if (target != GL_NONE) {
    GL(FramebufferTexture2D)(GL_FRAMEBUFFER, point, target, name, image.level);
  }
}

bool is_alive(const Image& image) {
  if (image.kind == GL_FRAMEBUFFER_DEFAULT) return true;
  const auto name = static_cast<GLuint>(image.name);
  return image.kind == GL_RENDERBUFFER ? GL(IsRenderbuffer)(name) : GL(IsTexture)(name);
}

// A framebuffer of the layer, bound for drawing and reading.
GLuint make_framebuffer(Restore& restore) {
  GLuint name = 0;
  GL(GenFramebuffers)(1, &name);
  restore.add([name] { GL(DeleteFramebuffers)(1, &name); });
  restore.bind(GL_FRAMEBUFFER, name);
  return name;
}

GLenum attachment_of(Plane plane) {
  return is_color(plane) ? GL_COLOR_ATTACHMENT0 : plane == Plane::depth ? GL_DEPTH_ATTACHMENT : GL_STENCIL_ATTACHMENT;
}

// Gives the bound framebuffer only the colour buffer of this plane.
void set_color_buffers(Plane plane) {
  GL(DrawBuffer)(is_color(plane) ? GL_COLOR_ATTACHMENT0 : GL_NONE);
  GL(ReadBuffer)(is_color(plane) ? GL_COLOR_ATTACHMENT0 : GL_NONE);
}

// Copies `plane` from `framebuffer` to a framebuffer without multisampling, which is then bound. Depth uses one sample,
// as GL defines; colours are averaged.
void resolve(const Context& context, const TargetInfo& target, Plane plane, GLuint framebuffer, Restore& restore) {
  const GLint format = is_color(plane) ? GL_RGBA8 : image_size(context, *target.images.plane(plane)).format;
  GLuint storage = 0;
  GL(GenRenderbuffers)(1, &storage);
  restore.add([storage] { GL(DeleteRenderbuffers)(1, &storage); });
  restore.bind(GL_RENDERBUFFER, storage);
  GL(RenderbufferStorage)(GL_RENDERBUFFER, static_cast<GLenum>(format), target.width, target.height);
  const GLuint resolved = make_framebuffer(restore);
  const bool both = format == GL_DEPTH24_STENCIL8 || format == GL_DEPTH32F_STENCIL8;
  const GLenum point = both ? GLenum(GL_DEPTH_STENCIL_ATTACHMENT) : attachment_of(plane);
  GL(FramebufferRenderbuffer)(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, storage);
  set_color_buffers(plane);
  GL(BindFramebuffer)(GL_READ_FRAMEBUFFER, framebuffer);
  restore.set_enabled(GL_SCISSOR_TEST, false);
  const GLbitfield bits = is_color(plane)         ? GL_COLOR_BUFFER_BIT
                          : plane == Plane::depth ? GL_DEPTH_BUFFER_BIT
                                                  : GL_STENCIL_BUFFER_BIT;
  GL(BlitFramebuffer)
  (0, 0, target.width, target.height, 0, 0, target.width, target.height, bits, GL_NEAREST);
  GL(BindFramebuffer)(GL_READ_FRAMEBUFFER, resolved);
}

// Binds the source of a target's `plane`: the window, or a framebuffer of the layer with the image. Returns false if
// there is none.
bool bind_plane(const Context& context, const TargetInfo& target, Plane plane, Restore& restore) {
  if (target.images.is_window()) {
    if (current_surface().drawable != target.surface.drawable) return false;
    if (context.info.framebuffers) restore.bind(GL_FRAMEBUFFER, 0);
    if (is_color(plane)) {
      restore.add([buffer = get_name(GL_READ_BUFFER)] { GL(ReadBuffer)(buffer); });
      const GLenum drawn = get_name(GL_DRAW_BUFFER);
      GL(ReadBuffer)(drawn == GL_NONE ? GLenum(GL_BACK) : drawn);
    }
    return true;
  }
  const std::optional<Image>& image = target.images.plane(plane);
  if (!image || !is_alive(*image)) return false;
  const GLuint framebuffer = make_framebuffer(restore);
  attach(context, attachment_of(plane), *image);
  set_color_buffers(plane);
  if (GL(CheckFramebufferStatus)(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
  if (target.samples > 0) resolve(context, target, plane, framebuffer, restore);
  return true;
}

template <typename T>
std::vector<T> read_pixels(const Context& context, const TargetInfo& target, Plane plane, GLenum format, GLenum type,
                           size_t channels) {
  std::vector<T> values;
  Restore restore;
  pack_plainly(context, restore);
  if (!bind_plane(context, target, plane, restore)) {
    take_errors();
    return values;
  }
  values.resize(static_cast<size_t>(target.width) * static_cast<size_t>(target.height) * channels);
  GL(ReadPixels)(0, 0, target.width, target.height, format, type, values.data());
  if (take_errors() != GL_NO_ERROR) values.clear();  // the application's errors were taken before
  return values;
}

// RGB, rows bottom to top. Empty if encoding fails.
std::vector<uint8_t> encode_png(int width, int height, const std::vector<uint8_t>& pixels) {
  // Rows are reversed here, because the encoder's flag for that is shared by all threads.
  const auto row = static_cast<ptrdiff_t>(width) * 3;
  std::vector<uint8_t> turned, out;
  for (auto end = pixels.end(); end != pixels.begin(); end -= row) turned.insert(turned.end(), end - row, end);
  const auto append = [](void* to, void* data, int size) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    auto& all = *static_cast<std::vector<uint8_t>*>(to);
    all.insert(all.end(), bytes, bytes + size);
  };
  if (!stbi_write_png_to_func(append, &out, width, height, 3, turned.data(), static_cast<int>(row))) out.clear();
  return out;
}

}  // namespace

void pack_plainly(const Context& context, Restore& restore) {
  for (const GLenum name : {GL_PACK_ALIGNMENT, GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS, GL_PACK_SKIP_PIXELS,
                            GL_PACK_SWAP_BYTES, GL_PACK_LSB_FIRST}) {
    restore.add([name, value = get_integer(name)] { GL(PixelStorei)(name, value); });
    GL(PixelStorei)(name, name == GL_PACK_ALIGNMENT ? 1 : 0);
  }
  if (context.info.pixel_buffers) restore.bind(GL_PIXEL_PACK_BUFFER, 0);
  if (!context.info.compatibility) return;
  const auto transfer = [&](std::initializer_list<GLenum> names, GLfloat plain) {
    for (const GLenum name : names) {
      restore.add([name, value = get_floats<1>(name)[0]] { GL(PixelTransferf)(name, value); });
      GL(PixelTransferf)(name, plain);
    }
  };
  transfer({GL_DEPTH_SCALE, GL_RED_SCALE, GL_GREEN_SCALE, GL_BLUE_SCALE, GL_ALPHA_SCALE}, 1);
  transfer({GL_DEPTH_BIAS, GL_RED_BIAS, GL_GREEN_BIAS, GL_BLUE_BIAS, GL_ALPHA_BIAS, GL_MAP_COLOR, GL_MAP_STENCIL,
            GL_INDEX_OFFSET},
           0);
}

std::vector<std::byte> read_buffer(const Context& context, GLenum target, uint64_t offset, uint64_t size) {
  GLint64 length = 0;
  if (context.info.version >= 32 && GL(GetBufferParameteri64v)) {
    GL(GetBufferParameteri64v)(target, GL_BUFFER_SIZE, &length);
  } else {
    GLint small = 0;
    GL(GetBufferParameteriv)(target, GL_BUFFER_SIZE, &small);
    length = small;
  }
  const uint64_t end = std::min<uint64_t>(static_cast<uint64_t>(std::max<GLint64>(length, 0)), offset + size);
  std::vector<std::byte> bytes(offset < end ? static_cast<size_t>(end - offset) : 0);
  if (!bytes.empty()) {
    GL(GetBufferSubData)(target, static_cast<GLintptr>(offset), static_cast<GLsizeiptr>(bytes.size()), bytes.data());
  }
  return bytes;
}

std::vector<float> read_depth(const Context& context, const TargetInfo& target) {
  return read_pixels<float>(context, target, Plane::depth, GL_DEPTH_COMPONENT, GL_FLOAT, 1);
}

std::vector<uint8_t> read_stencil(const Context& context, const TargetInfo& target) {
  return read_pixels<uint8_t>(context, target, Plane::stencil, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, 1);
}

std::vector<std::byte> read_colors(const Context& context, const TargetInfo& target, Plane plane,
                                   const ReadFormat& format) {
  return read_pixels<std::byte>(context, target, plane, format.channels, format.type, format.bytes);
}

std::vector<uint8_t> read_picture(const Context& context, const TargetInfo& target) {
  const auto pixels = read_pixels<uint8_t>(context, target, Plane::color, GL_RGB, GL_UNSIGNED_BYTE, 3);
  return pixels.empty() ? std::vector<uint8_t>{} : encode_png(target.width, target.height, pixels);
}

}  // namespace brokkr::capture
