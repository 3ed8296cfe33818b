#include "capture/read_back.h"

#include <algorithm>
#include <array>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
// Compiled in, so that a program under capture needs no further library.
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace brokkr::capture {
namespace {

// Plain packing: rows next to each other into client memory.
class PixelPacking {
 public:
  explicit PixelPacking(const Context& context)
      : buffers_(context.info.pixel_buffers), compatibility_(context.info.compatibility) {
    for (size_t i = 0; i < kNames.size(); i++) {
      values_[i] = get_integer(kNames[i]);
      GL(PixelStorei)(kNames[i], kNames[i] == GL_PACK_ALIGNMENT ? 1 : 0);
    }
    if (buffers_) {
      buffer_ = get_name(GL_PIXEL_PACK_BUFFER_BINDING);
      GL(BindBuffer)(GL_PIXEL_PACK_BUFFER, 0);
    }
    if (compatibility_) {
      for (size_t i = 0; i < kTransfer.size(); i++) {
        GL(GetFloatv)(kTransfer[i], &transfer_[i]);
        const bool scale = i < 5;
        GL(PixelTransferf)(kTransfer[i], scale ? 1.0f : 0.0f);
      }
    }
  }
  ~PixelPacking() {
    for (size_t i = 0; compatibility_ && i < kTransfer.size(); i++) GL(PixelTransferf)(kTransfer[i], transfer_[i]);
    if (buffers_) GL(BindBuffer)(GL_PIXEL_PACK_BUFFER, buffer_);
    for (size_t i = 0; i < kNames.size(); i++) GL(PixelStorei)(kNames[i], values_[i]);
  }
  PixelPacking(const PixelPacking&) = delete;
  PixelPacking& operator=(const PixelPacking&) = delete;

 private:
  static constexpr std::array<GLenum, 6> kNames = {GL_PACK_ALIGNMENT,   GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS,
                                                   GL_PACK_SKIP_PIXELS, GL_PACK_SWAP_BYTES, GL_PACK_LSB_FIRST};
  static constexpr std::array<GLenum, 13> kTransfer = {
      GL_DEPTH_SCALE, GL_RED_SCALE, GL_GREEN_SCALE, GL_BLUE_SCALE, GL_ALPHA_SCALE, GL_DEPTH_BIAS,  GL_RED_BIAS,
      GL_GREEN_BIAS,  GL_BLUE_BIAS, GL_ALPHA_BIAS,  GL_MAP_COLOR,  GL_MAP_STENCIL, GL_INDEX_OFFSET};
  bool buffers_, compatibility_;
  std::array<GLint, kNames.size()> values_{};
  std::array<GLfloat, kTransfer.size()> transfer_{};
  GLuint buffer_ = 0;
};

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

// Binds something to read `plane` of a target from: the window, or a framebuffer of the layer's own around the images;
// a multisampled one is resolved first.
class ReadBinding {
 public:
  ReadBinding(const Context& context, const TargetInfo& target, Plane plane) : context_(context) {
    if (context.info.framebuffers) {
      draw_ = get_name(GL_DRAW_FRAMEBUFFER_BINDING);
      read_ = get_name(GL_READ_FRAMEBUFFER_BINDING);
      renderbuffer_ = get_name(GL_RENDERBUFFER_BINDING);
    }
    if (target.images.is_window()) {
      if (current_surface().drawable != target.surface.drawable) return;
      if (context.info.framebuffers) GL(BindFramebuffer)(GL_FRAMEBUFFER, 0);
      read_buffer_ = static_cast<GLenum>(get_integer(GL_READ_BUFFER));
      restore_read_buffer_ = plane == Plane::color;
      if (restore_read_buffer_) {
        const GLint drawn = get_integer(GL_DRAW_BUFFER);
        GL(ReadBuffer)(drawn == GL_NONE ? GL_BACK : static_cast<GLenum>(drawn));
      }
      ready_ = true;
    } else {
      const std::optional<Image>& image = target.images.plane(plane);
      if (!image || !is_alive(*image)) return;
      GL(GenFramebuffers)(1, &own_);
      GL(BindFramebuffer)(GL_FRAMEBUFFER, own_);
      attach_target(target, plane);
      ready_ = GL(CheckFramebufferStatus)(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    }
    if (ready_ && target.samples > 0 && context.info.framebuffers && !target.images.is_window()) {
      ready_ = resolve(target, plane);
    }
  }

  ~ReadBinding() {
    if (restore_read_buffer_) GL(ReadBuffer)(read_buffer_);
    if (context_.info.framebuffers) {
      GL(BindFramebuffer)(GL_DRAW_FRAMEBUFFER, draw_);
      GL(BindFramebuffer)(GL_READ_FRAMEBUFFER, read_);
      GL(BindRenderbuffer)(GL_RENDERBUFFER, renderbuffer_);
    }
    for (GLuint framebuffer : {own_, resolved_}) {
      if (framebuffer) GL(DeleteFramebuffers)(1, &framebuffer);
    }
    if (storage_) GL(DeleteRenderbuffers)(1, &storage_);
  }
  ReadBinding(const ReadBinding&) = delete;
  ReadBinding& operator=(const ReadBinding&) = delete;

  bool is_ready() const { return ready_; }

 private:
  void attach_target(const TargetInfo& target, Plane plane) const {
    const std::optional<Image>& color = target.images.plane(Plane::color);
    if (plane == Plane::color) {
      if (color) attach(context_, GL_COLOR_ATTACHMENT0, *color);
      GL(ReadBuffer)(GL_COLOR_ATTACHMENT0);
      return;
    }
    GL(DrawBuffer)(GL_NONE);
    GL(ReadBuffer)(GL_NONE);
    const GLenum point = plane == Plane::depth ? GL_DEPTH_ATTACHMENT : GL_STENCIL_ATTACHMENT;
    attach(context_, point, *target.images.plane(plane));
  }

  // Depth takes one sample, as GL defines it; colour is averaged.
  bool resolve(const TargetInfo& target, Plane plane) {
    GLint format = plane == Plane::color ? GL_RGBA8 : GL_DEPTH24_STENCIL8;
    const Image& image = *target.images.plane(plane);
    if (plane != Plane::color && image.kind == GL_RENDERBUFFER) {
      GL(BindRenderbuffer)(GL_RENDERBUFFER, static_cast<GLuint>(image.name));
      GL(GetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_INTERNAL_FORMAT, &format);
    } else if (plane != Plane::color) {
      const GLenum kind = image_size(context_, image).target;
      const GLuint bound = get_name(kind == GL_TEXTURE_2D_MULTISAMPLE ? GLenum(GL_TEXTURE_BINDING_2D_MULTISAMPLE)
                                                                      : GLenum(GL_TEXTURE_BINDING_2D));
      GL(BindTexture)(kind, static_cast<GLuint>(image.name));
      GL(GetTexLevelParameteriv)(kind, image.level, GL_TEXTURE_INTERNAL_FORMAT, &format);
      GL(BindTexture)(kind, bound);
    }
    GL(GenRenderbuffers)(1, &storage_);
    GL(BindRenderbuffer)(GL_RENDERBUFFER, storage_);
    GL(RenderbufferStorage)(GL_RENDERBUFFER, static_cast<GLenum>(format), target.width, target.height);
    GL(GenFramebuffers)(1, &resolved_);
    GL(BindFramebuffer)(GL_DRAW_FRAMEBUFFER, resolved_);
    const bool stencil = format == GL_DEPTH24_STENCIL8 || format == GL_DEPTH32F_STENCIL8;
    const GLenum point = plane == Plane::color ? GL_COLOR_ATTACHMENT0
                         : stencil             ? GL_DEPTH_STENCIL_ATTACHMENT
                                               : GL_DEPTH_ATTACHMENT;
    GL(FramebufferRenderbuffer)(GL_DRAW_FRAMEBUFFER, point, GL_RENDERBUFFER, storage_);
    if (plane != Plane::color) GL(DrawBuffer)(GL_NONE);
    const GLbitfield mask = plane == Plane::color   ? GL_COLOR_BUFFER_BIT
                            : plane == Plane::depth ? GL_DEPTH_BUFFER_BIT
                                                    : GL_STENCIL_BUFFER_BIT;
    const bool scissor = is_enabled(GL_SCISSOR_TEST);
    if (scissor) GL(Disable)(GL_SCISSOR_TEST);
    GL(BlitFramebuffer)(0, 0, target.width, target.height, 0, 0, target.width, target.height, mask, GL_NEAREST);
    if (scissor) GL(Enable)(GL_SCISSOR_TEST);
    GL(BindFramebuffer)(GL_READ_FRAMEBUFFER, resolved_);
    if (plane != Plane::color) GL(ReadBuffer)(GL_NONE);
    return true;
  }

  const Context& context_;
  GLuint draw_ = 0, read_ = 0, renderbuffer_ = 0, own_ = 0, resolved_ = 0, storage_ = 0;
  GLenum read_buffer_ = GL_BACK;
  bool restore_read_buffer_ = false, ready_ = false;
};

template <typename T>
std::vector<T> read_pixels(const Context& context, const TargetInfo& target, Plane plane, GLenum format, GLenum type,
                           size_t channels) {
  std::vector<T> values;
  const PixelPacking packing(context);
  const ReadBinding binding(context, target, plane);
  if (!binding.is_ready()) {
    take_errors();
    return values;
  }
  values.resize(static_cast<size_t>(target.width) * static_cast<size_t>(target.height) * channels);
  GL(ReadPixels)(0, 0, target.width, target.height, format, type, values.data());
  if (take_errors() != GL_NO_ERROR) values.clear();  // the application's were taken before
  return values;
}

constexpr int kJpegQuality = 88;

void append(void* context, void* data, int size) {
  auto& out = *static_cast<std::vector<uint8_t>*>(context);
  const auto* bytes = static_cast<const uint8_t*>(data);
  out.insert(out.end(), bytes, bytes + size);
}

// RGB, rows bottom to top. Empty where encoding fails.
std::vector<uint8_t> encode_jpeg(int width, int height, const std::vector<uint8_t>& pixels) {
  // Rows are turned here: the encoder's flag for that is shared by all threads.
  const size_t row = static_cast<size_t>(width) * 3;
  std::vector<uint8_t> turned(pixels.size()), out;
  for (size_t y = 0; y < static_cast<size_t>(height); y++) {
    const size_t from = (static_cast<size_t>(height) - 1 - y) * row;
    for (size_t x = 0; x < row; x++) turned[y * row + x] = pixels[from + x];
  }
  if (!stbi_write_jpg_to_func(append, &out, width, height, 3, turned.data(), kJpegQuality)) out.clear();
  return out;
}

}  // namespace

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

std::vector<uint8_t> read_picture(const Context& context, const TargetInfo& target) {
  const auto pixels = read_pixels<uint8_t>(context, target, Plane::color, GL_RGB, GL_UNSIGNED_BYTE, 3);
  return pixels.empty() ? std::vector<uint8_t>{} : encode_jpeg(target.width, target.height, pixels);
}

}  // namespace brokkr::capture
