// glBitmap, glDrawPixels and glCopyPixels, recorded as rectangles with a texture and a program of the layer.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "capture/recorder.h"

namespace brokkr::capture {

// A picture whose lower left corner lies at the raster position, moved by -origin.
struct Pixels {
  bool is_bitmap = false;  // `bytes` has 255 for each set bit, which is drawn in the raster colour; otherwise RGBA
  int width = 0, height = 0;
  float origin_x = 0, origin_y = 0;
  float move_x = 0, move_y = 0;  // of the raster position, afterwards
  float zoom_x = 1, zoom_y = 1;
  std::vector<GLubyte> bytes;
};

// Adds to a bitmap, of which size, origin and move are known, the bits of glBitmap under the current unpack state. Call
// in the context; the bits may lie in a buffer. A size that is refused becomes 0.
Pixels read_bitmap(const Context& context, Pixels bitmap, const GLubyte* bits);

// The colours of glDrawPixels under the current unpack and transfer state; empty for depths, stencils and indices.
std::optional<Pixels> read_drawn_pixels(const Context& context, GLsizei width, GLsizei height, GLenum format,
                                        GLenum type, const void* pixels);

// The colours that glCopyPixels reads.
std::optional<Pixels> read_copied_pixels(const Context& context, GLint x, GLint y, GLsizei width, GLsizei height,
                                         GLenum type);

// Records the pictures one after another from the current raster position. `what`: the name of the function. Draws
// nothing.
void record_pixels(Recorder& recorder, Context& context, const char* what, const std::vector<Pixels>& all);

// The bitmap that a display list draws, found by running it into a framebuffer of the layer; for lists that GLX made of
// a font.
std::optional<Pixels> bitmap_of_list(const Context& context, GLuint list);

}  // namespace brokkr::capture
