// Renders on a separate thread, so that the window stays responsive.
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

// The frame that the render thread draws: the scene's frame with the size, camera and hidden draws of the newest
// request.
class WorkingFrame {
 public:
  // Updates frame and prepared frame for a request. It repeats only the necessary work: the views if the camera of a
  // scene moved, the vertices if that of a captured frame did. Throws what Renderer::prepare throws, and
  // std::invalid_argument for a size beyond the limits; the frame is then invalid until the next call.
  void update(Renderer& renderer, const RenderRequest& request, const LoadOptions& load);

  // Returns true if the shader has buffers, which keep their content from one picture to the next.
  bool has_buffers() const { return shader_ && shader_->has_buffers(); }
  void keep_buffers(const RenderResult& result) { brokkr::keep_buffers(frame, *shader_, result); }

  Frame frame;
  std::optional<PreparedFrame> prepared;  // of `frame`; empty if there is no frame
  uint32_t target = 0, layer = 0;

 private:
  // The scene that `frame` was made from, and data that does not depend on camera or draws.
  struct Made {
    std::shared_ptr<const Scene> scene;
    int width = 0, height = 0;
    uint32_t target = 0;
    std::set<uint32_t> hidden;
    bool no_loads = false;  // initial pictures of targets are skipped, because they would cover what is left out
    std::string shader;     // the texts of the user's shader; empty: none
    UniformEdits uniforms;
    bool operator==(const Made&) const = default;
  };
  void make_anew(Renderer& renderer, const Made& wanted, const RenderRequest& request, const LoadOptions& load);
  void place_camera(const Scene& scene, const std::optional<Camera>& camera);
  void place_vertices(const Scene& scene, const std::optional<Camera>& camera, const UniformEdits& edits,
                      const LoadOptions& load);

  Made made_;
  std::optional<Camera> camera_;
  std::shared_ptr<const FragmentShader> shader_;
};

class RenderThread {
 public:
  // `wake` is called from this thread whenever results are available. The presenter must outlive the object. `sharing`:
  // several processes draw the frames.
  RenderThread(Presenter& presenter, std::function<void()> wake, std::vector<std::unique_ptr<Painter>> painters = {},
               std::unique_ptr<FrameSharing> sharing = nullptr);
  // Aborts the current frame.
  ~RenderThread();
  RenderThread(const RenderThread&) = delete;
  RenderThread& operator=(const RenderThread&) = delete;

  // Renders `request` next, instead of any waiting request.
  void request(RenderRequest request);
  // See ViewerCommands::run.
  std::weak_ptr<const RenderJob> run(RenderJob job);
  // Aborts the frame that is being prepared or rendered.
  void cancel();

  // Returns true if no frame is being rendered and no request waits.
  bool idle() const;
  // Returns true if a request has not begun yet.
  bool request_waits() const;

  // Results since the last call, oldest first.
  struct Results {
    std::vector<std::shared_ptr<const Rendered>> frames;  // the presenter has their pictures
    std::vector<RenderAnswer> answers;
    std::vector<std::string> errors;  // one line each
    bool cannot_paint = false;        // one of the errors is a painter's
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

  // Only the thread itself uses these members.
  Renderer renderer_;
  WorkingFrame working_frame_;
  std::optional<FrameSettings> drawn_;  // the settings of `working_frame_`; empty if drawing failed
  std::vector<std::unique_ptr<Painter>> painters_;
  std::optional<RenderRequest> goes_on_;  // the request whose picture improves while nothing else is requested
  uint64_t number_ = 0;
  std::unique_ptr<FrameSharing> sharing_;  // null: this process draws alone
  std::thread thread_;
};

}  // namespace brokkr::viewer
