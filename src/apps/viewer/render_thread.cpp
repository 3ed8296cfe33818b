#include "viewer/render_thread.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <utility>
#include <variant>

#include "app/resize.h"
#include "brokkr/image.h"
#include "brokkr/vertex_stage.h"
#include "inspect/trim.h"

namespace brokkr::viewer {
namespace {

// A frame that uses every core must not block the window. This thread, and the machine's threads, which inherit its
// niceness, yield to the UI thread.
void be_nice() { setpriority(PRIO_PROCESS, id_t(gettid()), 10); }

// Targets of draws, by index.
std::vector<bool> drawn_targets(const Frame& frame) {
  std::vector<bool> drawn(frame.targets.size(), false);
  for (const Command& command : frame.commands) {
    if (const auto* const draw = std::get_if<DrawCommand>(&command)) drawn[frame.views[draw->first_view].target] = true;
  }
  return drawn;
}

// Removes the initial pictures of targets that have draws. Commands keep their numbers.
void skip_loads(Frame& frame) {
  const std::vector<bool> drawn = drawn_targets(frame);
  for (Command& command : frame.commands) {
    const auto* const load = std::get_if<LoadCommand>(&command);
    if (load != nullptr && load->plane == TargetPlane::color0 && drawn[load->target])
      command = ClearCommand{.target = load->target};
  }
}

// The texts of all passes, concatenated; empty for no shader.
std::string texts_of(const FragmentShader* shader) {
  if (shader == nullptr) return {};
  std::string all = shader->text + shader->common;
  all += std::string(1, '\0') + shader->vertex.text + std::to_string(shader->vertex.instances);
  for (const ShaderBuffer& buffer : shader->buffers) all += std::string(1, '\0') + buffer.text;
  return all;
}

}  // namespace

std::vector<View> views_of(const Scene& scene, const std::optional<Camera>& camera, int width, int height) {
  const Frame& loaded = scene.frame;
  const bool as_loaded = width == loaded.targets[0].width && height == loaded.targets[0].height;
  // A scene's views orbit its camera's target; each goes to its own layer of target 0 (scene_setup.h).
  return !camera && as_loaded ? loaded.views
                              : make_orbit(camera.value_or(scene.camera), scene.bounds, float(width) / float(height), 0,
                                           uint32_t(loaded.views.size()));
}

// Computes the vertices of a captured frame for the user's camera and uniforms. `frame` still has those of the scene.
void WorkingFrame::place_vertices(const Scene& scene, const std::optional<Camera>& camera, const UniformEdits& edits,
                                  const LoadOptions& load) {
  camera_ = camera;
  edit_uniforms(frame, edits);
  if (camera && scene.game.is_found()) {
    move_game_camera(frame, scene.game, *camera, load);
    return;
  }
  if (!edits.empty()) shade_vertices(frame, load);
  if (camera) reproject(scene.unprojection, *camera, std::vector(frame.positions), frame.positions);
}

void WorkingFrame::place_camera(const Scene& scene, const std::optional<Camera>& camera) {
  camera_ = camera;
  const Frame& loaded = scene.frame;
  std::vector<View> views = views_of(scene, camera, frame.targets[0].width, frame.targets[0].height);
  // The views of the shader's buffers come after the scene's own.
  views.insert(views.end(), frame.views.begin() + std::ptrdiff_t(loaded.views.size()), frame.views.end());
  frame.views = std::move(views);
}

void WorkingFrame::make_anew(Renderer& renderer, const Made& wanted, const RenderRequest& request,
                             const LoadOptions& load) {
  prepared.reset();
  made_ = wanted;
  frame = wanted.scene->frame;
  const Target& shown = frame.targets[wanted.target];
  if (wanted.width > 0 && (wanted.width != shown.width || wanted.height != shown.height))
    app::resize_frame(frame, wanted.target, wanted.width, wanted.height);
  hide_draws(frame, std::vector(wanted.hidden.begin(), wanted.hidden.end()));
  if (wanted.no_loads) skip_loads(frame);
  if (wanted.scene->clip_space) {
    place_vertices(*wanted.scene, request.camera, wanted.uniforms, load);
  } else {
    place_camera(*wanted.scene, request.camera);
  }
  shader_ = request.settings.shader;
  if (shader_) set_fragment_shader(frame, *shader_, load);
  prepared.emplace(renderer.prepare(frame, load));
}

void WorkingFrame::update(Renderer& renderer, const RenderRequest& request, const LoadOptions& load) {
  const FrameSettings& settings = request.settings;
  const std::vector<Target>& targets = request.scene->frame.targets;
  const bool known = settings.target >= 0 && size_t(settings.target) < targets.size();
  target = known ? uint32_t(settings.target) : request.scene->shown_target(settings.options.shading);
  layer = uint32_t(std::clamp(settings.layer, 0, targets[target].layers - 1));
  const bool is_partial = !settings.hidden_commands.empty() || settings.options.command_limit;
  const Made wanted{request.scene,
                    settings.width,
                    settings.height,
                    target,
                    settings.hidden_commands,
                    is_partial,
                    texts_of(settings.shader.get()),
                    settings.uniforms};
  if (!prepared || made_ != wanted || (camera_ != request.camera && request.scene->clip_space)) {
    make_anew(renderer, wanted, request, load);
  } else if (camera_ != request.camera || shader_ != settings.shader) {
    if (camera_ != request.camera) place_camera(*request.scene, request.camera);
    const bool keys_changed =
        shader_ && (shader_->keys != settings.shader->keys || shader_->pressed != settings.shader->pressed);
    shader_ = settings.shader;
    if (shader_) update_fragment_shader(frame, *shader_);
    if (!has_buffers() && !keys_changed) return prepared->update_views();
    // The content of textures changed.
    prepared.emplace(renderer.prepare(frame, load));
  }
}

RenderThread::RenderThread(Presenter& presenter, std::function<void()> wake,
                           std::vector<std::unique_ptr<Painter>> painters, std::unique_ptr<FrameSharing> sharing)
    : presenter_(presenter),
      wake_(std::move(wake)),
      painters_(std::move(painters)),
      sharing_(std::move(sharing)),
      thread_([this] { loop(); }) {}

RenderThread::~RenderThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    waiting_.reset();
    jobs_.clear();
    changed_.notify_all();
  }
  presenter_.stop();
  // A launch that is about to begin clears earlier requests to abort.
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      cancelled_ = true;
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

