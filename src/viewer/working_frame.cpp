#include "viewer/working_frame.h"

#include <algorithm>
#include <utility>

#include "app/resize.h"

namespace brokkr::viewer {
namespace {

bool same(const Camera& a, const Camera& b) {
  return a.eye == b.eye && a.target == b.target && a.up == b.up && a.fov == b.fov && a.near_plane == b.near_plane &&
         a.far_plane == b.far_plane;
}

bool same(const std::optional<Camera>& a, const std::optional<Camera>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

}  // namespace

void WorkingFrame::place_camera(const Made& wanted) {
  const Frame& loaded = wanted.scene->frame;
  if (wanted.scene->clip_space) {
    if (wanted.camera) {
      frame_->positions.resize(loaded.positions.size());
      reproject(wanted.scene->unprojection, *wanted.camera, loaded.positions, frame_->positions);
    } else {
      frame_->positions = loaded.positions;
    }
    return;
  }
  const Target& target = frame_->targets[0];
  const bool as_loaded = target.width == loaded.targets[0].width && target.height == loaded.targets[0].height;
  if (!wanted.camera && as_loaded) {
    frame_->views = loaded.views;
    return;
  }
  // A scene's views are an orbit around its camera's target, each into a layer of target 0 (scene_setup.h).
  frame_->views = make_orbit(wanted.camera.value_or(wanted.scene->camera), wanted.scene->bounds,
                             float(target.width) / float(target.height), 0, uint32_t(loaded.views.size()));
}

void WorkingFrame::make_anew(Renderer& renderer, const Made& wanted) {
  prepared_.reset();
  frame_ = std::make_shared<Frame>(wanted.scene->frame);
  const Target& target = frame_->targets[size_t(wanted.target)];
  if (wanted.width > 0 && (wanted.width != target.width || wanted.height != target.height))
    app::resize_frame(*frame_, uint32_t(wanted.target), wanted.width, wanted.height);
  for (const uint32_t hidden : wanted.hidden) {
    if (hidden >= frame_->commands.size()) continue;
    if (auto* draw = std::get_if<DrawCommand>(&frame_->commands[hidden])) draw->element_count = 0;
  }
  place_camera(wanted);
  // The prepared frame keeps a pointer to the frame, and other objects keep the prepared frame: both live equally long.
  struct Pair {
    std::shared_ptr<Frame> frame;
    PreparedFrame prepared;
  };
  auto pair = std::make_shared<Pair>(Pair{frame_, renderer.prepare(*frame_)});
  prepared_ = std::shared_ptr<PreparedFrame>(pair, &pair->prepared);
}

void WorkingFrame::update(Renderer& renderer, const std::shared_ptr<const Scene>& scene, const FrameSettings& settings,
                          const std::optional<Camera>& camera) {
  const Frame& loaded = scene->frame;
  const bool known = settings.target >= 0 && size_t(settings.target) < loaded.targets.size();
  const int target = known ? settings.target : int(main_target(loaded));
  const Made wanted{scene, settings.width, settings.height, target, settings.hidden_commands, camera};
  target_ = uint32_t(target);
  layer_ = uint32_t(std::clamp(settings.layer, 0, loaded.targets[size_t(target)].layers - 1));
  const bool same_frame = ready() && made_.scene == scene && made_.width == wanted.width &&
                          made_.height == wanted.height && made_.target == wanted.target &&
                          made_.hidden == wanted.hidden;
  const bool same_camera = same(made_.camera, wanted.camera);
  if (same_frame && same_camera) return;
  if (same_frame && !scene->clip_space) {
    place_camera(wanted);
    prepared_->update_views();
  } else {
    make_anew(renderer, wanted);
  }
  made_ = wanted;
}

}  // namespace brokkr::viewer
