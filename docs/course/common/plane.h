// From MP-4 on: a value that changes evenly over the window: colour, depth, texture coordinates.
#pragma once

#include "common/fixed.h"

namespace course {

struct Plane {
  Fixed value = 0;       // at the centre of the pixel that the walk starts at
  Fixed dx = 0, dy = 0;  // per pixel to the right, per pixel up
};

}  // namespace course
