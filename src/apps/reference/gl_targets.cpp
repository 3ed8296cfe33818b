#include "reference/gl_targets.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace brokkr {

namespace {

constexpr uint64_t kMaxChunkBytes = uint64_t(256) << 20;  // llvmpipe refuses textures of a gigabyte

GLenum gl_format(ColorFormat format) {
  static constexpr GLenum kNames[] = {GL_RGBA8, GL_SRGB8_ALPHA8, GL_RGBA16F};
  return kNames[size_t(format)];
}

GLint gl_limit(GLenum name) {
  GLint value = 0;
  glGetIntegerv(name, &value);
  return value;
}

std::string name_of(const Target& target) {
  return "OpenGL: target " + std::to_string(target.id) + " of " + std::to_string(target.width) + "x" +
         std::to_string(target.height) + "x" + std::to_string(target.layers);
}

// Storage for `layers` layers. A single layer is a plain texture, which drivers handle best.
GlTexture make_texture(GLenum format, const Target& target, uint32_t layers) {
  if (target.samples > 1) {
    GlTexture texture =
        GlTexture::create(GLenum(layers == 1 ? GL_TEXTURE_2D_MULTISAMPLE : GL_TEXTURE_2D_MULTISAMPLE_ARRAY));
    if (layers == 1)
      glTextureStorage2DMultisample(texture.id(), target.samples, format, target.width, target.height, GL_TRUE);
    else
      glTextureStorage3DMultisample(texture.id(), target.samples, format, target.width, target.height, GLsizei(layers),
                                    GL_TRUE);
    return texture;
  }
  if (layers == 1) {
    GlTexture texture = GlTexture::create(GLenum(GL_TEXTURE_2D));
    glTextureStorage2D(texture.id(), 1, format, target.width, target.height);
    return texture;
  }
  GlTexture texture = GlTexture::create(GLenum(GL_TEXTURE_2D_ARRAY));
  glTextureStorage3D(texture.id(), 1, format, target.width, target.height, GLsizei(layers));
  return texture;
}

// Disables everything that masks or clips a clear or a blit, except `scissor` if it is not null.
void unmask(const Rect* scissor) {
  scissor != nullptr ? glEnable(GL_SCISSOR_TEST) : glDisable(GL_SCISSOR_TEST);
  if (scissor != nullptr) glScissor(scissor->x, scissor->y, scissor->width, scissor->height);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glDepthMask(GL_TRUE);
  glStencilMask(0xff);
}

}  // namespace

void check_gl(const char* where) {
  const GLenum error = glGetError();
  if (error == GL_NO_ERROR) return;
  while (glGetError() != GL_NO_ERROR) continue;
  char code[16];
  std::snprintf(code, sizeof code, "0x%04x", unsigned(error));
  throw std::runtime_error(std::string("OpenGL: ") + where +
                           " failed: " + (error == GL_OUT_OF_MEMORY ? "out of memory" : code));
}

GlTargets::GlTargets(const std::vector<Target>& targets, bool stencil) : stencil_(stencil) {
  const int max_size = gl_limit(GL_MAX_TEXTURE_SIZE);
  const uint64_t max_layers = uint64_t(gl_limit(GL_MAX_ARRAY_TEXTURE_LAYERS));
  for (const Target& target : targets) {
    if (target.width > max_size || target.height > max_size)
      throw std::runtime_error(name_of(target) + ": this driver's limit is " + std::to_string(max_size));
    if (target.samples > gl_limit(GL_MAX_SAMPLES))
      throw std::runtime_error(name_of(target) + " with " + std::to_string(target.samples) +
                               " samples a pixel: this driver's limit is " + std::to_string(gl_limit(GL_MAX_SAMPLES)));
    const uint64_t layer_bytes = uint64_t(target.width) * uint64_t(target.height) * uint64_t(target.samples) * 8;
    Storage storage{target, 1, {}, {}};
    storage.layers_per_chunk = uint32_t(std::clamp<uint64_t>(kMaxChunkBytes / layer_bytes, 1, max_layers));
    for (uint32_t first = 0; first < uint32_t(target.layers); first += storage.layers_per_chunk)
      storage.chunks.push_back(make_chunk(target, std::min(storage.layers_per_chunk, uint32_t(target.layers) - first)));
    storages_.push_back(std::move(storage));
  }
}

