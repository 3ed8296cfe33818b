// Frames of nested boxes whose sides lie at every residue of 64, and so of 8: tiles, regions and bins begin and end at
// each residue. If a program draws one column or row too many or too few, another box shows there.
#pragma once

#include "brokkr/frame.h"

namespace brokkr::oracle {

enum class BoxKind : uint8_t {
  scissors,        // of a triangle that covers the target
  rectangles,      // of two triangles
  small_scissors,  // of triangles of a few pixels that cross the side
  clears,          // scissored clears; no draws
};

// From box 0 to box 63, the depth decreases and the left, right, bottom or top side (0 .. 3) moves inwards. Draws have
// four layers, one for each side; clears have `side` alone. `ordered`: the boxes are blended and counted by the stencil
// instead of hiding each other.
Frame make_boxes(BoxKind kind, bool ordered, int side = 0);

}  // namespace brokkr::oracle
