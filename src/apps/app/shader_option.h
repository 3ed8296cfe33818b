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
// The same for a vertex shader. Throws std::runtime_error where the file is empty.
std::string vertex_text(const std::string& file);

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

// Shadertoy's exports: the JSON of its site or of its API, with the texts of all passes.

// A file whose name ends in .json.
bool is_toy_export(const std::string& file);

// Reads the passes of a file into `shader`: texts, channels, and pictures that lie beside the file under the name that
// the export has for them. `warn` is called with a line for each part that is not given. Throws std::runtime_error.
void read_toy_export(const std::string& file, FragmentShader& shader,
                     const std::function<void(const std::string&)>& warn);

}  // namespace brokkr::app
