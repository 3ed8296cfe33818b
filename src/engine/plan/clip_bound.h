// A frame without clipping: most frames show whole objects, no corner of which lies in front of the near plane, behind
// the far one, or thousands of pixels outside of the picture. Their triangles need no test for that, and a batch of
// them fills one block of the triangle store, not seven.
#pragma once

#include <vector>

#include "brokkr/renderer.h"

namespace brokkr {

// Around the positions of a draw's vertices: x, y, z, w as they are in the frame.
struct PositionBox {
  float low[4], high[4];
};

// The box of every draw record; none where draws have so many vertices in common that it would take long.
std::vector<PositionBox> position_boxes(const PreparedFrame::Impl& frame);

// Whether no triangle of the frame can need clipping (needs_clipping, geometry/setup.h). It asks the boxes' corners and
// leaves a margin that is wider than all rounding on the way of a vertex; false where it cannot tell.
bool is_inside(const PreparedFrame::Impl& frame);

}  // namespace brokkr
