// State that a run on the side can change and that GL has no object for.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "capture/context.h"

namespace brokkr::capture {

// Around a display list: server attributes, matrices and their stacks. Does nothing without `active`.
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

// What can be asked of the state that drawing depends on, as name = values. For comparison.
std::vector<std::pair<const char*, std::vector<double>>> read_state_values(const Context& context);

}  // namespace brokkr::capture
