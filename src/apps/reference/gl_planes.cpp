#include "reference/gl_planes.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "reference/gl_captured_texture.h"
#include "reference/gl_object.h"
#include "reference/gl_targets.h"

namespace brokkr {

namespace {

GLenum attachment_of(TargetPlane plane) {
  if (plane == TargetPlane::depth) return GL_DEPTH_ATTACHMENT;
  if (plane == TargetPlane::stencil) return GL_STENCIL_ATTACHMENT;
  return GL_COLOR_ATTACHMENT0 + GLenum(plane);
}

GLenum depth_format(const Target& target) {
  const bool wide = target.depth == TexelFormat::depth32f;
  if (target.stencil) return wide ? GL_DEPTH32F_STENCIL8 : GL_DEPTH24_STENCIL8;
  return wide                                   ? GL_DEPTH_COMPONENT32F
         : target.depth == TexelFormat::depth16 ? GL_DEPTH_COMPONENT16
                                                : GL_DEPTH_COMPONENT24;
}

GlTexture make_plane(const Target& target, GLenum internal) {
  if (target.samples > 1) {
    GlTexture texture = GlTexture::create(GLenum(GL_TEXTURE_2D_MULTISAMPLE));
    glTextureStorage2DMultisample(texture.id(), target.samples, internal, target.width, target.height, GL_TRUE);
    return texture;
  }
  GlTexture texture = GlTexture::create(GLenum(GL_TEXTURE_2D));
  glTextureStorage2D(texture.id(), 1, internal, target.width, target.height);
  glTextureParameteri(texture.id(), GL_TEXTURE_MAX_LEVEL, 0);
  return texture;
}

// Disables everything that masks or clips the following commands, except `scissor` if it is not null.
void unmask(const Rect* scissor) {
  enable(GL_SCISSOR_TEST, scissor != nullptr);
  if (scissor != nullptr) glScissor(scissor->x, scissor->y, scissor->width, scissor->height);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glDepthMask(GL_TRUE);
  glStencilMask(0xff);
  glDisable(GL_FRAMEBUFFER_SRGB);
}

Target single_sample(Target target) {
  target.samples = 1;
  return target;
}

// Clips a copy of `count` pixels along one axis to both planes.
void fit(int& source, int& target, int& count, int source_size, int target_size) {
  const int before = std::max({-source, -target, 0});
  source += before;
  target += before;
  count = std::min({count - before, source_size - source, target_size - target});
}

}  // namespace

bool GlPlanes::Storage::has(TargetPlane plane) const {
  if (plane == TargetPlane::depth) return has_depth;
  if (plane == TargetPlane::stencil) return has_stencil;
  return window != GL_NONE ? plane == TargetPlane::color0 : bool(colors[size_t(plane)]);
}

GLenum GlPlanes::Storage::buffer(TargetPlane plane) const { return window != GL_NONE ? window : attachment_of(plane); }

GlPlanes::GlPlanes(const Frame& frame, EglContext* windows) : frame_(frame) {
  const auto is_texture = [&](uint32_t target) {
    for (const CapturedTexture& texture : frame.captured_textures) {
      for (const TextureImage& image : texture.images) {
        if (image.target == target) return true;
      }
    }
    return std::any_of(frame.commands.begin(), frame.commands.end(), [&](const Command& command) {
      const auto* const copy = std::get_if<CopyCommand>(&command);
      return copy != nullptr && copy->to == target;
    });
  };
  bool has_window = false;
  for (uint32_t i = 0; i < frame.targets.size(); ++i) {
    const Target& target = frame.targets[i];
    std::optional<Storage> window;
    if (windows != nullptr && target.mirrored_samples && !has_window && !is_texture(i))
      window = make_window(target, *windows);
    has_window = has_window || window.has_value();
    storages_.push_back(window ? std::move(*window) : make_storage(target));
  }
}

std::optional<GlPlanes::Storage> GlPlanes::make_window(const Target& target, EglContext& context) {
  const bool is_plain = target.colors.size() == 1 && target.colors[0].format == TexelFormat::rgba8;
  if (!is_plain || target.depth == TexelFormat::depth32f) return std::nullopt;
  const int depth = target.depth == TexelFormat::depth16 ? 16 : target.depth || target.stencil ? 24 : 0;
  const bool has_alpha = target.colors[0].base == TexelBase::rgba;
  const EglWindow wanted{target.width, target.height, target.samples, has_alpha, depth, target.stencil ? 8 : 0};
  if (!context.open_window(wanted)) return std::nullopt;
  Storage storage;
  GLboolean has_back = GL_FALSE;
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glGetBooleanv(GL_DOUBLEBUFFER, &has_back);
  storage.window = has_back ? GL_BACK_LEFT : GL_FRONT_LEFT;
  storage.has_depth = target.depth.has_value();
  storage.has_stencil = target.stencil.has_value();
  set_draw_buffers(storage, {storage.window});
  check_gl("window");
  return storage;
}

GlPlanes::Storage GlPlanes::make_storage(const Target& target) {
  Storage storage;
  storage.framebuffer = GlFramebuffer::create();
  const GLuint framebuffer = storage.framebuffer.id();
  const auto attach = [&](GLenum point, const GlTexture& texture) {
    glNamedFramebufferTexture(framebuffer, point, texture.id(), 0);
  };
  for (size_t i = 0; i < target.colors.size(); ++i) {
    storage.colors[i] = make_plane(target, gl_texel_format(target.colors[i].format, target.colors[i].base).internal);
    attach(GL_COLOR_ATTACHMENT0 + GLenum(i), storage.colors[i]);
  }
  storage.has_stencil = target.stencil.has_value();
  storage.has_depth = target.depth || target.stencil;
  if (storage.has_depth) {
    storage.depth = make_plane(target, depth_format(target));
    attach(storage.has_stencil ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT, storage.depth);
  }
  set_draw_buffers(storage, {target.colors.empty() ? GLenum(GL_NONE) : GLenum(GL_COLOR_ATTACHMENT0)});
  const bool is_empty = target.colors.empty() && !target.depth && !target.stencil;
  if (!is_empty && glCheckNamedFramebufferStatus(framebuffer, GL_DRAW_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw std::runtime_error("OpenGL: target " + std::to_string(target.id) +
                             ": the driver takes no framebuffer of its formats");
  }
  check_gl(("target " + std::to_string(target.id)).c_str());
  return storage;
}

void GlPlanes::set_draw_buffers(Storage& storage, const std::vector<GLenum>& buffers) {
  if (storage.draw_buffers == buffers) return;
  storage.draw_buffers = buffers;
  glNamedFramebufferDrawBuffers(storage.framebuffer.id(), GLsizei(buffers.size()), buffers.data());
}

void GlPlanes::reset() {
  for (uint32_t i = 0; i < storages_.size(); ++i) {
    ClearCommand blank;
    blank.target = i;
    blank.color = glm::vec4(0.0f);
    blank.depth = 1.0f;
    blank.stencil = uint8_t(0);
    for (size_t plane = 1; plane < kMaxColorPlanes; ++plane) {
      if (storages_[i].has(TargetPlane(plane))) blank.other_colors.push_back({TargetPlane(plane), glm::vec4(0.0f)});
    }
    clear(blank);
  }
}

void GlPlanes::clear_color(Storage& storage, uint32_t target, TargetPlane plane, const glm::vec4& color) {
  const size_t number = size_t(plane);
  if (number >= kMaxColorPlanes || !storage.has(plane)) return;
  set_draw_buffers(storage, {storage.buffer(plane)});
  if (is_integer_format(frame_.targets[target].colors[number].format)) {
    const GLint values[] = {GLint(color.x), GLint(color.y), GLint(color.z), GLint(color.w)};
    glClearNamedFramebufferiv(storage.framebuffer.id(), GL_COLOR, 0, values);
  } else {
    glClearNamedFramebufferfv(storage.framebuffer.id(), GL_COLOR, 0, &color.x);
  }
}

void GlPlanes::clear(const ClearCommand& clear) {
  Storage& storage = storages_[clear.target];
  const GLuint framebuffer = storage.framebuffer.id();
  unmask(clear.scissor ? &*clear.scissor : nullptr);
  if (clear.color) clear_color(storage, clear.target, TargetPlane::color0, *clear.color);
  for (const PlaneColor& other : clear.other_colors) clear_color(storage, clear.target, other.plane, other.color);
  if (clear.depth && storage.has_depth) glClearNamedFramebufferfv(framebuffer, GL_DEPTH, 0, &*clear.depth);
  if (clear.stencil && storage.has_stencil) {
    const GLint value = *clear.stencil;
    glClearNamedFramebufferiv(framebuffer, GL_STENCIL, 0, &value);
  }
  touch(clear.target);
}

void GlPlanes::blit(const BlitCommand& blit) {
  Storage &source = storages_[blit.from], &destination = storages_[blit.to];
  GLbitfield planes = 0;
  if (blit.color && source.has(TargetPlane::color0) && destination.has(TargetPlane::color0))
    planes |= GL_COLOR_BUFFER_BIT;
  if (blit.depth && source.has_depth && destination.has_depth) planes |= GL_DEPTH_BUFFER_BIT;
  if (blit.stencil && source.has_stencil && destination.has_stencil) planes |= GL_STENCIL_BUFFER_BIT;
  if (planes == 0) return;
  unmask(nullptr);
  if (blit.color) {
    glNamedFramebufferReadBuffer(source.framebuffer.id(), source.buffer(TargetPlane::color0));
    set_draw_buffers(destination, {destination.buffer(TargetPlane::color0)});
  }
  const Rect &s = blit.source, &d = blit.destination;
  glBlitNamedFramebuffer(source.framebuffer.id(), destination.framebuffer.id(), s.x, s.y, s.x + s.width, s.y + s.height,
                         d.x, d.y, d.x + d.width, d.y + d.height, planes, GL_NEAREST);
  touch(blit.to);
}

void GlPlanes::copy(const CopyCommand& copy) {
  const Target &read = frame_.targets[copy.from], &written = frame_.targets[copy.to];
  Rect source = copy.source;
  int x = copy.x, y = copy.y;
  fit(source.x, x, source.width, read.width, written.width);
  fit(source.y, y, source.height, read.height, written.height);
  if (source.width <= 0 || source.height <= 0 || !storages_[copy.from].has(copy.from_plane)) return;
  read_from(copy.from, copy.from_plane);
  glCopyTextureSubImage2D(texture(copy.to, copy.to_plane), 0, x, y, source.x, source.y, source.width, source.height);
  touch(copy.to);
}

void GlPlanes::load(const LoadCommand& load) {
  const Target& target = frame_.targets[load.target];
  if (!storages_[load.target].has(load.plane)) return;
  if (target.samples > 1) {  // all samples of a pixel get the texel
    const Storage single = make_storage(single_sample(target));
    upload(single, load);
    copy_plane(single, storages_[load.target], target, load.plane);
  } else {
    upload(storages_[load.target], load);
  }
  touch(load.target);
}

void GlPlanes::upload(const Storage& storage, const LoadCommand& load) const {
  const CapturedTexture& source = frame_.captured_textures[load.texture];
  const Target& target = frame_.targets[load.target];
  const std::byte* const texels = frame_.texture_data.data() + source.first_byte;
  const GlTexelFormat format = gl_texel_format(source.format, source.base);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  if (load.plane == TargetPlane::stencil) {
    unmask(nullptr);
    glUseProgram(0);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, storage.framebuffer.id());
    glWindowPos2i(0, 0);
    glDrawPixels(target.width, target.height, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, texels);
  } else {
    glTextureSubImage2D(texture_of(storage, load.plane), 0, 0, 0, target.width, target.height, format.pixels,
                        format.type, texels);
  }
}

void GlPlanes::copy_plane(const Storage& source, Storage& destination, const Target& target, TargetPlane plane) {
  unmask(nullptr);
  GLbitfield planes = GL_COLOR_BUFFER_BIT;
  if (plane == TargetPlane::depth) planes = GL_DEPTH_BUFFER_BIT;
  if (plane == TargetPlane::stencil) planes = GL_STENCIL_BUFFER_BIT;
  if (planes == GL_COLOR_BUFFER_BIT) {
    glNamedFramebufferReadBuffer(source.framebuffer.id(), source.buffer(plane));
    set_draw_buffers(destination, {destination.buffer(plane)});
  }
  glBlitNamedFramebuffer(source.framebuffer.id(), destination.framebuffer.id(), 0, 0, target.width, target.height, 0, 0,
                         target.width, target.height, planes, GL_NEAREST);
}

void GlPlanes::bind(uint32_t target, const State& state) {
  Storage& storage = storages_[target];
  std::vector<GLenum> buffers;
  const auto add = [&](int plane) {
    const bool is_there = plane >= 0 && size_t(plane) < kMaxColorPlanes && storage.has(TargetPlane(plane));
    buffers.push_back(is_there ? storage.buffer(TargetPlane(plane)) : GLenum(GL_NONE));
  };
  for (const DrawBuffer& buffer : state.buffers) add(buffer.plane);
  if (buffers.empty()) add(0);
  set_draw_buffers(storage, buffers);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, storage.framebuffer.id());
  touch(target);
}

