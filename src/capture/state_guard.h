// The layer leaves no trace: it restores the state that its calls change, and the checking mode proves that.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "capture/context.h"

namespace brokkr::capture {

// The layer's calls of one recorded GL call go between construction and destruction: errors that were pending are kept
// for the application, and in checking mode the state is compared.
class Operation {
 public:
  Operation(Context& context, const char* name);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

 private:
  Context& context_;
  const char* name_;
  std::map<std::string, std::string> before_;
};

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

}  // namespace brokkr::capture
