// Decides when frames are captured: counts swaps, watches the key, and passes finished frames to a writer.
#pragma once

#include <atomic>
#include <cstdint>

#include "capture/context.h"
#include "capture/recorder.h"
#include "capture/state_guard.h"

namespace brokkr::capture {

// Reasons why hooks cannot simply pass a call on. Every hooked call reads them without a lock.
enum BusyBit : uint32_t {
  kRecording = 1,     // a frame is being recorded
  kCompiling = 2,     // a thread compiles a display list
  kFastForward = 4,   // nothing is drawn to windows
  kWaitForStart = 8,  // frame 0 begins with the first call
  kInBegin = 16,      // a private list records the draws between glBegin and glEnd
};
extern std::atomic<uint32_t> g_busy;
extern std::atomic<bool> g_pending_errors;  // a context has errors that the application has not queried
extern std::atomic<uint64_t> g_state_checks, g_state_differences;

// Returns true if the layer is active in this process.
bool is_armed();

inline bool is_idle() { return g_busy.load(std::memory_order_relaxed) == 0; }
inline bool is_busy(BusyBit bit) { return (g_busy.load(std::memory_order_relaxed) & bit) != 0; }
inline void set_busy(BusyBit bit, bool on) { on ? g_busy.fetch_or(bit) : g_busy.fetch_and(~uint32_t(bit)); }

// Called before and after the real swap.
void before_swap(const Surface& surface);
void after_swap(const Surface& surface);

// The frame being recorded, or null. Requires capture_mutex().
Recorder* recorder();

// Starts frame 0 here if that was requested.
void start_if_waiting();

// Call it at the end of a process that has presented frames: waits until the last one is written.
void finish_now();

// Stops recording and drops the frame.
void abandon(const char* reason);

// Calls f() if only the layer is concerned. Does not propagate exceptions: drops the frame instead.
template <typename F>
void guarded(F&& f) noexcept {
  try {
    const std::lock_guard lock(capture_mutex());
    f();
  } catch (const std::exception& error) {
    abandon(error.what());
  } catch (...) {
    abandon("an unknown problem");
  }
}

// Calls f(recorder, context) while a frame is recorded and GL may be called. Does not propagate exceptions.
template <typename F>
void record(const char* name, F&& f) noexcept {
  if (is_busy(kWaitForStart)) start_if_waiting();
  if (!is_busy(kRecording)) return;
  guarded([&] {
    Recorder* const current = recorder();
    Context* const context = current ? known_context() : nullptr;
    if (!context || context->compiling != 0 || context->begin_list != 0) return;
    const Operation operation(*context, name);
    f(*current, *context);
  });
}

}  // namespace brokkr::capture

// Shared by all hooks: the export macros, and helpers that describe a draw before it is passed on.

// Marks an exported function; all other symbols stay internal.
#define BROKKR_EXPORT extern "C" __attribute__((visibility("default")))

// Defines another name, from an extension, for a hook of this file with the same parameters. Names of functions need no
// parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define BROKKR_ALIAS(name, hook) extern "C" decltype(::name) name __attribute__((alias(#hook), visibility("default")))

// As BROKKR_ALIAS, for names of OpenGL ES, which its own headers declare.
#define BROKKR_ALIAS_ES(name, hook) \
  extern "C" decltype(::hook) name __attribute__((alias(#hook), visibility("default")))
// NOLINTEND(bugprone-macro-parentheses)

namespace brokkr::capture {

// ListContent of a draw in `mode`.
uint32_t list_bit(GLenum mode);

// Records that the display list being compiled, if any, contains such draws and these pixels.
void note_compiled(uint32_t content, const std::vector<std::shared_ptr<const Pixels>>& pixels = {});

// Returns true if fast forward drops the draw because it would go to a window.
bool is_dropped();

// Describes a draw by make(context) if necessary. Returns true if the call must not be passed on.
template <typename F>
bool handle_draw(const char* name, GLenum mode, F&& make) {
  if (is_busy(kCompiling)) note_compiled(list_bit(mode));
  if (is_busy(kFastForward) && is_dropped()) return true;
  record(name, [&](Recorder& current, Context& context) { current.draw(context, make(context)); });
  return false;
}

}  // namespace brokkr::capture

// Defines the hook of a function that draws in `mode`. It passes its arguments on; while a frame is recorded, it first
// describes the draw by the trailing expression, in which `context` is the current context.
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
