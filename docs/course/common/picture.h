// Pictures of the framebuffer, of the driver, and of differences.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace course {

// Rows from bottom to top, 0xffBBGGRR.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint32_t> pixels;

  Picture() = default;
  Picture(int w, int h, uint32_t color = 0xff000000u) : width(w), height(h), pixels(size_t(w) * size_t(h), color) {}
  uint32_t& at(int x, int y) { return pixels[size_t(y) * size_t(width) + size_t(x)]; }
  uint32_t at(int x, int y) const { return pixels[size_t(y) * size_t(width) + size_t(x)]; }
};

// Reads a binary .ppm. Throws std::runtime_error that names the file and the problem.
Picture read_ppm(const std::string& path);

// Writes an uncompressed file, which any viewer opens. Throws std::runtime_error if the file cannot be written.
void write_png(const std::string& path, const Picture& picture);

// Enlarges each pixel to a square of `times` pixels.
Picture enlarged(const Picture& picture, int times);

// Puts pictures of one height side by side, with a grey line between them.
Picture beside(const std::vector<Picture>& pictures);

// The largest difference of a channel, 0 to 255.
int difference(uint32_t a, uint32_t b);

// Grey where two pictures agree, red where they differ; brighter for a larger difference.
Picture difference_picture(const Picture& expected, const Picture& yours, int tolerance,
                           const std::vector<bool>& uncertain);

}  // namespace course
