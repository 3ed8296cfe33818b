// Frames of nested boxes, of which one side after another lies at every residue of 64, and so of 8: tiles, regions and
// bins begin and end at each of them. Whoever draws one column or row too many or too few shows another box there.
#pragma once

#include "brokkr/frame.h"

namespace brokkr::oracle {

enum class BoxKind : uint8_t {
  scissors,        // of a triangle that covers the target
  rectangles,      // of two triangles
  small_scissors,  // of triangles of a few pixels, which lie across the side
  clears,          // scissored clears; no draws
};

// Boxes 0 .. 63 lie ever nearer, and their left, right, bottom or top side (0 .. 3) ever further inside. Draws are of
// four layers, one for each side; clears are of `side` alone. `ordered`: the boxes are blended and counted by the
// stencil, in place of hiding each other.
Frame make_boxes(BoxKind kind, bool ordered, int side = 0);

}  // namespace brokkr::oracle
