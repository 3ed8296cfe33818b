// Jobs of panels on the render thread, and what a frame is made from, which tells whether an answer is still right.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "viewer/panel.h"

namespace brokkr::viewer {

// The text of a camera; empty for the camera that the scene was loaded with.
inline std::string text_of(const std::optional<Camera>& camera) {
  return camera ? camera_text(*camera) : std::string();
}

// Everything that a frame is made from. Equal sources give equal frames, so that a result about one frame holds for the
// other.
struct FrameSource {
  std::weak_ptr<const Scene> scene;
  FrameSettings settings;
  std::string camera;  // text_of

  bool operator==(const FrameSource& other) const {
    return scene.lock() == other.scene.lock() && settings == other.settings && camera == other.camera;
  }
};

inline FrameSource source_of(const Rendered& frame) { return {frame.scene, frame.settings, text_of(frame.camera)}; }

// A job may never run: the render thread drops jobs where its last frame failed, and when the viewer closes. A job
// therefore holds a guard. Once the job is destroyed, whether it ran or not, `state->waiting` is false. A job that
// wakes the UI thread clears the flag itself first.
template <class State>
std::shared_ptr<void> when_gone(std::shared_ptr<State> state) {
  return {static_cast<void*>(nullptr), [state](void*) {
            const std::lock_guard lock(state->mutex);
            state->waiting = false;
          }};
}

// The result of a panel's question, which panel and job share.
template <class Result>
struct Answer {
  std::mutex mutex;
  bool waiting = false;
  Result result;
};

// Runs `work`, which returns the result, on the render thread, and wakes the UI thread when the answer is there.
template <class Result, class Work>
void ask_render_thread(ViewerCommands& commands, const std::shared_ptr<Answer<Result>>& answer, Work work) {
  {
    const std::lock_guard lock(answer->mutex);
    answer->waiting = true;
  }
  commands.run([answer, guard = when_gone(answer), work = std::move(work), &commands](RenderContext& context) {
    Result result = work(context);
    {
      const std::lock_guard lock(answer->mutex);
      answer->waiting = false;
      answer->result = std::move(result);
    }
    commands.wake();
  });
}

}  // namespace brokkr::viewer
