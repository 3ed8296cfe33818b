// Shaders in GLSL, as programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/command.h"
#include "brokkr/image.h"
#include "shader/front_end.h"
#include "shader/program.h"

namespace brokkr::app {

// A shader's text, compiled by brokkr-glsl: whatever it does to the compiler, this process goes on. Throw
// std::runtime_error with one line: "FILE:12: 'x': undeclared identifier".
class ShaderText {
 public:
  // `name` says in messages where it is from.
  ShaderText(std::string name, std::string text) : file_(std::move(name)), text_(std::move(text)) {}
  // A text of Shadertoy's gets a main that calls its mainImage. Files .vert and .vs are vertex shaders, whose text may
  // leave out #version.
  static ShaderText of_file(const std::string& file);
  bool is_toy() const { return is_toy_; }
  std::string preprocessed() const;
  shader::Program program() const;

 private:
  shader::GlslAnswer answer(shader::GlslTask task) const;
  std::string result(shader::GlslTask task) const;
  [[noreturn]] void fail(unsigned line, const std::string& what) const;

  std::string file_, text_;
  shader::GlslTask task_ = shader::GlslTask::compile;
  bool is_toy_ = false;
};

// A picture of a fragment shader by itself: one triangle over all pixels.

// The uniform words that "NAME=V,V…" gives, by their numbers; as many values as the uniform has words, or its first
// ones. Throws UsageError.
std::map<uint32_t, uint32_t> uniform_words(const shader::Program& program, const std::vector<std::string>& given);

// Every varying is (x, y, 1, 1), x and y from 0 to 1 over the picture. `uniforms`: words; others are 0. `textures`:
// "NAME=FILE" for samplers; those without one read black. Pixels that are discarded are transparent. Throws UsageError,
// and std::runtime_error for files.
Image shader_picture(const shader::Program& program, int width, int height,
                     const std::map<uint32_t, uint32_t>& uniforms, const std::vector<std::string>& textures);

// The programs of a captured frame, as `brokkr shaders` shows them.

// A table of them, or, with --program and --print, one of them. Returns the exit code. Throws std::runtime_error and
// UsageError.
int show_programs(const std::string& file, const Arguments& arguments);

}  // namespace brokkr::app
