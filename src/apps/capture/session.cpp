#include "capture/session.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "capture/lookup.h"
#include "capture/read_back.h"
#include "capture/settings.h"
#include "frame/bkf.h"
#include "frame/bkf_fields.h"

namespace brokkr::capture {

std::atomic<uint32_t> g_busy{0};
std::atomic<bool> g_pending_errors{false};
std::atomic<uint64_t> g_state_checks{0}, g_state_differences{0};

namespace {

// The frames before the first captured one are drawn completely again, so that state and images are correct.
constexpr int64_t kLeadFrames = 4;
constexpr int kCompression = 9;

std::string file_name(int64_t frame, bool several) {
  std::string name = settings().output;
  const std::string number = std::to_string(frame);
  const size_t mark = name.find("{}");
  if (mark != std::string::npos) return name.replace(mark, 2, number);
  if (!several) return name;
  const size_t dot = name.rfind('.');
  const size_t slash = name.rfind('/');
  const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  return name.insert(has_ending ? dot : name.size(), "-" + number);
}

// Sends a report to `brokkr capture`. Names may be in any encoding.
void tell(const nlohmann::json& status, bool needed = true) {
  send_status(settings().status, status.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), needed);
}

// Compresses and writes frames one at a time on other threads, so that the program continues.
class FrameWriter {
 public:
  void add(Frame frame, std::string path) {
    forget_a_parents();
    const std::lock_guard lock(mutex_);
    process_ = getpid();
    last_ =
        std::async(std::launch::async, [before = std::move(last_), frame = std::move(frame), path = std::move(path)] {
          t_writes = true;
          if (before.valid()) before.wait();
          write(frame, path);
        }).share();
  }

  // Waits until all frames are written, because the program exits. Another thread may still add one.
  void finish() {
    if (process_ != getpid() || t_writes) return;
    std::unique_lock lock(mutex_);
    const std::shared_future<void> last = last_;
    lock.unlock();
    if (last.valid()) last.wait();
  }

 private:
  static void write(const Frame& frame, const std::string& path) {
    nlohmann::json status = {{"frame", frame.frame_number}, {"file", path}};
    try {
      write_bkf(frame, path, {.level = kCompression});
      uint64_t draws = 0, recorded = 0;
      for (const Command& command : frame.commands) {
        const auto* const draw = std::get_if<DrawCommand>(&command);
        draws += draw != nullptr;
        recorded += draw != nullptr && draw->element_count > 0;
      }
      const uint64_t triangles = triangle_count(frame);
      status["draws"] = draws;
      status["triangles"] = triangles;
      status["skipped"] = frame.skipped_draws;
      if (recorded == 0) status["empty"] = true;
      const auto number = [](const auto& one) { return one.first.starts_with(bkf::kExpandedReason) ? 0 : one.second; };
      const auto commonest = std::max_element(frame.skipped_reasons.begin(), frame.skipped_reasons.end(),
                                              [&](const auto& a, const auto& b) { return number(a) < number(b); });
      if (frame.skipped_draws > 0 && commonest != frame.skipped_reasons.end()) status["reason"] = commonest->first;
      report("frame " + std::to_string(frame.frame_number) + ": " + counted(draws, "draw") + ", " +
             counted(triangles, "triangle") + ", " + counted(frame.skipped_draws, "draw") + " skipped; written to " +
             path);
      for (const auto& [reason, count] : frame.skipped_reasons) {
        report("  " + std::to_string(count) + " x " + reason);
      }
    } catch (const std::exception& error) {
      status["error"] = error.what();
      report(error.what());
    }
    status["state_checks"] = g_state_checks.load();
    status["state_differences"] = g_state_differences.load();
    tell(status);
  }

  // A forked child does not have its parent's threads. Waiting for them would hang, and so would the future's
  // destructor, so leak the future.
  void forget_a_parents() {
    if (last_.valid() && process_ != getpid()) new std::shared_future<void>(std::move(last_));
  }

  // true on a thread that writes a frame, which cannot wait for itself
  static inline thread_local bool t_writes = false;

