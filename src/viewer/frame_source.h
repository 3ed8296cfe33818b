// Everything that a frame is made from. Equal sources give equal frames, so that a result about one frame holds for the
// other.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "viewer/panel.h"

namespace brokkr::viewer {

// The text of a camera; empty for the camera that the scene was loaded with.
inline std::string text_of(const std::optional<Camera>& camera) {
  return camera ? camera_text(*camera) : std::string();
}

struct FrameSource {
  std::weak_ptr<const Scene> scene;
  FrameSettings settings;
  std::string camera;  // text_of

  bool operator==(const FrameSource& other) const {
    return scene.lock() == other.scene.lock() && settings == other.settings && camera == other.camera;
  }
};

inline FrameSource source_of(const Rendered& frame) { return {frame.scene, frame.settings, text_of(frame.camera)}; }

}  // namespace brokkr::viewer