std::weak_ptr<const RenderJob> RenderThread::run(RenderJob job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::make_shared<const RenderJob>(std::move(job)));
  changed_.notify_all();
  return jobs_.back();
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

RenderThread::Results RenderThread::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(results_, {});
}

void RenderThread::loop() {
  be_nice();
  begin_sharing();
  for (;;) {
    std::optional<RenderRequest> request;
    std::shared_ptr<const RenderJob> job;
    {
      std::unique_lock lock(mutex_);
      working_ = false;
      changed_.wait(lock, [&] { return stop_ || waiting_ || !jobs_.empty() || goes_on_; });
      if (stop_) break;
      working_ = true;
      cancelled_ = false;
      if (!jobs_.empty()) {
        job = std::move(jobs_.front());
        jobs_.pop_front();
      } else if (waiting_) {
        request = std::exchange(waiting_, std::nullopt);
        goes_on_.reset();
      } else {
        request = std::exchange(goes_on_, std::nullopt);
        request->requested = Clock::now();
      }
    }
    Painter* const painter = request ? painter_of(*request) : nullptr;
    try {
      if (job) {
        do_job(job);
      } else if (painter != nullptr) {
        paint(*painter, *request);
      } else {
        render(*request);
      }
    } catch (const LoadCancelled&) {
      drawn_.reset();
    } catch (const std::exception& error) {
      if (request) drawn_.reset();
      const std::lock_guard lock(mutex_);
      results_.errors.emplace_back(error.what());
      results_.cannot_paint = results_.cannot_paint || painter != nullptr;
    }
    job.reset();  // the job is over once its answer has run, and the UI thread may wait for that
    wake_();
  }
  if (sharing_) sharing_->end();
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

// The other processes wait for this one, and mpirun kills them if it exits. There is no window yet to show the reason.
void RenderThread::begin_sharing() {
  if (!sharing_) return;
  try {
    sharing_->begin();
  } catch (const std::exception& error) {
    std::cerr << "brokkr: " + std::string(error.what()) + "\n" << std::flush;
    std::_Exit(1);
  }
}

void RenderThread::do_job(const std::shared_ptr<const RenderJob>& job) {
  if (!drawn_ || !working_frame_.prepared) return;
  RenderContext context{renderer_, *working_frame_.prepared, working_frame_.frame,
                        *drawn_,   working_frame_.target,    working_frame_.layer};
  RenderAnswer answer = (*job)(context);
  if (!answer) return;
  const std::lock_guard lock(mutex_);
  results_.answers.emplace_back([job, answer = std::move(answer)] { answer(); });
}

LoadOptions RenderThread::load_options(const RenderRequest& request) {
  LoadOptions load;
  load.memory_limit = request.settings.options.memory_limit;
  load.progress = [this](double) {
    const std::lock_guard lock(mutex_);
    if (cancelled_) throw LoadCancelled();
  };
  return load;
}

// The painter of this request; null if the pipeline draws it.
Painter* RenderThread::painter_of(const RenderRequest& request) {
  Painter* found = nullptr;
  for (const auto& painter : painters_) {
    if (found == nullptr && painter->takes(request))
      found = painter.get();
    else
      painter->leave(request);
  }
  return found;
}

void RenderThread::paint(Painter& painter, const RenderRequest& request) {
  drawn_.reset();  // jobs are only for frames of the pipeline
  auto done = std::make_shared<Rendered>();
  done->begin = Clock::now();
  Painted painted = painter.paint(request, load_options(request));
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return;
  }
  done->number = ++number_;
  done->scene = request.scene;
  done->settings = request.settings;
  done->camera = request.camera;
  done->width = painted.width;
  done->height = painted.height;
  done->requested = request.requested;
  done->result.statistics = std::move(painted.statistics);
  done->painting = std::move(painted.painting);
  if (!presenter_.write(done->number, done->width, done->height, painted.pixels)) return;  // the viewer closes
  done->end = Clock::now();
  if (painted.goes_on) goes_on_ = request;
  const std::lock_guard lock(mutex_);
  results_.frames.push_back(std::move(done));
}

