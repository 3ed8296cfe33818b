// MP-6, solved.
#pragma once

#include "common/texture_memory.h"
#include "mp5.h"

namespace course {

inline size_t texel_address(const Texture& texture, Fixed s, Fixed t) {
  // The fraction's first bits are the column. The bits before them count repetitions.
  const auto column = size_t(s >> (32 - texture.width_log2)) & size_t(texture.width() - 1);
  const auto row = size_t(t >> (32 - texture.height_log2)) & size_t(texture.height() - 1);
  return row << texture.width_log2 | column;
}

inline uint32_t modulated(Fixed channel, uint32_t texel) {
  return uint32_t((std::clamp<Fixed>(channel, 0, kOne) * texel + kOne / 2) >> 32);
}

class TextureUnit {
 public:
  TextureUnit(const Draw& draw, const Shape& shape, Framebuffer& framebuffer, DepthBuffer& depths,
              TextureMemory& textures)
      : draw_(draw), shape_(shape), framebuffer_(framebuffer), depths_(depths), textures_(textures) {}

  void start(int x, int y) {
    const Vertex(&v)[3] = shape_.vertices;
    const Vec4(&w)[3] = shape_.window;
    const auto begin = [&](double a, double b, double c) {
      return Interpolator(plane_through(shape_.triangle, {a, b, c}, x, y));
    };
    const auto begin_over_w = [&](float a, float b, float c) {
      return begin(double(a) * w[0].w, double(b) * w[1].w, double(c) * w[2].w);
    };
    depth_ = begin(w[0].z, w[1].z, w[2].z);
    inverse_w_ = begin(w[0].w, w[1].w, w[2].w);
    red_ = begin_over_w(v[0].color.r, v[1].color.r, v[2].color.r);
    green_ = begin_over_w(v[0].color.g, v[1].color.g, v[2].color.g);
    blue_ = begin_over_w(v[0].color.b, v[1].color.b, v[2].color.b);
    s_ = begin_over_w(v[0].s, v[1].s, v[2].s);
    t_ = begin_over_w(v[0].t, v[1].t, v[2].t);
  }
  void move(Command command) {
    for (Interpolator* value : {&depth_, &inverse_w_, &red_, &green_, &blue_, &s_, &t_}) value->move(command);
  }
  void fragment(int x, int y) {
    const size_t place = address(framebuffer_, x, y);
    const uint32_t depth = depth_code_of(depth_.value());
    if (draw_.depth_test && !passes(draw_.depth, depth, depths_.read(place))) return;
    if (draw_.depth_test && draw_.depth_write) depths_.write(place, depth);
    // One division per visible fragment, and a product for each value.
    const Fixed w = divide(kOne, std::max<Fixed>(inverse_w_.value(), 1));
    const auto at_pixel = [&](const Interpolator& value) { return multiply(value.value(), w); };
    uint32_t texel = pack(255, 255, 255);
    if (draw_.texture >= 0) {
      const Texture& texture = textures_.texture(draw_.texture);
      texel = textures_.read(draw_.texture, texel_address(texture, at_pixel(s_), at_pixel(t_)));
    }
    framebuffer_.write(place,
                       pack(modulated(at_pixel(red_), texel & 255), modulated(at_pixel(green_), texel >> 8 & 255),
                            modulated(at_pixel(blue_), texel >> 16 & 255)));
  }

 private:
  const Draw& draw_;
  const Shape& shape_;
  Framebuffer& framebuffer_;
  DepthBuffer& depths_;
  TextureMemory& textures_;
  Interpolator depth_{{}}, inverse_w_{{}}, red_{{}}, green_{{}}, blue_{{}}, s_{{}}, t_{{}};
};

}  // namespace course
