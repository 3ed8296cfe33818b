// Jobs of the render thread that may never run: it drops them where its last frame failed, and when the viewer closes.
#pragma once

#include <memory>
#include <mutex>

namespace brokkr::viewer {

// A job holds a guard. Once the job is destroyed, whether it ran or not, `state->waiting` is false. A job that wakes
// the UI thread clears the flag itself first.
template <class State>
std::shared_ptr<void> when_gone(std::shared_ptr<State> state) {
  return {static_cast<void*>(nullptr), [state](void*) {
            const std::lock_guard lock(state->mutex);
            state->waiting = false;
          }};
}

}  // namespace brokkr::viewer
