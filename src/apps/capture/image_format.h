// Formats of render targets, as frame files name them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/programs.h"
#include "capture/lookup.h"

namespace brokkr::capture {

// A colour's format and channels for OpenGL's internal format; unsupported sizes become the next larger one.
TargetColor color_format(GLint internal);

// Empty for formats without such a plane.
std::optional<TexelFormat> depth_format(GLint internal);
std::optional<TexelFormat> stencil_format(GLint internal);

// The four-channel format in which a colour's format can be read back without loss, and OpenGL's constants for it.
struct ReadFormat {
  TexelFormat format;
  GLenum channels, type;
  size_t bytes;  // per pixel
};
ReadFormat read_format(TexelFormat format);

// sRGB targets: OpenGL encodes colours while GL_FRAMEBUFFER_SRGB is enabled, call by call. A file stores that for
// draws; for clears and blits, readers use the target's format.
class SrgbTargets {
 public:
  // Command number `command` of the frame is a clear, or a blit, of colours; `encodes` tells whether it encodes them.
  void note_clear(size_t command, bool encodes) { clears_.emplace_back(command, encodes); }
  void note_blit(size_t command, bool encodes) { blits_.emplace_back(command, encodes); }

  // Makes readers reproduce OpenGL's result, once all commands are recorded: a window to which no command encodes
  // colours gets a linear format, and clears get the colour that gives the same content. Returns the number of blits
  // whose colours differ.
  size_t settle(Frame& frame, const std::function<bool(uint32_t target)>& is_window) const;

 private:
  using Calls = std::vector<std::pair<size_t, bool>>;

  std::vector<bool> encoded_targets(const Frame& frame) const;
  void settle_clears(Frame& frame) const;

  Calls clears_, blits_;
};

}  // namespace brokkr::capture
