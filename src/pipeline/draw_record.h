// From a draw command and its state to the record that the kernel reads (scene/frame_tables.h).
#pragma once

#include <cstdint>

#include "brokkr/frame.h"
#include "scene/frame_tables.h"

namespace brokkr {

// All of the record that follows from `draw`, its state and `target`, the one that it is drawn to; `command` is its
// number in the frame. Assembly, triangles, instances and what expansion changes are filled in by Renderer::prepare.
// The frame has passed `validate` (brokkr/frame.h).
DrawRecord make_draw(const Frame& frame, const DrawCommand& draw, const Target& target, uint32_t command);

// The samples of `target` whose centres lie inside the state's viewport and scissor: x0, y0, x1, y1 in pixels, x1 and
// y1 excluded; x0 >= x1 or y0 >= y1 where there are none.
void fill_rect(const State& state, const Target& target, int32_t (&rect)[4]);

}  // namespace brokkr
