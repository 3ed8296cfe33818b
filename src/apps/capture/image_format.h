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

// The format and channels of a colour buffer for OpenGL's internal format; unsupported sizes become the next larger
// one.
TargetColor color_format(GLint internal);

// Empty for formats without such a plane.
std::optional<TexelFormat> depth_format(GLint internal);
std::optional<TexelFormat> stencil_format(GLint internal);

// What shaders read from the format: real numbers or integers.
SampledType type_of(TexelFormat format);

// The four-channel format that reads a colour buffer back without loss, and OpenGL's constants for it.
struct ReadFormat {
  TexelFormat format;
  GLenum channels, type;
  size_t bytes;  // per pixel
};
ReadFormat read_format(TexelFormat format);

// Handles sRGB targets. OpenGL encodes colours in each call made while GL_FRAMEBUFFER_SRGB is enabled. A file stores
// this setting for draws; for clears and blits, readers use the target's format.
class SrgbTargets {
 public:
  // Records that command number `command` is a clear (or a blit) of colours; `encodes`: it encodes them.
  void note_clear(size_t command, bool encodes) { clears_.emplace_back(command, encodes); }
  void note_blit(size_t command, bool encodes) { blits_.emplace_back(command, encodes); }

  // Call it after all commands are recorded. It makes readers reproduce OpenGL's result: a window to which no command
  // encodes colours gets a linear format, and clears get the colour that gives the same content. Returns the number of
  // blits whose colours differ.
  size_t settle(Frame& frame, const std::function<bool(uint32_t target)>& is_window) const;

 private:
  using Calls = std::vector<std::pair<size_t, bool>>;

  std::vector<bool> encoded_targets(const Frame& frame) const;
  void settle_clears(Frame& frame) const;

  Calls clears_, blits_;
};

}  // namespace brokkr::capture
