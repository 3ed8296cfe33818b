// The fixed-function state of a draw, read from the context.
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
  uint32_t flags = 0;           // DrawFlag bits that derive from state
  std::set<std::string> notes;  // properties of the state that the file cannot hold
  // State of back faces if it differs: the draw then becomes two draws, one for the faces of each side.
  std::optional<StencilState> back_stencil;
  std::optional<PolygonMode> back_mode;
  std::optional<PolygonOffset> back_offset;  // set together with back_mode
  std::vector<GLint> clip_planes;            // numbers of the enabled planes
};

// `has_depth`, `has_stencil`: whether the draw framebuffer has those planes; tests pass if it does not.
RenderState read_render_state(const Context& context, bool has_depth, bool has_stencil);

// The state of draw buffer `number` > 0; notes are added to `out`.
DrawBuffer read_draw_buffer(const Context& context, size_t number, RenderState& out);

// The planes that a clear changes and their values, under the context's masks and scissor.
struct ClearMasks {
  bool color = true, partial_color = false, depth = true, stencil = true, partial_stencil = false;
  std::optional<Rect> scissor;
};
ClearMasks read_clear_masks();

}  // namespace brokkr::capture