GLuint GlPlanes::texture_of(const Storage& storage, TargetPlane plane) {
  if (plane == TargetPlane::depth) return storage.depth.id();
  if (plane == TargetPlane::stencil) return storage.has_stencil ? storage.depth.id() : 0;
  return storage.colors[size_t(plane)].id();
}

GLuint GlPlanes::texture(uint32_t target, TargetPlane plane) const { return texture_of(storages_[target], plane); }

void GlPlanes::read_from(uint32_t target, TargetPlane plane) {
  const Storage& storage = storages_[target];
  const GLuint framebuffer = storage.framebuffer.id();
  glNamedFramebufferReadBuffer(framebuffer, plane <= TargetPlane::color7 ? storage.buffer(plane) : GLenum(GL_NONE));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
}

GlLayer GlPlanes::read(uint32_t target) {
  const Target& description = frame_.targets[target];
  const size_t pixels = size_t(description.width) * size_t(description.height);
  Storage& storage = storages_[target];
  Storage resolved;
  if (description.samples > 1) resolved = make_storage(single_sample(description));
  GlLayer layer;
  layer.width = description.width;
  layer.height = description.height;
  layer.color.resize(pixels);
  layer.depth.resize(pixels, 1.0f);  // targets without the plane also read as 1
  layer.stencil.resize(pixels);
  const auto begin = [&](TargetPlane plane) {
    if (description.samples == 1) return read_from(target, plane);
    copy_plane(storage, resolved, description, plane);
    glNamedFramebufferReadBuffer(resolved.framebuffer.id(),
                                 plane <= TargetPlane::color7 ? attachment_of(plane) : GLenum(GL_NONE));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, resolved.framebuffer.id());
  };
  const auto get = [&](GLenum format, GLenum type, void* values) {
    glReadPixels(0, 0, description.width, description.height, format, type, values);
  };
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  if (storage.has(TargetPlane::color0) && !is_integer_format(description.colors[0].format)) {
    begin(TargetPlane::color0);
    get(GL_RGBA, GL_UNSIGNED_BYTE, layer.color.data());
  }
  if (storage.has_depth) {
    begin(TargetPlane::depth);
    get(GL_DEPTH_COMPONENT, GL_FLOAT, layer.depth.data());
  }
  if (storage.has_stencil) {
    begin(TargetPlane::stencil);
    get(GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, layer.stencil.data());
  }
  check_gl("read-back");
  return layer;
}

}  // namespace brokkr
