// A request for a frame, on its way to other ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "brokkr/load.h"
#include "ranks/transport.h"
#include "viewer/panel.h"

namespace brokkr::viewer {

struct RankRequest {
  bool end = false;     // the window was closed; the rest is empty
  std::string version;  // of rank 0's program
  uint64_t scene = 0;   // the same number for the same scene
  std::string path;     // of it
  LoadOptions load;     // that it was loaded with
  FrameSettings settings;
  std::optional<Camera> camera;
  // The user's own shader is sent once, and stays until another is; settings.shader is it where it comes along.
  bool has_shader = false;
};

// `with_shader`: the others do not have settings.shader yet.
ranks::Message pack_request(const RankRequest& request, bool with_shader);
// Throws std::runtime_error for what is no request of this version, and what set_option throws.
RankRequest unpack_request(const ranks::Message& message);

}  // namespace brokkr::viewer
