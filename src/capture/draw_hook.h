// What draw hooks share.
#pragma once

#include "capture/session.h"

namespace brokkr::capture {

// GL_POINTS, GL_LINES or GL_TRIANGLES: what feedback of a draw in `mode` records.
GLenum feedback_primitive(GLenum mode);

// ListContent of a draw in `mode`.
uint32_t list_bit(GLenum mode);

// The current display list, if one is being compiled, contains such draws.
void note_compiled(uint32_t content);

// Fast forward: the draw would go to a window.
bool is_dropped();

// Describes a draw where that is wanted, by make(context). True: the call must not be passed on.
template <typename F>
bool handle_draw(const char* name, GLenum mode, F&& make) {
  if (is_busy(kCompiling)) note_compiled(list_bit(mode));
  if (is_busy(kFastForward) && is_dropped()) return true;
  record(name, [&](Recorder& current, Context& context) { current.draw(context, make(context)); });
  return false;
}

}  // namespace brokkr::capture
