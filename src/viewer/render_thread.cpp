#include "viewer/render_thread.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "brokkr/image.h"

namespace brokkr::viewer {
namespace {

// A frame that takes every core must not keep the window waiting. This thread, and the machine's threads, which inherit
// its niceness, give way to the UI thread.
void be_nice() { setpriority(PRIO_PROCESS, id_t(gettid()), 10); }

}  // namespace

RenderThread::RenderThread(Presenter& presenter, std::function<void()> wake)
    : presenter_(presenter), wake_(std::move(wake)), thread_([this] { loop(); }) {}

RenderThread::~RenderThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    waiting_.reset();
    jobs_.clear();
    changed_.notify_all();
  }
  presenter_.stop();
  cancelled_ = true;
  // A launch that is about to begin drops earlier requests to end.
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) break;
    }
    renderer_.request_abort();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  thread_.join();
}

void RenderThread::request(RenderRequest request) {
  const std::lock_guard lock(mutex_);
  waiting_ = std::move(request);
  changed_.notify_all();
}

void RenderThread::run(RenderJob job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

void RenderThread::cancel() {
  const std::lock_guard lock(mutex_);
  if (!working_) return;
  cancelled_ = true;
  renderer_.request_abort();
}

bool RenderThread::idle() const {
  const std::lock_guard lock(mutex_);
  return !working_ && !waiting_ && jobs_.empty();
}

bool RenderThread::request_waits() const {
  const std::lock_guard lock(mutex_);
  return waiting_.has_value();
}

std::vector<std::shared_ptr<const Rendered>> RenderThread::take_frames() {
  const std::lock_guard lock(mutex_);
  return std::exchange(frames_, {});
}

std::vector<std::string> RenderThread::take_errors() {
  const std::lock_guard lock(mutex_);
  return std::exchange(errors_, {});
}

void RenderThread::report(const std::string& error) {
  {
    const std::lock_guard lock(mutex_);
    errors_.push_back(error);
  }
  wake_();
}

void RenderThread::loop() {
  be_nice();
  for (;;) {
    std::optional<RenderRequest> request;
    RenderJob job;
    {
      std::unique_lock lock(mutex_);
      working_ = false;
      changed_.wait(lock, [&] { return stop_ || waiting_ || !jobs_.empty(); });
      if (stop_) break;
      working_ = true;
      cancelled_ = false;
      if (!jobs_.empty()) {
        job = std::move(jobs_.front());
        jobs_.pop_front();
      } else {
        request = std::exchange(waiting_, std::nullopt);
      }
    }
    try {
      if (job) {
        do_job(job);
      } else {
        render(*request);
      }
    } catch (const std::exception& error) {
      if (request) drawn_.reset();
      report(error.what());
    }
    wake_();
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

void RenderThread::do_job(const RenderJob& job) {
  if (!drawn_ || !working_frame_.ready()) return;
  RenderContext context{renderer_,        working_frame_.prepared(), working_frame_.frame(),
                        drawn_->settings, working_frame_.target(),   working_frame_.layer(),
                        cancelled_};
  job(context);
}

void RenderThread::render(const RenderRequest& request) {
  auto done = std::make_shared<Rendered>();
  working_frame_.update(renderer_, request.scene, request.settings, request.camera);
  drawn_ = request;
  const RenderOptions& options = request.settings.options;
  bool read_back = request.settings.read_back || options.keep_ids || !presenter_.takes_device_frames(options);
  done->begin = Clock::now();
  done->result = renderer_.render(working_frame_.prepared(), options, read_back);
  if (cancelled_) return;

  const Frame& frame = working_frame_.frame();
  const Target& target = frame.targets[working_frame_.target()];
  done->number = ++number_;
  done->scene = request.scene;
  done->settings = request.settings;
  done->camera = request.camera;
  done->views = frame.views;
  done->target = working_frame_.target();
  done->layer = working_frame_.layer();
  done->width = target.width;
  done->height = target.height;
  done->requested = request.requested;
  done->prepared = working_frame_.shared_prepared();

  bool shown = false;
  if (!read_back) {
    shown = presenter_.write_device(done->number, renderer_, done->target, done->layer, done->width, done->height);
    if (!shown) done->result = renderer_.render(working_frame_.prepared(), options, true);
  }
  if (!shown) {
    const Layer& layer = *done->shown_layer();
    if (!layer.color.empty()) {
      shown = presenter_.write(done->number, done->width, done->height, layer.color);
    } else {
      shown = presenter_.write(done->number, done->width, done->height, screen_pixels(layer));
    }
  }
  if (!shown) return;  // the viewer closes
  done->end = Clock::now();
  const std::lock_guard lock(mutex_);
  frames_.push_back(std::move(done));
}

}  // namespace brokkr::viewer
