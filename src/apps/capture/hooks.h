// Shared by all hooks: how they are exported, and how a draw is described before it is passed on.
#pragma once

#include "capture/session.h"

// What the library exports; everything else stays inside.
#define BROKKR_EXPORT extern "C" __attribute__((visibility("default")))

// An extension's name for a hook of this file with the same parameters.
#define BROKKR_ALIAS(name, hook) extern "C" decltype(::name) name __attribute__((alias(#hook), visibility("default")))

namespace brokkr::capture {

// ListContent of a draw in `mode`.
uint32_t list_bit(GLenum mode);

// Records that the display list being compiled, if there is one, contains such draws.
void note_compiled(uint32_t content);

// Fast forward: the draw would go to a window.
bool is_dropped();

// Describes a draw by make(context) if required. Returns true if the call must not be passed on.
template <typename F>
bool handle_draw(const char* name, GLenum mode, F&& make) {
  if (is_busy(kCompiling)) note_compiled(list_bit(mode));
  if (is_busy(kFastForward) && is_dropped()) return true;
  record(name, [&](Recorder& current, Context& context) { current.draw(context, make(context)); });
  return false;
}

}  // namespace brokkr::capture

// Defines the hook of a function that draws in `mode`. It passes its arguments on; while a frame is recorded, it first
// describes the draw by the expression that follows, in which `context` is the current one.
#define BROKKR_DRAW(name, mode, parameters, arguments, ...)                                        \
  BROKKR_EXPORT void gl##name parameters {                                                         \
    if (!is_idle() && handle_draw("gl" #name, mode, [&]([[maybe_unused]] const Context& context) { \
          DrawCall call = __VA_ARGS__;                                                             \
          call.submit = [=] { GL(name) arguments; };                                               \
          return call;                                                                             \
        })) {                                                                                      \
      return;                                                                                      \
    }                                                                                              \
    GL(name) arguments;                                                                            \
  }
