#include "oracle/boxes.h"

#include <glm/vec2.hpp>
#include <vector>

#include "oracle/frame_builder.h"

namespace brokkr::oracle {
namespace {

// Two regions and a tile.
constexpr int kSize = 136, kBoxes = 64, kSides = 4;
// Small triangles extend this many pixels outside and inside a side, and are this long.
constexpr int kOut = 5, kIn = 6, kLong = 12;

// Pixels of box i.
Rect box_of(int side, int i) {
  switch (side) {
    case 0: return {64 + i, 0, kSize - (64 + i), kSize};
    case 1: return {0, 0, 128 - i, kSize};
    case 2: return {0, 64 + i, kSize, kSize - (64 + i)};
    default: return {0, 0, kSize, 128 - i};
  }
}

void add_rectangle(std::vector<glm::dvec2>& corners, double x0, double y0, double x1, double y1) {
  corners.insert(corners.end(), {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y0}, {x1, y1}, {x0, y1}});
}

std::vector<glm::dvec2> corners_of(BoxKind kind, int side, const Rect& box) {
  if (kind == BoxKind::scissors) return {{-1, -1}, {2 * kSize + 2, -1}, {-1, 2 * kSize + 2}};
  std::vector<glm::dvec2> corners;
  if (kind == BoxKind::rectangles) {
    add_rectangle(corners, box.x, box.y, box.x + box.width, box.y + box.height);
    return corners;
  }
  const bool upright = side < 2, first = side % 2 == 0;
  const int at = upright ? (first ? box.x : box.x + box.width) : (first ? box.y : box.y + box.height);
  const int low = at - (first ? kOut : kIn), high = at + (first ? kIn : kOut);
  for (int along = 0; along < kSize; along += kLong) {
    if (upright) {
      add_rectangle(corners, low, along, high, along + kLong);
    } else {
      add_rectangle(corners, along, low, along + kLong, high);
    }
  }
  return corners;
}

}  // namespace

Frame make_boxes(BoxKind kind, bool ordered, int side) {
  const bool clears = kind == BoxKind::clears;
  FrameBuilder builder(kSize, kSize, ColorFormat::rgba8, clears ? 1 : kSides);
  builder.frame.source = "boxes";
  for (int i = 0; i < kBoxes; ++i) {
    const float part = float(i) / kBoxes;
    if (clears) {
      builder.clear(glm::vec4(part, 1 - part, 0.5f, 1), 1 - part, uint8_t(i), box_of(side, i));
      continue;
    }
    for (int layer = 0; layer < kSides; ++layer) {
      const Rect box = box_of(layer, i);
      State state = builder.default_state();
      if (kind != BoxKind::rectangles) state.scissor = box;
      if (ordered) {
        state.blend = BlendState{{BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha}, {}, glm::vec4(0)};
        state.stencil = StencilState{};
        state.stencil->pass = StencilOp::increment_wrap;
      }
      builder.draw_window(state, corners_of(kind, layer, box), 0.9 - 1.8 * double(part)).first_view = uint32_t(layer);
    }
  }
  return std::move(builder.frame);
}

}  // namespace brokkr::oracle
