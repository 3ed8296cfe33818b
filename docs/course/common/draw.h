// The code between the steps, from a draw of a recording to units that walk over its triangles. It calls assemble,
// to_window, setup and zig_zag.
#pragma once

#include <utility>
#include <vector>

#include "common/recording.h"
#include "common/triangle.h"
#include "mp3.h"

namespace course {

// A triangle on its way to the window.
struct Shape {
  Vertex vertices[3];
  Vec4 window[3];  // x, y in pixels, depth 0 to 1, 1 / w
  Triangle triangle;
  Box box;
};

inline Vertex between(const Vertex& a, const Vertex& b, float f) {
  const auto mix = [f](float p, float q) { return p + f * (q - p); };
  Vertex v;
  v.position = {mix(a.position.x, b.position.x), mix(a.position.y, b.position.y), mix(a.position.z, b.position.z),
                mix(a.position.w, b.position.w)};
  v.color = {mix(a.color.r, b.color.r), mix(a.color.g, b.color.g), mix(a.color.b, b.color.b)};
  v.s = mix(a.s, b.s);
  v.t = mix(a.t, b.t);
  return v;
}

// The part of a triangle inside the near plane, z >= -w: nothing, or three or four corners.
inline std::vector<Vertex> clip_near(const Vertex (&triangle)[3]) {
  std::vector<Vertex> kept;
  for (int i = 0; i < 3; ++i) {
    const Vertex &a = triangle[i], &b = triangle[(i + 1) % 3];
    const float from = a.position.z + a.position.w, to = b.position.z + b.position.w;
    if (from >= 0) kept.push_back(a);
    if ((from < 0) != (to < 0)) kept.push_back(between(a, b, from / (from - to)));
  }
  return kept;
}

// Calls use(shape) for each triangle of the draw that is not culled.
template <typename Use>
void for_each_triangle(const Recording& recording, const Draw& draw, Use&& use) {
  for (const Corners& corners : assemble(draw.mode, draw.elements)) {
    Shape shape;
    for (int i = 0; i < 3; ++i) shape.vertices[i] = draw.vertices.at(size_t(corners[size_t(i)]));
    if (draw.flat) shape.vertices[0].color = shape.vertices[1].color = shape.vertices[2].color;
    const std::vector<Vertex> kept = clip_near(shape.vertices);
    for (size_t k = 1; k + 1 < kept.size(); ++k) {
      const Vertex* const parts[3] = {&kept[0], &kept[k], &kept[k + 1]};
      for (int i = 0; i < 3; ++i) {
        shape.vertices[i] = *parts[i];
        shape.window[i] = to_window(parts[i]->position, recording.viewport());
      }
      if (!setup(shape.window, shape.triangle)) continue;
      if (draw.cull == (shape.triangle.is_turned ? Cull::back : Cull::front)) continue;
      if (shape.triangle.is_turned) {  // corner i of the triangle is vertex i
        std::swap(shape.vertices[1], shape.vertices[2]);
        std::swap(shape.window[1], shape.window[2]);
      }
      shape.box = box_of(shape.triangle, recording.viewport());
      if (shape.box.left <= shape.box.right && shape.box.bottom <= shape.box.top) use(shape);
    }
  }
}

// Draws the whole recording. make(draw, shape) returns the unit that walks over the triangle.
template <typename Make>
void draw_recording(const Recording& recording, Make&& make) {
  for (const Draw& draw : recording.draws) {
    if (draw.mode == Mode::points) continue;
    for_each_triangle(recording, draw, [&](const Shape& shape) {
      auto unit = make(draw, shape);
      zig_zag(shape.triangle, shape.box, unit);
    });
  }
}

}  // namespace course
