// The fixed-function state of a draw, as the context has it now.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "capture/context.h"

namespace brokkr::capture {

struct RenderState {
  State state;
  uint32_t flags = 0;           // DrawFlag bits that come from state
  std::set<std::string> notes;  // properties of the state that the file cannot hold
  // Of back faces, where it is not the same: such a draw becomes two, one of each side's faces.
  std::optional<StencilState> back_stencil;
  std::optional<PolygonMode> back_mode;
  std::optional<PolygonOffset> back_offset;  // with back_mode
  std::vector<GLint> clip_planes;            // numbers of those that are enabled
};

// `has_depth`, `has_stencil`: whether the draw framebuffer has those planes; tests pass where it has none.
RenderState read_render_state(const Context& context, bool has_depth, bool has_stencil);

// The state of draw buffer `number`, beyond the first, which `out` has: with its notes.
DrawBuffer read_draw_buffer(const Context& context, size_t number, RenderState& out);

// Which planes a clear reaches, and their values, under the masks and scissor of the context.
struct ClearMasks {
  bool color = true, partial_color = false, depth = true, stencil = true, partial_stencil = false;
  std::optional<Rect> scissor;
};
ClearMasks read_clear_masks();

}  // namespace brokkr::capture
