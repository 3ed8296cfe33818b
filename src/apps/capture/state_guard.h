// The layer leaves no trace: it restores the state that its calls change, and the checking mode proves that.
#pragma once

#include <functional>
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

// Puts state back: the steps that were added run when this goes, the last one first.
class Restore {
 public:
  Restore() = default;
  ~Restore();
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

  void add(std::function<void()> step) { steps_.push_back(std::move(step)); }

  // Binds until then. `target`: of a buffer, framebuffer (GL_FRAMEBUFFER: both), renderbuffer or feedback object.
  void bind(GLenum target, GLuint name);
  void use_program(GLuint program);
  void set_enabled(GLenum capability, bool on);
  // What a display list can change: attributes, matrices and their stacks. Compatibility contexts only.
  void keep_matrices_and_attributes();

 private:
  std::vector<std::function<void()>> steps_;
};

}  // namespace brokkr::capture
