// Shadertoy's exports: the JSON of its site or of its API, with the texts of all passes.
#pragma once

#include <functional>
#include <string>

#include "brokkr/fragment_shader.h"

namespace brokkr::app {

// A file whose name ends in .json.
bool is_toy_export(const std::string& file);

// Reads the passes of a file into `shader`: texts, channels, and pictures that lie beside the file under the name that
// the export has for them. `warn` is called with a line for each part that is not given. Throws std::runtime_error.
void read_toy_export(const std::string& file, FragmentShader& shader,
                     const std::function<void(const std::string&)>& warn);

}  // namespace brokkr::app
