// Fragment shaders in GLSL, as programs.
#pragma once

#include <string>
#include <utility>

#include "shader/front_end.h"
#include "shader/program.h"

namespace brokkr::app {

// A shader's text, compiled by brokkr-glsl: whatever it does to the compiler, this process goes on. Throw
// std::runtime_error with one line: "FILE:12: 'x': undeclared identifier".
class ShaderText {
 public:
  // `name` says in messages where it is from.
  ShaderText(std::string name, std::string text) : file_(std::move(name)), text_(std::move(text)) {}
  // A text of Shadertoy's gets a main that calls its mainImage.
  static ShaderText of_file(const std::string& file);
  bool is_toy() const { return is_toy_; }
  std::string preprocessed() const;
  shader::Program program() const;

 private:
  shader::GlslAnswer answer(shader::GlslTask task) const;
  std::string result(shader::GlslTask task) const;
  [[noreturn]] void fail(unsigned line, const std::string& what) const;

  std::string file_, text_;
  bool is_toy_ = false;
};

}  // namespace brokkr::app
