#include "cli/shader_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <stdexcept>

#include "app/text.h"
#include "app/tool.h"
#include "scene/file_io.h"
#include "shader/translate.h"

namespace brokkr::app {
namespace {

constexpr uint64_t kMostText = uint64_t(1) << 20;  // bytes, as brokkr-glsl has it
constexpr size_t kMostResult = size_t(256) << 20;  // bytes; far more than a million instructions

}  // namespace

ShaderFile::ShaderFile(const std::string& file) : file_(file), text_(as_text(read_file(file, kMostText))) {}

void ShaderFile::fail(unsigned line, const std::string& what) const {
  throw std::runtime_error(line == 0 ? fmt::format("{}: {}", file_, what)
                                     : fmt::format("{}:{}: {}", file_, line, what));
}

std::string ShaderFile::compiled(const std::vector<std::string>& options) const {
  const std::optional<std::filesystem::path> compiler = find_beside("brokkr-glsl", "src/shader");
  if (!compiler) fail(0, "brokkr-glsl, which compiles shaders, is not installed beside this program");
  try {
    return output_of_tool(*compiler, options, text_, kMostResult);
  } catch (const std::runtime_error& error) {
    // "12: what is wrong"; anything else is what is left of a compiler that broke off.
    const std::string said = error.what();
    unsigned line = 0;
    const auto [end, problem] = std::from_chars(said.data(), said.data() + said.size(), line);
    const size_t at = size_t(end - said.data());
    if (problem == std::errc() && said.compare(at, 2, ": ") == 0) fail(line, printable(said.substr(at + 2)));
    fail(0, "the compiler broke off; simplify the shader (" + printable(said) + ")");
  }
}

std::string ShaderFile::preprocessed() const { return compiled({"--preprocess"}); }

shader::Program ShaderFile::program() const {
  const std::string bytes = compiled({});
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  try {
    return shader::translate(shader::read_module(std::move(words)));
  } catch (const shader::ShaderError& error) {
    fail(error.line(), error.what());
  }
}

}  // namespace brokkr::app
