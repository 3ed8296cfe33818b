// How quads that are drawn are divided, where that is not how feedback divides them.
#pragma once

#include "capture/render_state.h"
#include "capture/replay.h"

namespace brokkr::capture {

// Whether the draw's quads may be drawn whole. Mesa's llvmpipe takes those that are sent without indices, have nothing
// flat, are filled and provoke by their last vertices as they are, and divides them last, into corners 0, 1, 2 and 0,
// 2, 3; all others, and those of which vertices have to be clipped, it divides first, into 0, 1, 3 and 1, 2, 3, as in
// feedback. `program`: of the draw; null where it has none.
bool may_draw_whole_quads(const Context& context, const DrawCall& call, const RenderState& render, uint32_t flags,
                          const FragmentProgram* program);

// By name: other drivers are asked by feedback alone.
bool is_llvmpipe(const Context& context);

// How it divides quads and strips of them where first vertices provoke, which is not what it feeds back: the last
// vertex provokes all the same.
inline constexpr QuadSplit kLlvmpipeFirst = {.quad = {3, 0, 1, 3, 1, 2}, .strip = {3, 0, 1, 3, 2, 0}};

// Divides the quads of a part of such a draw as they are drawn. `flags`: DrawFlag bits of the draw.
void divide_whole_quads(Replayed& part, uint32_t flags);

}  // namespace brokkr::capture
