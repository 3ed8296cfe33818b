// Detects frames that need no clipping. In most frames whole objects are visible: no vertex lies in front of the near
// plane, behind the far plane, or thousands of pixels outside the picture. Their triangles skip the clip test, and a
// batch reserves one block of the triangle store instead of seven.
#pragma once

#include <vector>

#include "brokkr/renderer.h"

namespace brokkr {

// The bounding box of a draw's vertex positions: x, y, z, w as stored in the frame.
struct PositionBox {
  float low[4], high[4];
};

// One box per draw record. The list is empty if draws share so many vertices that computing the boxes would take long.
std::vector<PositionBox> position_boxes(const PreparedFrame::Impl& frame);

// Returns true if no triangle of the frame can need clipping (needs_clipping, geometry/setup.h). Tests the corners of
// the boxes with a margin wider than all rounding errors of a vertex transform. Returns false if it cannot decide.
bool is_inside(const PreparedFrame::Impl& frame);

}  // namespace brokkr