  std::atomic<pid_t> process_ = 0;  // the process that owns the writing threads
  std::mutex mutex_;                // guards last_
  std::shared_future<void> last_;
};

struct Session {
  std::unique_ptr<Recorder> recorder;
  std::map<uintptr_t, int64_t> swaps;  // per drawable
  std::optional<int64_t> next;         // frame to capture
  int64_t captured = 0;
  std::unique_ptr<Keyboard> keyboard;
  bool key_was_down = false, key_hit = false, released = false;
  // Read at the end of the process, while other threads may still present frames: how many the window with the most has
  // shown, and whether `brokkr capture` knows of any.
  std::atomic<int64_t> max_swaps = 0;
  std::atomic<bool> greeted = false;
  std::atomic<pid_t> process = 0;  // the process that presents frames; a forked child has a copy of all this data
  FrameWriter writer;
};

// Never destroyed: threads may still swap while the process exits.
Session& session() {
  static auto* const result = new Session;
  return *result;
}

bool wants_more() { return !session().released && (settings().count == 0 || session().captured < settings().count); }

void watch_key() {
  Session& state = session();
  if (settings().key.empty()) return;
  if (!state.keyboard) {
    state.keyboard = std::make_unique<Keyboard>(settings().key);
    if (!state.keyboard->problem().empty()) report("--key: " + state.keyboard->problem());
  }
  const bool down = state.keyboard->is_down();
  if (down && !state.key_was_down) state.key_hit = true;
  state.key_was_down = down;
}

void begin_frame(const Surface& surface, int64_t number) {
  Context* const context = known_context();
  if (!context) return;  // swapped without a current context; a later swap may have one
  Session& state = session();
  state.key_hit = false;
  state.next.reset();
  const Operation operation(*context, "the beginning of the frame");
  state.recorder = std::make_unique<Recorder>(*context, surface, number);
  set_busy(kRecording, true);
}

void end_frame() {
  Session& state = session();
  Context* const context = known_context();
  set_busy(kRecording, false);
  const std::unique_ptr<Recorder> finished = std::move(state.recorder);
  if (!context) {
    report("the frame is dropped: no context is current at its end");
    return;
  }
  const int64_t number = finished->frame_number();
  {
    const Operation operation(*context, "the end of the frame");
    Frame frame = finished->finish(*context);
    delete_feedback_objects(*context);
    const bool several = settings().count != 1;
    state.captured++;
    state.writer.add(std::move(frame), file_name(number, several));
  }
  if (settings().every > 0 && wants_more()) state.next = number + settings().every;
}

// `brokkr capture` has exited, so nobody waits for frames: end the program as `brokkr capture` would have ended it, or
// let it continue alone.
void end_if_abandoned() {
  if (session().released || !is_abandoned(settings().status)) return;
  session().released = true;
  set_busy(kFastForward, false);
  if (!settings().keep_running) kill(getpid(), SIGTERM);
}

// Until the first frame is captured, reports the current frame several times a second, and checks whether `brokkr
// capture` still listens. Always reports the first frames, because a program may show a few and then wait.
void keep_in_touch(int64_t frame) {
  constexpr auto kPause = std::chrono::milliseconds(200);
  constexpr int64_t kAlways = 16;
  static auto next = std::chrono::steady_clock::now() + kPause;
  if (frame > kAlways && std::chrono::steady_clock::now() < next) return;
  next = std::chrono::steady_clock::now() + kPause;
  if (session().captured == 0) tell({{"swap", frame}}, false);
  end_if_abandoned();
}

void count_swap(const Surface& surface) {
  Session& state = session();
  state.process = getpid();
  const int64_t frame = ++state.swaps[surface.drawable];
  state.max_swaps = std::max(state.max_swaps.load(), frame);
  if (!state.greeted) {
    state.greeted = true;
    tell({{"swaps", true}});
  }
  keep_in_touch(frame);
  if (is_busy(kFastForward) && settings().frame && frame + kLeadFrames >= *settings().frame) {
    set_busy(kFastForward, false);
  }
  if (state.recorder || !wants_more()) return;
  watch_key();
  if (state.key_hit || (state.next && frame >= *state.next)) begin_frame(surface, frame);
}

__attribute__((constructor)) void start() {
  const Settings& wanted = settings();
  if (wanted.output.empty()) return;
  if (wanted.frame) session().next = wanted.frame;
  if (wanted.frame && *wanted.frame == 0) set_busy(kWaitForStart, true);
  if (wanted.fast_forward && wanted.frame && *wanted.frame > kLeadFrames) set_busy(kFastForward, true);
}

// At the end of the program: waits for its last frames, and reports the number of frames shown to `brokkr capture`.
__attribute__((destructor)) void finish() {
  if (!is_armed() || session().process != getpid()) return;
  session().writer.finish();
  if (session().greeted) tell({{"ended", session().max_swaps.load()}});
}

}  // namespace

void finish_now() { finish(); }

bool is_armed() { return !settings().output.empty(); }

Recorder* recorder() { return session().recorder.get(); }

void start_if_waiting() {
  if (!is_busy(kWaitForStart)) return;
  guarded([] {
    if (!is_busy(kWaitForStart)) return;
    set_busy(kWaitForStart, false);
    begin_frame(current_surface(), 0);
  });
}

void abandon(const char* reason) {
  const std::lock_guard lock(capture_mutex());
  set_busy(kRecording, false);
  session().recorder.reset();
  report(std::string("the frame is dropped: ") + reason);
  tell({{"error", reason}});
}

void before_swap(const Surface& surface) {
  if (!is_busy(kRecording)) return;
  guarded([&] {
    Session& state = session();
    if (!state.recorder) return;
    // Frame 0 begins with the first call of GL, when no window has been shown yet. Toolkits make the first calls in a
    // window that they never show.
    if (state.recorder->frame_number() == 0 && !state.swaps.contains(state.recorder->window().drawable)) {
      state.recorder->take_window(surface);
    }
    if (state.recorder->window().drawable == surface.drawable) return end_frame();
    if (Context* const context = known_context(); context && current_surface().drawable == surface.drawable) {
      const Operation operation(*context, "the swap of another window");
      state.recorder->end_window(*context);
    }
  });
}

void after_swap(const Surface& surface) {
  if (is_armed()) guarded([&] { count_swap(surface); });
}

}  // namespace brokkr::capture

// exit() runs the destructor above, but these functions end the process at once, and a program may call them right
// after its last frame. A child of vfork() shares this memory but has another process number.
extern "C" __attribute__((visibility("default"), noreturn)) void _exit(int status) {
  brokkr::capture::finish_now();
  const auto next = reinterpret_cast<void (*)(int)>(brokkr::capture::real_dlsym(RTLD_NEXT, "_exit"));
  next(status);
  __builtin_unreachable();
}

extern "C" __attribute__((visibility("default"), noreturn)) void _Exit(int status) noexcept { _exit(status); }
