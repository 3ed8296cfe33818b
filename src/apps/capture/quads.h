// How drawn quads are split into triangles, if that differs from the split in feedback.
#pragma once

#include "capture/render_state.h"
#include "capture/replay.h"

namespace brokkr::capture {

// Whether the draw's quads may be drawn as whole quads. Mesa's llvmpipe keeps quads whole if they have no indices and
// no flat varyings, are filled, and their last vertices provoke; it splits them last, into corners 0, 1, 2 and 0, 2, 3.
// It splits all others, and quads with clipped vertices, first, into 0, 1, 3 and 1, 2, 3, as in feedback. `program`:
// the draw's; null if it has none.
bool may_draw_whole_quads(const Context& context, const DrawCall& call, const RenderState& render, uint32_t flags,
                          const FragmentProgram* program);

// Identified by name; for other drivers, only feedback counts.
bool is_llvmpipe(const Context& context);

// How llvmpipe splits quads and quad strips if first vertices provoke. This differs from its feedback: the last vertex
// provokes nevertheless.
inline constexpr QuadSplit kLlvmpipeFirst = {.quad = {3, 0, 1, 3, 1, 2}, .strip = {3, 0, 1, 3, 2, 0}};

// Splits the quads of a part of such a draw as they are drawn. `flags`: the draw's DrawFlag bits.
void divide_whole_quads(Replayed& part, uint32_t flags);

}  // namespace brokkr::capture
