// The thread that renders, so that the window responds while a frame is rendered.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "viewer/panel.h"
#include "viewer/present.h"
#include "viewer/working_frame.h"

namespace brokkr::viewer {

struct RenderRequest {
  std::shared_ptr<const Scene> scene;
  FrameSettings settings;
  std::optional<Camera> camera;  // nothing: as loaded
  Clock::time_point requested;
};

class RenderThread {
 public:
  // `wake` is called from this thread whenever take_frames or take_errors has something. The presenter must outlive the
  // object.
  RenderThread(Presenter& presenter, std::function<void()> wake);
  // Ends a frame that is being rendered.
  ~RenderThread();
  RenderThread(const RenderThread&) = delete;
  RenderThread& operator=(const RenderThread&) = delete;

  // Renders `request` next; a request that waits already is dropped.
  void request(RenderRequest request);
  // Runs `job` before the next frame. Without a frame the job is dropped.
  void run(RenderJob job);
  // Ends the frame that is being rendered and sets the jobs' `cancelled`.
  void cancel();

  // Whether neither a frame is being rendered nor a request waits.
  bool idle() const;
  // Whether a request has not begun yet.
  bool request_waits() const;

  // Frames that finished since the last call, oldest first. The presenter has their pictures.
  std::vector<std::shared_ptr<const Rendered>> take_frames();
  // One line each.
  std::vector<std::string> take_errors();

 private:
  void loop();
  void render(const RenderRequest& request);
  void do_job(const RenderJob& job);
  void report(const std::string& error);

  Presenter& presenter_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<RenderRequest> waiting_;
  std::deque<RenderJob> jobs_;
  std::vector<std::shared_ptr<const Rendered>> frames_;
  std::vector<std::string> errors_;
  bool working_ = false, stop_ = false, ended_ = false;
  std::atomic<bool> cancelled_{false};

  // Only the thread itself uses the following.
  Renderer renderer_;
  WorkingFrame working_frame_;
  std::optional<RenderRequest> drawn_;
  uint64_t number_ = 0;
  std::thread thread_;
};

}  // namespace brokkr::viewer
