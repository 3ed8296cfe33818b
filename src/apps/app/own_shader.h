// --fragment: a user's own shader on the command line.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/command.h"
#include "brokkr/fragment_shader.h"

namespace brokkr::app {

// What a shader without a scene is drawn on.
inline constexpr const char* kScreenScene = "generated:screen";

// --fragment, --uniform, --texture and --time.
std::vector<Option> shader_options();

// The text of a file with those that it includes. Throws std::runtime_error.
std::string shader_text(const std::string& file);

// The shader that they ask for. Throws UsageError, and std::runtime_error for files.
std::optional<FragmentShader> read_shader(const Arguments& arguments);

// The parts of "NAME=VALUE". Throws UsageError with `option`.
std::pair<std::string, std::string> name_and_value(const std::string& text, const char* option);
// A value of --uniform. Throws UsageError.
double uniform_number(const std::string& value);

}  // namespace brokkr::app
