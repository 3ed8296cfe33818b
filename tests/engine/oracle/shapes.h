// Geometry of the random soups: triangles of one shape as clip-space vertices of one draw.
#pragma once

#include <cstdint>
#include <glm/vec4.hpp>
#include <vector>

#include "brokkr/frame.h"
#include "oracle/dice.h"

namespace brokkr::oracle {

struct Shape {
  Topology topology = Topology::triangles;
  std::vector<glm::vec4> positions;
  std::vector<uint32_t> indices;  // empty: not indexed
  bool restart = false;
};

enum class ShapeKind : uint8_t {
  scattered,   // a few pixels to a third of the target
  slivers,     // long, and thinner than a pixel
  huge,        // to 2^12.5 pixels, within the guard band
  tiny,        // within a pixel or two
  aligned,     // vertices on pixel centres and corners
  fan,         // around a centre, as a fan
  strip,       // ribbons, as one indexed strip with restarts
  grid,        // a jittered grid, as an indexed list
  broken,      // no area, repeated vertices, NaN, infinity, behind the eye
  crossing,    // across the near, far and eye planes
  guard_band,  // vertices out to 2^20 pixels
};

// `viewport`: that of the draw's state. `triangles`: approximate number.
Shape make_shape(Dice& dice, ShapeKind kind, const glm::vec4& viewport, int triangles);

}  // namespace brokkr::oracle
