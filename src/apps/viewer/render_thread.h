// The thread that renders, so that the window responds while a frame is rendered.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "viewer/module.h"
#include "viewer/painter.h"
#include "viewer/panel.h"
#include "viewer/present.h"

namespace brokkr::viewer {

// The frame that the render thread draws: the scene's, with size, camera and hidden draws of the newest request.
class WorkingFrame {
 public:
  // Makes frame and prepared frame as requested. It repeats only the work that the change since the last call needs:
  // the views where the camera of a scene moved, the vertices where that of a captured frame did. Throws what
  // Renderer::prepare throws with these options of `load` that it knows, and std::invalid_argument for a size beyond
  // the limits; the frame is then invalid until the next call.
  void update(Renderer& renderer, const RenderRequest& request, const LoadOptions& load);

  // Returns true if the shader has buffers, which keep what they hold from one picture to the next.
  bool has_buffers() const { return shader_ && shader_->has_buffers(); }
  void keep_buffers(const RenderResult& result) { brokkr::keep_buffers(frame, *shader_, result); }

  Frame frame;
  std::optional<PreparedFrame> prepared;  // of `frame`; nothing: there is no frame
  uint32_t target = 0, layer = 0;

 private:
  // The scene that `frame` was made from, and data that depends on neither its camera nor its draws.
  struct Made {
    std::shared_ptr<const Scene> scene;
    int width = 0, height = 0;
    uint32_t target = 0;
    std::set<uint32_t> hidden;
    bool no_loads = false;  // pictures that targets are filled with first would hide what is left out
    std::string shader;     // the texts of the user's own; empty: none
    bool operator==(const Made&) const = default;
  };
  void make_anew(Renderer& renderer, const Made& wanted, const RenderRequest& request, const LoadOptions& load);
  void place_camera(const Scene& scene, const std::optional<Camera>& camera);

  Made made_;
  std::optional<Camera> camera_;
  std::shared_ptr<const FragmentShader> shader_;
};

class RenderThread {
 public:
  // `wake` is called from this thread whenever there is something to take. The presenter must outlive the object.
  // `sharing`: frames are drawn by several processes.
  RenderThread(Presenter& presenter, std::function<void()> wake, std::vector<std::unique_ptr<Painter>> painters = {},
               std::unique_ptr<FrameSharing> sharing = nullptr);
  // Ends a frame that is being rendered.
  ~RenderThread();
  RenderThread(const RenderThread&) = delete;
  RenderThread& operator=(const RenderThread&) = delete;

  // Renders `request` next; a request that waits already is dropped.
  void request(RenderRequest request);
  // As ViewerCommands::run.
  std::weak_ptr<const RenderJob> run(RenderJob job);
  // Ends the frame that is being prepared or rendered.
  void cancel();

  // Returns true if no frame is being rendered and no request waits.
  bool idle() const;
  // Returns true if a request has not begun yet.
  bool request_waits() const;

  // The answers since the last call, oldest first.
  struct Results {
    std::vector<std::shared_ptr<const Rendered>> frames;  // the presenter has their pictures
    std::vector<RenderAnswer> answers;
    std::vector<std::string> errors;  // one line each
    bool cannot_paint = false;        // one of them is a painter's
  };
  Results take();

 private:
  void loop();
  void begin_sharing();
  void render(const RenderRequest& request);
  bool update(const RenderRequest& request);
  void paint(Painter& painter, const RenderRequest& request);
  Painter* painter_of(const RenderRequest& request);
  LoadOptions load_options(const RenderRequest& request);
  void do_job(const std::shared_ptr<const RenderJob>& job);

  Presenter& presenter_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<RenderRequest> waiting_;
  std::deque<std::shared_ptr<const RenderJob>> jobs_;
  Results results_;
  bool working_ = false, stop_ = false, ended_ = false, cancelled_ = false;

  // Only the thread itself uses the following.
  Renderer renderer_;
  WorkingFrame working_frame_;
  std::optional<FrameSettings> drawn_;  // the settings of `working_frame_`; nothing where it could not be drawn
  std::vector<std::unique_ptr<Painter>> painters_;
  std::optional<RenderRequest> goes_on_;  // whose picture grows while nothing else is asked for
  uint64_t number_ = 0;
  std::unique_ptr<FrameSharing> sharing_;  // null: this process draws alone
  std::thread thread_;
};

}  // namespace brokkr::viewer