GlTargets::Chunk GlTargets::make_chunk(const Target& target, uint32_t layers) const {
  Chunk chunk;
  chunk.layers = layers;
  chunk.color = make_texture(gl_format(target.format), target, layers);
  chunk.depth = make_texture(stencil_ ? GL_DEPTH32F_STENCIL8 : GL_DEPTH_COMPONENT32F, target, layers);
  chunk.all = GlFramebuffer::create();
  chunk.each.resize(layers);
  check_gl((name_of(target) + ": storage").c_str());
  attach(chunk.all.id(), chunk, -1);
  if (glCheckNamedFramebufferStatus(chunk.all.id(), GL_DRAW_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    throw std::runtime_error(name_of(target) + ": the driver takes no framebuffer of this format");
  return chunk;
}

// `layer` -1: all layers.
void GlTargets::attach(GLuint framebuffer, const Chunk& chunk, int layer) const {
  const GLenum depth_point = stencil_ ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT;
  if (layer < 0 || chunk.layers == 1) {
    glNamedFramebufferTexture(framebuffer, GL_COLOR_ATTACHMENT0, chunk.color.id(), 0);
    glNamedFramebufferTexture(framebuffer, depth_point, chunk.depth.id(), 0);
  } else {
    glNamedFramebufferTextureLayer(framebuffer, GL_COLOR_ATTACHMENT0, chunk.color.id(), 0, layer);
    glNamedFramebufferTextureLayer(framebuffer, depth_point, chunk.depth.id(), 0, layer);
  }
}

GLuint GlTargets::framebuffer(uint32_t target, uint32_t layer) {
  Storage& storage = storages_.at(target);
  Chunk& chunk = storage.chunks.at(layer / storage.layers_per_chunk);
  const uint32_t local = layer % storage.layers_per_chunk;
  GlFramebuffer& result = chunk.each.at(local);
  if (!result) {
    result = GlFramebuffer::create();
    attach(result.id(), chunk, int(local));
  }
  return result.id();
}

void GlTargets::bind(uint32_t target, uint32_t layer) { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer(target, layer)); }

void GlTargets::reset() {
  ClearCommand blank;
  blank.color = glm::vec4(0.0f);
  blank.depth = 1.0f;
  blank.stencil = uint8_t(0);
  for (Storage& storage : storages_) clear_storage(storage, blank);
}

void GlTargets::clear(const ClearCommand& clear) { clear_storage(storages_.at(clear.target), clear); }

void GlTargets::clear_storage(Storage& storage, const ClearCommand& clear) {
  GLbitfield planes = 0;
  if (clear.color) {
    planes |= GL_COLOR_BUFFER_BIT;
    glClearColor(clear.color->x, clear.color->y, clear.color->z, clear.color->w);
  }
  if (clear.depth) {
    planes |= GL_DEPTH_BUFFER_BIT;
    glClearDepth(double(*clear.depth));
  }
  if (clear.stencil && stencil_) {
    planes |= GL_STENCIL_BUFFER_BIT;
    glClearStencil(*clear.stencil);
  }
  if (planes == 0) return;
  unmask(clear.scissor ? &*clear.scissor : nullptr);
  for (Chunk& chunk : storage.chunks) {
    glBindFramebuffer(GL_FRAMEBUFFER, chunk.all.id());
    glClear(planes);
  }
}

void GlTargets::blit(const BlitCommand& blit) {
  GLbitfield planes = 0;
  if (blit.color) planes |= GL_COLOR_BUFFER_BIT;
  if (blit.depth) planes |= GL_DEPTH_BUFFER_BIT;
  if (blit.stencil && stencil_) planes |= GL_STENCIL_BUFFER_BIT;
  unmask(nullptr);
  const Rect& s = blit.source;
  const Rect& d = blit.destination;
  glBlitNamedFramebuffer(framebuffer(blit.from, 0), framebuffer(blit.to, 0), s.x, s.y, s.x + s.width, s.y + s.height,
                         d.x, d.y, d.x + d.width, d.y + d.height, planes, GL_NEAREST);
}

GLuint GlTargets::resolve(uint32_t target, uint32_t layer) {
  Storage& storage = storages_.at(target);
  Target single = storage.target;
  single.samples = single.layers = 1;
  if (!storage.resolved.all) storage.resolved = make_chunk(single, 1);
  unmask(nullptr);
  // An sRGB target's samples are averaged as linear light.
  glEnable(GL_FRAMEBUFFER_SRGB);
  const GLuint resolved = storage.resolved.all.id();
  glBlitNamedFramebuffer(
      framebuffer(target, layer), resolved, 0, 0, single.width, single.height, 0, 0, single.width, single.height,
      GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | (stencil_ ? GL_STENCIL_BUFFER_BIT : 0u), GL_NEAREST);
  check_gl((name_of(single) + ": resolve").c_str());
  return resolved;
}

GlLayer GlTargets::read(uint32_t target, uint32_t layer) {
  const Target& description = storages_.at(target).target;
  const size_t pixels = size_t(description.width) * size_t(description.height);
  const int width = description.width, height = description.height;
  GlLayer result;
  result.width = width;
  result.height = height;
  bind(target, layer);
  if (description.samples > 1) glBindFramebuffer(GL_READ_FRAMEBUFFER, resolve(target, layer));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  if (description.format == ColorFormat::rgba16f) {
    result.color_float.resize(pixels * 4);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_FLOAT, result.color_float.data());
  } else {
    result.color.resize(pixels);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, result.color.data());
  }
  result.depth.resize(pixels);
  glReadPixels(0, 0, width, height, GL_DEPTH_COMPONENT, GL_FLOAT, result.depth.data());
  result.stencil.resize(pixels);
  if (stencil_) glReadPixels(0, 0, width, height, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, result.stencil.data());
  check_gl("read-back");
  return result;
}

}  // namespace brokkr