// Prepares the frame, on all processes if there are several. Returns true if all of them draw it.
bool RenderThread::update(const RenderRequest& request) {
  const auto own = [&] { working_frame_.update(renderer_, request, load_options(request)); };
  if (!sharing_) {
    own();
    return false;
  }
  return sharing_->prepare(request, [&]() -> const PreparedFrame& {
    own();
    return *working_frame_.prepared;
  });
}

void RenderThread::render(const RenderRequest& request) {
  auto done = std::make_shared<Rendered>();
  WorkingFrame& frame = working_frame_;
  const Clock::time_point updated = Clock::now();
  const bool together = update(request);
  drawn_ = request.settings;
  const RenderOptions& options = request.settings.options;
  const bool read_back =
      together || options.keep_ids || frame.has_buffers() || !presenter_.takes_device_frames(options);
  done->begin = Clock::now();
  done->ranks = together ? sharing_->size() : 1;
  done->result = together ? sharing_->render(renderer_, *frame.prepared, options, frame.target)
                          : renderer_.render(*frame.prepared, options, read_back);
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return;
  }
  if (frame.has_buffers() && read_back && !done->result.aborted && !together) frame.keep_buffers(done->result);
  const Target& target = frame.frame.targets[frame.target];
  done->number = ++number_;
  done->scene = request.scene;
  done->settings = request.settings;
  done->camera = request.camera;
  done->target = frame.target;
  done->layer = frame.layer;
  done->width = target.width;
  done->height = target.height;
  done->requested = request.requested;

  bool shown = false;
  if (!read_back) {
    const Clock::time_point drawn = Clock::now();
    shown = presenter_.write_device(done->number, renderer_, done->target, done->layer, done->width, done->height);
    if (shown)
      done->result.statistics.read_back_ms = milliseconds(Clock::now() - drawn);
    else
      done->result = renderer_.render(*frame.prepared, options, true);
  }
  if (!shown) {
    const Layer& layer = done->result.targets[done->target].layers[done->layer];
    if (!layer.color.empty()) {
      shown = presenter_.write(done->number, done->width, done->height, layer.color);
    } else {
      shown = presenter_.write(done->number, done->width, done->height, screen_pixels(layer));
    }
  }
  if (!shown) return;  // the viewer closes
  done->result.statistics.update_ms = milliseconds(done->begin - updated);
  done->end = Clock::now();
  const std::lock_guard lock(mutex_);
  results_.frames.push_back(std::move(done));
}

}  // namespace brokkr::viewer
