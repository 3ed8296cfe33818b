// --fragment: the user's own shader on the command line.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/command.h"
#include "brokkr/fragment_shader.h"

namespace brokkr::app {

// The scene that a shader draws on if the user names none.
inline constexpr const char* kScreenScene = "generated:screen";

// --fragment and the options that belong to it.
std::vector<Option> shader_options();

// The text of a file with its includes expanded. Throws std::runtime_error.
std::string shader_text(const std::string& file);
// As above, for a vertex shader. Throws std::runtime_error if the file is empty.
std::string vertex_text(const std::string& file);

// Reads a shader text or a Shadertoy export, and the texts of named buffers. Calls `warn` for each feature of an export
// that is not supported. Throws std::runtime_error.
void read_texts(const std::string& file, FragmentShader& shader, const std::function<void(const std::string&)>& warn);

// The shader that the options ask for. Throws UsageError, and std::runtime_error for files. Without a shader, --uniform
// is the caller's: it may be of a captured frame.
std::optional<FragmentShader> read_shader(const Arguments& arguments);

// Numbers of uniforms by name.
using UniformValues = std::map<std::string, std::vector<double>>;

// The values of --uniform. Throws UsageError.
UniformValues uniform_values(const Arguments& arguments);

// Splits "NAME=VALUE". Throws UsageError that names `option`.
std::pair<std::string, std::string> name_and_value(const std::string& text, const char* option);
// Parses a value of --uniform, or of `option`. Throws UsageError.
double uniform_number(const std::string& value);
double number_of(const std::string& value, const char* option);

// Shadertoy exports: JSON from its site or its API, with the texts of all passes.

// Returns true if the file's name ends in .json.
bool is_toy_export(const std::string& file);

// Reads the passes of a file into `shader`: texts, channels, and pictures that lie beside the file under their exported
// names. Calls `warn` with one line for each part that is not supported. Throws std::runtime_error.
void read_toy_export(const std::string& file, FragmentShader& shader,
                     const std::function<void(const std::string&)>& warn);

}  // namespace brokkr::app
