// State that a second run of a draw can change and for which GL has no object.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "capture/context.h"

namespace brokkr::capture {

// Saves and restores server attributes, matrices and their stacks around a display list. Does nothing without `active`.
class StateGuard {
 public:
  StateGuard(const Context& context, bool active);
  ~StateGuard();
  StateGuard(const StateGuard&) = delete;
  StateGuard& operator=(const StateGuard&) = delete;

 private:
  struct Stack {
    GLenum mode, depth, matrix;
    GLint level = 0;
    std::array<GLfloat, 16> top{};
  };
  bool active_;
  GLint mode_ = 0;
  GLint attributes_ = 0;
  std::vector<Stack> stacks_;
};

// Draw commands for indirect draws, bound while it lives.
class IndirectBuffer {
 public:
  explicit IndirectBuffer(const std::vector<uint32_t>& words);
  ~IndirectBuffer();
  IndirectBuffer(const IndirectBuffer&) = delete;
  IndirectBuffer& operator=(const IndirectBuffer&) = delete;

 private:
  GLuint bound_ = 0, buffer_ = 0;
};

// The state that drawing depends on, as far as GL can be queried for it, as name = values. For comparison.
std::vector<std::pair<const char*, std::vector<double>>> read_state_values(const Context& context);

}  // namespace brokkr::capture
