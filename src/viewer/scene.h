// What the viewer derives from a frame: camera, bounds and projection.
#pragma once

#include <memory>
#include <string>

#include "viewer/panel.h"

namespace brokkr::viewer {

// The vertical field of view that captured frames are taken to have, in degrees.
inline constexpr float kCapturedFov = 60;

// Finds the frame's camera, its bounds and, for captured frames, their projection as far as it can be determined.
std::shared_ptr<const Scene> make_scene(std::string path, Frame frame, double load_ms);

// Bytes of the frame's arrays, for caches.
uint64_t memory_of(const Frame& frame);

// The camera that a view was made of (scene/camera.h: make_view), its target at the distance of `bounds`.
Camera camera_of(const View& view, const Bounds& bounds);

}  // namespace brokkr::viewer
