// MP-6: nearest textures, and a game frame. Your part: complete the code under YOUR TURN.
#pragma once

#include "common/texture_memory.h"
#include "mp5.h"

namespace course {

// The address of the texel at (s, t). Columns go from s = 0 to 1, rows from t = 0 to 1, one row after the other, and
// everything repeats. Sides are powers of two: use no multiplication and no division.
inline size_t texel_address(const Texture& texture, Fixed s, Fixed t) {
  // YOUR TURN 1
  (void)texture;
  (void)s;
  (void)t;
  return 0;
}

// A channel (0 to 1) times a texel's channel (0 to 255), in the framebuffer's form.
inline uint32_t modulated(Fixed channel, uint32_t texel) {
  // YOUR TURN 2
  (void)texel;
  return code_of(channel);
}

// Draws a triangle with depth test, texture and colour. In the window, s, t and colours do not change evenly if w
// differs; s / w, t / w, colour / w and 1 / w do (shape.window[i].w is 1 / w of corner i). If draw.texture is -1, there
// is no texture, and the colour is used alone. No texel may be read for a fragment that fails the depth test.
class TextureUnit {
 public:
  TextureUnit(const Draw& draw, const Shape& shape, Framebuffer& framebuffer, DepthBuffer& depths,
              TextureMemory& textures)
      : draw_(draw), shape_(shape), framebuffer_(framebuffer), depths_(depths), textures_(textures) {}

  void start(int x, int y) {
    // YOUR TURN 3: the whole class
    (void)x;
    (void)y;
  }
  void move(Command command) { (void)command; }
  void fragment(int x, int y) {
    (void)x;
    (void)y;
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
