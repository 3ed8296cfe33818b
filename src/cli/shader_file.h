// Fragment shaders in files of GLSL, as programs.
#pragma once

#include <string>

#include "shader/front_end.h"
#include "shader/program.h"

namespace brokkr::app {

// A shader's text, compiled by brokkr-glsl: whatever it does to the compiler, this process goes on. Throw
// std::runtime_error with one line: "FILE:12: 'x': undeclared identifier".
class ShaderFile {
 public:
  explicit ShaderFile(const std::string& file);
  std::string preprocessed() const;
  shader::Program program() const;

 private:
  std::string result(shader::GlslTask task) const;
  [[noreturn]] void fail(unsigned line, const std::string& what) const;

  std::string file_, text_;
};

}  // namespace brokkr::app
