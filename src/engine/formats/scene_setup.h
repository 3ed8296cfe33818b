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

// Gives an empty frame target 0, its views and the clear that begins it. The camera is `options.camera` on top of
// `preferred`, or on top of one fitted to `bounds`. Draws use views 0 .. frame.views.size() - 1. Throws
// std::runtime_error for sizes, view counts or cameras out of range.
void set_up_scene(Frame& frame, const Bounds& bounds, const std::optional<Camera>& preferred,
                  const LoadOptions& options);

// The state of opaque draws: whole target, depth test and write with `less`, no culling.
State opaque_state(const Frame& frame);

// The state of what is blended over that: without depth writes.
State blended_state(const Frame& frame);

// Appends `draws`, which are blended, to the frame's commands: back to front as each view sees them, with kBackToFront.
// A warning says where they would be too many to be repeated for each view.
void add_blended(Frame& frame, std::vector<DrawCommand> draws, Loading& loading);

// width / height of the target that set_up_scene would make.
float scene_aspect(const LoadOptions& options);

// The frame that `read` makes of the file `name`, named after it and validated. Errors and warnings begin with the
// file's name; what `read` tells Loading::warn of becomes Frame::warnings and reaches `options`.
Frame named_frame(std::string_view name, const LoadOptions& options, const std::function<Frame(Loading&)>& read);

}  // namespace brokkr
