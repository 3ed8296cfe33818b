// The fixed-function state of a draw, read from the context.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "capture/context.h"
#include "capture/replay.h"

namespace brokkr::capture {

struct RenderState {
  State state;
  uint32_t flags = 0;           // DrawFlag bits that follow from the state
  std::set<std::string> notes;  // properties of the state that the file cannot hold
  // The state of back faces, if it differs. The draw then becomes two draws, one for the faces of each side.
  std::optional<StencilState> back_stencil;
  std::optional<PolygonMode> back_mode;
  std::optional<PolygonOffset> back_offset;  // set together with back_mode
  std::vector<GLint> clip_planes;            // numbers of the enabled planes
};

// `has_depth`, `has_stencil`: true if the draw framebuffer has that plane; without it, the test passes.
RenderState read_render_state(const Context& context, bool has_depth, bool has_stencil);

// The stipple of the draw's triangles; empty if they are drawn whole. `render`: the draw's state.
std::optional<StipplePattern> read_stipple(const Context& context, const RenderState& render);

// The stipple of lines; empty if they are drawn whole. `render`: the draw's state.
std::optional<LineStipple> read_line_stipple(const Context& context, const RenderState& render);

// The state of draw buffer `number` > 0. Adds notes to `out`.
DrawBuffer read_draw_buffer(const Context& context, size_t number, RenderState& out);

// The planes that a clear changes under the context's masks and scissor, and their values.
struct ClearMasks {
  std::array<std::array<bool, 4>, kMaxColorPlanes> color{};  // by draw buffer
  bool depth = true;
  uint8_t stencil = 0xff;  // the bits that are cleared
  std::optional<Rect> scissor;
};
ClearMasks read_clear_masks(const Context& context);

// The state of viewport `number` of several: replaces viewport, depth range and scissor.
void read_viewport_of(uint32_t number, State& state);

// Splits drawn quads into triangles where that differs from the split in feedback.

// Returns true if the driver may rasterize the draw's quads as whole quads. Mesa's llvmpipe does this if quads have no
// indices and no flat varyings, are filled, and their last vertices provoke. It splits such quads last, into corners 0,
// 1, 2 and 0, 2, 3. It splits all other quads, and quads with clipped vertices, first, into 0, 1, 3 and 1, 2, 3, as in
// feedback. `program`: the draw's; null if it has none.
bool may_draw_whole_quads(const Context& context, const DrawCall& call, const RenderState& render, uint32_t flags,
                          const FragmentProgram* program);

// Returns true if a primitive's colours or other inputs are those of its provoking vertex.
bool is_flat(const State& state, const FragmentProgram* program);

// Returns true if a text of the program has this name. `program`: may be null.
bool reads(const FragmentProgram* program, const char* name);

// Returns true if the file may hold the outlines of the draw's faces as lines: the faces are drawn as lines, and lines
// look the same. They do not if vertices provoke, if sides differ, if faces have numbers, or if lines have the depth
// offset of their faces. Other outlines become the lines of the draw's triangles, with edges inside of quads and
// polygons.
bool may_draw_outlines(const DrawCall& call, const RenderState& render, const VertexStage& stage,
                       const FragmentProgram* program);

// Removes points whose centres lie outside of the window, which OpenGL clips. OpenGL ES does not.
void drop_points_outside(Replayed& part);

// Removes the outlines of the part's culled faces. `flags`: the draw's DrawFlag bits.
void cull_outlines(Replayed& part, const State& state, uint32_t flags);

// Recognized by name; for other drivers, only feedback counts.
bool is_llvmpipe(const Context& context);

// llvmpipe's split of quads and quad strips if first vertices provoke. It differs from its feedback, where the last
// vertex provokes nevertheless.
inline constexpr QuadSplit kLlvmpipeFirst = {.quad = {3, 0, 1, 3, 1, 2}, .strip = {3, 0, 1, 3, 2, 0}};

// Splits the quads of a part of such a draw as the driver draws them. `flags`: the draw's DrawFlag bits.
void divide_whole_quads(Replayed& part, uint32_t flags);

}  // namespace brokkr::capture
