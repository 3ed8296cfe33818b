// Records glBitmap, glDrawPixels and glCopyPixels as rectangles with a texture and a program of the layer.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "capture/recorder.h"

namespace brokkr::capture {

// A picture whose lower left corner is the raster position minus the origin.
struct Pixels {
  bool is_bitmap = false;  // `bytes` is 255 for each set bit, which gets the raster colour; otherwise `bytes` is RGBA
  int width = 0, height = 0;
  float origin_x = 0, origin_y = 0;
  float move_x = 0, move_y = 0;  // added to the raster position afterwards
  float zoom_x = 1, zoom_y = 1;
  std::vector<GLubyte> bytes;
};

// Adds to a bitmap, of which size, origin and move are known, the bits of glBitmap under the current unpack state. Call
// in the context; the bits may lie in a buffer. A size that is refused becomes 0.
Pixels read_bitmap(const Context& context, Pixels bitmap, const GLubyte* bits);

// Reads the colours of glDrawPixels under the current unpack and transfer state; empty for depths, stencils and
// indices.
std::optional<Pixels> read_drawn_pixels(const Context& context, GLsizei width, GLsizei height, GLenum format,
                                        GLenum type, const void* pixels);

// Reads the colours that glCopyPixels would copy.
std::optional<Pixels> read_copied_pixels(const Context& context, GLint x, GLint y, GLsizei width, GLsizei height,
                                         GLenum type);

// Records the pictures one after another from the current raster position, without drawing them. `what`: the name of
// the function.
void record_pixels(Recorder& recorder, Context& context, const char* what, const std::vector<Pixels>& all);

// The bitmap that a display list draws, for lists that GLX made from a font. Found by running the list in a framebuffer
// of the layer.
std::optional<Pixels> bitmap_of_list(const Context& context, GLuint list);

}  // namespace brokkr::capture
