// The surroundings that every scene's meshes need: a target, its views, a state and a clear.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/loading.h"
#include "brokkr/camera.h"
#include "brokkr/frame.h"
#include "brokkr/load.h"

namespace brokkr {

// Gives an empty frame target 0, its views and an initial clear. The camera is `preferred`, or a camera fitted to
// `bounds`, with the changes of `options.camera`. Draws use views 0 .. frame.views.size() - 1. Throws
// std::runtime_error if sizes, view counts or cameras are out of range.
void set_up_scene(Frame& frame, const Bounds& bounds, const std::optional<Camera>& preferred,
                  const LoadOptions& options);

// The state of opaque draws: whole target, depth test and write with `less`, no culling.
State opaque_state(const Frame& frame);

// The state of draws that are blended over opaque ones: without depth writes.
State blended_state(const Frame& frame);

// Appends `draws`, which are blended, to the frame's commands: back to front as each view sees them, with kBackToFront.
// A warning says where they would be too many to be repeated for each view.
void add_blended(Frame& frame, std::vector<DrawCommand> draws, Loading& loading);

// width / height of the target that set_up_scene would make.
float scene_aspect(const LoadOptions& options);

// Returns the frame that `read` makes of the file `name`, named after it and validated. Errors and warnings begin with
// the file's name. Warnings that `read` passes to Loading::warn go to Frame::warnings and to `options`.
Frame named_frame(std::string_view name, const LoadOptions& options, const std::function<Frame(Loading&)>& read);

}  // namespace brokkr
