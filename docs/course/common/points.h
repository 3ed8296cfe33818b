// The points of a recording as MP-1's queues.
#pragma once

#include <cmath>
#include <map>

#include "common/framebuffer.h"
#include "common/recording.h"

namespace course {

// place(vertex, x, y) finds the pixel of a vertex, or returns false if it is not drawn. A vertex or colour that occurs
// again is queued once.
template <typename Place>
Queues queues_of(const Recording& recording, Place&& place) {
  Queues queues;
  std::map<std::pair<int, int>, uint32_t> vertices;
  std::map<uint32_t, uint32_t> colors;
  for (const Draw& draw : recording.draws) {
    for (const int element : draw.elements) {
      const Vertex& vertex = draw.vertices[size_t(element)];
      int x = 0, y = 0;
      if (draw.mode != Mode::points || !place(vertex, x, y)) continue;
      const auto [v, is_new_vertex] = vertices.try_emplace({x, y}, uint32_t(queues.vertices.size()));
      if (is_new_vertex) queues.vertices.push_back({x, y});
      const auto [c, is_new_color] = colors.try_emplace(pack(vertex.color), uint32_t(queues.colors.size()));
      if (is_new_color) queues.colors.push_back(pack(vertex.color));
      queues.indices.push_back({v->second, c->second});
    }
  }
  return queues;
}

// The pixel where OpenGL puts a point of clip space with w = 1. MP-2 explains it.
inline void pixel_of(const Recording& recording, const Vec4& position, int& x, int& y) {
  x = int(std::floor((position.x + 1) * 0.5f * float(recording.width)));
  y = int(std::floor((position.y + 1) * 0.5f * float(recording.height)));
}

}  // namespace course
