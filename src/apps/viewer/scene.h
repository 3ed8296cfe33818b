// A loaded scene, and what the viewer derives from its frame: camera, bounds and projection.
//
// Orbits around captured geometry: a capture holds clip-space vertices and no camera, but the perspective projection
// can be read from them. All vertices of such a draw have clip z = slope * w + offset, and w is the distance in front
// of the camera. Only the field of view is not known: it is assumed. With it every vertex has a place in the eye space
// of the captured camera, in which the viewer's own camera then moves.
#pragma once

#include <filesystem>
#include <glm/vec4.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "brokkr/camera.h"
#include "brokkr/choices.h"
#include "brokkr/frame.h"
#include "brokkr/load.h"

namespace brokkr::viewer {

// clip z = slope * w + offset. offset 0: infinitely far (a sky that does not depend on the camera's position).
struct ClipDepth {
  float slope = 0, offset = 0;
};

// A least-squares fit. Nothing where w hardly varies (orthographic: menus, shadow maps, full-screen passes) or z is no
// linear function of it.
std::optional<ClipDepth> fit_clip_depth(std::span<const glm::vec4> positions);

// Vertices of one draw, or of several that share them, seen through one perspective projection.
struct PerspectiveRange {
  uint64_t first = 0, count = 0;  // into Frame::positions
  ClipDepth depth;
};

struct Unprojection {
  std::vector<PerspectiveRange> ranges;  // disjoint; empty: there is nothing to orbit around
  Bounds bounds;                         // of the vertices inside the picture, eye space for `fov`
  Camera camera;                         // the captured one: eye at the origin, target on the axis at a middle distance
  float aspect = 1;                      // width / height of the viewport
};

// Finds the projection of the draws into `target`. `fov`: assumed vertical field of view in degrees.
Unprojection unproject(const Frame& frame, uint32_t target, float fov);

// Clip-space positions as `camera` sees them instead of the captured one. `from` and `to` are as long as
// Frame::positions; vertices that are in no range are copied.
void reproject(const Unprojection& unprojection, const Camera& camera, std::span<const glm::vec4> from,
               std::span<glm::vec4> to);

// The contents of a scene in place of draws. Each module derives its own.
struct SceneContent {
  virtual ~SceneContent() = default;
  virtual std::string holds() const = 0;  // "32 patches"
};

// A scene as it was loaded. Never changes; a new load makes a new one.
struct Scene {
  std::string path;  // as given: a file, or "PREFIX:NAME"
  Frame frame;
  bool clip_space = false;  // a captured frame: it has no camera, its vertices are in clip space
  double load_ms = 0;
  LoadOptions load;  // that the frame was loaded with, without what hears of its progress
  // The frame's targets. Finding them takes a while in frames with many draws, so it is done once.
  uint32_t main_target = 0;     // brokkr::main_target
  uint32_t picture_target = 0;  // app::picture_target
  uint32_t shown_target(Shading shading) const { return shading == Shading::program ? picture_target : main_target; }
  uint64_t draws = 0, triangles = 0;
  Camera camera;              // as loaded; of a captured frame in its eye space
  Bounds bounds;              // of the visible geometry, in the space where the camera moves
  Unprojection unprojection;  // captured frames only
  // The content of a scene that a module paints: its frame has a target and views, and draws nothing.
  std::shared_ptr<const SceneContent> content;
};

// Finds the frame's camera, its bounds and, for captured frames, their projection as far as it can be determined.
std::shared_ptr<const Scene> make_scene(std::string path, Frame frame, double load_ms, LoadOptions load = {});

// The file's name without its folder, or "PREFIX:NAME", fit for the screen.
std::string display_name(const std::string& scene);

// "brokkr-NAME-1" + `ending` in `folder`, with the first number for which neither that file exists nor one that ends in
// `companion` (empty: there is no companion).
std::filesystem::path free_name(const std::filesystem::path& folder, const std::string& scene,
                                const std::string& ending, const std::string& companion = {});

}  // namespace brokkr::viewer
