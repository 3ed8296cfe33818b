// --fragment: a user's own shader on the command line.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/command.h"
#include "brokkr/fragment_shader.h"

namespace brokkr::app {

// The scene that a shader is drawn on if there is no other.
inline constexpr const char* kScreenScene = "generated:screen";

// --fragment and what goes with it.
std::vector<Option> shader_options();

// The text of a file with those that it includes. Throws std::runtime_error.
std::string shader_text(const std::string& file);

// Reads a text, or Shadertoy's export, and the texts of buffers that have names. `warn` is called for what an export
// has and is not given. Throws std::runtime_error.
void read_texts(const std::string& file, FragmentShader& shader, const std::function<void(const std::string&)>& warn);

// The shader that they ask for. Throws UsageError, and std::runtime_error for files.
std::optional<FragmentShader> read_shader(const Arguments& arguments);

// The parts of "NAME=VALUE". Throws UsageError with `option`.
std::pair<std::string, std::string> name_and_value(const std::string& text, const char* option);
// A value of --uniform, or of `option`. Throws UsageError.
double uniform_number(const std::string& value);
double number_of(const std::string& value, const char* option);

}  // namespace brokkr::app
