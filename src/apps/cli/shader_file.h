// Compiles GLSL shaders to programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/command.h"
#include "brokkr/image.h"
#include "shader/front_end.h"
#include "shader/program.h"

namespace brokkr::app {

// The text of a shader. brokkr-glsl compiles it in a separate process, which protects this one from compiler crashes.
// Functions throw std::runtime_error with one line: "FILE:12: 'x': undeclared identifier".
class ShaderText {
 public:
  // `name` identifies the text in messages.
  ShaderText(std::string name, std::string text) : file_(std::move(name)), text_(std::move(text)) {}
  // A Shadertoy text gets a main that calls its mainImage. Files .vert and .vs are vertex shaders and may omit
  // #version.
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

// Draws a picture with only a fragment shader: one triangle that covers all pixels.

// The uniform words that "NAME=V,V…" sets, by word number. A uniform gets all its words, or its first ones. Throws
// UsageError.
std::map<uint32_t, uint32_t> uniform_words(const shader::Program& program, const std::vector<std::string>& given);

// Every varying is (x, y, 1, 1), where x and y go from 0 to 1 over the picture. `uniforms`: words; others are 0.
// `textures`: "NAME=FILE" for samplers; samplers without a file read black. Discarded pixels are transparent. Throws
// UsageError, and std::runtime_error for files.
Image shader_picture(const shader::Program& program, int width, int height,
                     const std::map<uint32_t, uint32_t>& uniforms, const std::vector<std::string>& textures);

// Shows the programs of a captured frame, for `brokkr shaders`.

// Prints a table of the programs, or one program with --program or --vertex-program and --print. Returns the exit code.
// Throws std::runtime_error and UsageError.
int show_programs(const std::string& file, const Arguments& arguments);

}  // namespace brokkr::app
