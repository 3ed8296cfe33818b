// The distance of a prepared frame's vertices from the planes of clipping, vertex by vertex.
#pragma once

#include "plan/prepare.h"

namespace brokkr::oracle {

// The least distance of a frame's vertices from the clipping planes and from w = 0, in single precision as on the
// kernel's machines (needs_clipping, geometry/setup.h); for draws in object space without instance lists.
float least_clip_distance(const PreparedFrame::Impl& f);

}  // namespace brokkr::oracle
