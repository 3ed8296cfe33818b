// MP-1, solved.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/framebuffer.h"
#include "mp0.h"

namespace course {

inline size_t address(const Framebuffer& framebuffer, int x, int y) {
  return (size_t(y) << framebuffer.shift) + size_t(x);
}

inline void clear(Framebuffer& framebuffer, uint32_t color) {
  for (size_t word = 0; word < framebuffer.words(); ++word) framebuffer.write(word, color);
}

inline void draw_pixels(Framebuffer& framebuffer, const Queues& queues) {
  for (const Queues::Index& index : queues.indices) {
    const auto [x, y] = queues.vertices[index.vertex];
    if (x < 0 || x >= framebuffer.width || y < 0 || y >= framebuffer.height) continue;
    framebuffer.write(address(framebuffer, x, y), queues.colors[index.color]);
  }
}

}  // namespace course
