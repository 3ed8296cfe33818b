#include "cli/shader_file.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>
#include <utility>

#include "app/text.h"
#include "base/file_io.h"
#include "base/loading.h"
#include "plan/own_text.h"
#include "shader/translate.h"

namespace brokkr::app {

ShaderText ShaderText::of_file(const std::string& file) {
  ShaderText shader(file, with_includes(std::string(as_text(read_file(file, shader::kMostText))), file));
  shader.is_toy_ = is_toy_shader(shader.text_);
  if (!shader.is_toy_) return shader;
  const std::vector<std::string> all = completed_shaders(shader.text_);
  for (const std::string& text : all) {
    shader.text_ = text;
    if (shader.answer(shader::GlslTask::compile).is_good()) return shader;
  }
  shader.text_ = all.front();
  return shader;
}

void ShaderText::fail(unsigned line, const std::string& what) const {
  throw std::runtime_error(line == 0 ? fmt::format("{}: {}", file_, printable(what))
                                     : fmt::format("{}:{}: {}", file_, line, printable(what)));
}

shader::GlslAnswer ShaderText::answer(shader::GlslTask task) const {
  const LoadOptions options;
  Loading loading(options);
  const shader::Texts texts{text_};
  const shader::Texts* const program = &texts;
  shader::GlslAnswer answer;
  shader::run_glsl(task, {&program, 1}, loading, [&](size_t, shader::GlslAnswer one) { answer = std::move(one); });
  return answer;
}

std::string ShaderText::result(shader::GlslTask task) const {
  shader::GlslAnswer one = answer(task);
  if (!one.is_good()) fail(one.line, one.problem);
  return std::move(one.bytes);
}

std::string ShaderText::preprocessed() const { return result(shader::GlslTask::preprocess); }

shader::Program ShaderText::program() const {
  const std::string bytes = result(shader::GlslTask::compile);
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  try {
    return shader::translate(shader::read_module(std::move(words)));
  } catch (const shader::ShaderError& error) {
    fail(error.line(), error.what());
  }
}

}  // namespace brokkr::app
