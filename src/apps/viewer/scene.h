// A loaded scene, and data that the viewer derives from its frame: camera, bounds and projection.
//
// Orbits around captured geometry: if a capture holds vertex programs, their uniforms contain the game's camera
// (inspect/game_camera.h). Otherwise it holds clip-space vertices and no camera, but the perspective projection can be
// computed from them. All vertices of such a draw satisfy clip z = slope * w + offset, and w is the distance in front
// of the camera. Only the field of view is unknown and must be assumed. Then every vertex has a position in the eye
// space of the captured camera, and the viewer's camera moves in that space.
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
#include "inspect/game_camera.h"

namespace brokkr::viewer {

// Vertices of one draw, or of several draws that share them, with one perspective projection.
struct PerspectiveRange {
  uint64_t first = 0, count = 0;  // into Frame::positions
  ClipDepth depth;
};

struct Unprojection {
  std::vector<PerspectiveRange> ranges;  // disjoint; empty if there is nothing to orbit
  Bounds bounds;                         // of the vertices inside the picture, in eye space for `fov`
  Camera camera;     // the captured camera: eye at the origin, target on the axis at a medium distance
  float aspect = 1;  // width / height of the viewport
};

// Finds the projection of the draws into `target`. `fov`: assumed vertical field of view in degrees. `aspect`: width /
// height of the projection; 0: of the target.
Unprojection unproject(const Frame& frame, uint32_t target, float fov, float aspect = 0);

// Computes clip-space positions for `camera` instead of the captured one. `points` and `moved` are as long as
// Frame::positions; vertices outside all ranges are copied.
void reproject(const Unprojection& unprojection, const Camera& camera, std::span<const glm::vec4> points,
               std::span<glm::vec4> moved);

// The content of a scene that a module paints. Modules derive from it.
struct SceneContent {
  virtual ~SceneContent() = default;
  virtual std::string holds() const = 0;  // "32 patches"
};

// A loaded scene. It never changes; loading again makes a new one.
struct Scene {
  std::string path;  // as given: a file, or "PREFIX:NAME"
  Frame frame;
  bool clip_space = false;  // a captured frame: vertices are in clip space, and there is no camera
  double load_ms = 0;
  LoadOptions load;  // the options it was loaded with, without the progress callback
  // Targets of the frame, stored because finding them takes a while in frames with many draws.
  uint32_t main_target = 0;     // brokkr::main_target
  uint32_t picture_target = 0;  // app::picture_target
  uint32_t shown_target(Shading shading) const { return shading == Shading::program ? picture_target : main_target; }
  uint64_t draws = 0, triangles = 0;
  Camera camera;              // as loaded; for a captured frame, in its eye space
  Bounds bounds;              // of the visible geometry, in the space in which the camera moves
  Unprojection unprojection;  // captured frames only
  GameCamera game;            // captured frames with vertex programs only; replaces what the unprojection guesses
  // Returns true if the camera moves something.
  bool has_camera() const { return !clip_space || game.is_found() || !unprojection.ranges.empty(); }
  // For a scene that a module paints. Its frame has a target and views, but draws nothing.
  std::shared_ptr<const SceneContent> content;
};

// Determines the frame's camera and bounds and, for captured frames, their projection if possible.
std::shared_ptr<const Scene> make_scene(std::string path, Frame frame, double load_ms, const LoadOptions& load = {});

// The file's name without its folder, or "PREFIX:NAME", made safe for the screen.
std::string display_name(const std::string& scene);

// "brokkr-NAME-1" + `ending` in `folder`, with the first number for which neither this file nor the one with ending
// `companion` exists (empty: no companion).
std::filesystem::path free_name(const std::filesystem::path& folder, const std::string& scene,
                                const std::string& ending, const std::string& companion = {});

}  // namespace brokkr::viewer
