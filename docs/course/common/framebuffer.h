// MP-1: the framebuffer's memory, and the queues that pixels arrive in.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/picture.h"

namespace course {

// One word of memory per pixel, rows from bottom to top. A row takes 2^shift words, the next power of two from its
// width. The words after a row's last pixel are not shown.
class Framebuffer {
 public:
  Framebuffer(int w, int h) : width(w), height(h) {
    while (1 << shift < w) ++shift;
    memory_.resize(size_t(h) << shift);
  }

  const int width, height;  // pixels
  int shift = 0;
  size_t words() const { return memory_.size(); }
  void write(size_t address, uint32_t color) {
    if (address >= memory_.size()) {
      throw std::runtime_error("word " + std::to_string(int64_t(address)) + " is written, of a framebuffer of " +
                               std::to_string(memory_.size()) + ": a pixel outside of it, or a wrong address");
    }
    memory_[address] = color;
  }

  // The part that a screen shows.
  Picture picture() const {
    Picture picture(width, height);
    for (size_t y = 0; y < size_t(height); ++y) {
      for (size_t x = 0; x < size_t(width); ++x) picture.pixels[y * size_t(width) + x] = memory_[(y << shift) + x];
    }
    return picture;
  }

 private:
  std::vector<uint32_t> memory_;
};

// Pixels to draw. An index names a vertex and a colour; each is in its queue once.
struct Queues {
  struct Vertex {
    int x = 0, y = 0;  // pixel
  };
  struct Index {
    uint32_t vertex = 0, color = 0;  // places in the other queues
  };
  std::vector<Vertex> vertices;
  std::vector<uint32_t> colors;  // 0xffBBGGRR
  std::vector<Index> indices;
};

}  // namespace course
