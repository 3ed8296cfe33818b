// Targets of sRGB: OpenGL encodes colours for one while GL_FRAMEBUFFER_SRGB is on, call by call. A file says so for
// draws; of clears and blits the reader asks the target's format.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::capture {

class SrgbTargets {
 public:
  // The command of that number in the frame is a clear, or a blit, of colours, and whether it encodes them.
  void note_clear(size_t command, bool encodes) { clears_.emplace_back(command, encodes); }
  void note_blit(size_t command, bool encodes) { blits_.emplace_back(command, encodes); }

  // Makes the reader do what OpenGL did, once all commands are there: a window that nothing encodes colours for is one
  // that keeps them as they are, and clears get the colour that leaves what OpenGL's left. Returns how many blits come
  // out in other colours.
  size_t settle(Frame& frame, const std::function<bool(uint32_t target)>& is_window) const;

 private:
  using Calls = std::vector<std::pair<size_t, bool>>;

  std::vector<bool> encoded_targets(const Frame& frame) const;
  void settle_clears(Frame& frame) const;

  Calls clears_, blits_;
};

}  // namespace brokkr::capture
