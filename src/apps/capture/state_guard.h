// The layer leaves no trace: it restores the state that its calls change, and checking mode verifies that.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "capture/context.h"

namespace brokkr::capture {

// Encloses the layer's calls for one recorded GL call: keeps pending errors for the application, and compares the state
// in checking mode.
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

// Restores state: the destructor runs the added steps in reverse order.
class Restore {
 public:
  Restore() = default;
  ~Restore();
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

  void add(std::function<void()> step) { steps_.push_back(std::move(step)); }

  // Binds an object until destruction. `target`: of a buffer, framebuffer (GL_FRAMEBUFFER: both), renderbuffer or
  // feedback object.
  void bind(GLenum target, GLuint name);
  void use_program(GLuint program);
  // Gives the current program the subroutines of the program before use_program, with which it shares stages.
  void set_subroutines() const;
  void set_enabled(GLenum capability, bool on);
  // Saves everything that a display list can change: attributes, matrices and their stacks. Compatibility contexts
  // only.
  void keep_matrices_and_attributes();

 private:
  // The indices of the subroutines of a stage, which glUseProgram resets.
  struct Subroutines {
    GLenum stage;
    std::vector<GLuint> indices;
  };
  static void select(const std::vector<Subroutines>& subroutines);

  std::vector<std::function<void()>> steps_;
  std::vector<Subroutines> subroutines_;
};

}  // namespace brokkr::capture
