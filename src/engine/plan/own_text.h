// Completes the text of a user's shader for the compiler.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr {

// Whether a text is Shadertoy's: it has mainImage and no function main, as far as that is seen without macros.
bool is_toy_shader(const std::string& text);

// What `text` may be as it is compiled, the likeliest first: the first that compiles is it. Each has what the text may
// leave out, "#version", and around Shadertoy's mainImage its uniforms that the text does not declare and a main that
// calls it. Lines keep their numbers; a byte-order mark is left out.
std::vector<std::string> completed_shaders(const std::string& text);

// `text` of `file` with the files of its `#include "NAME"`, which lie beside the file that includes them. Each line of
// these counts as the line of `text` that includes it. A file that is missing becomes an #error. Throws
// std::runtime_error for text that becomes too long.
std::string with_includes(const std::string& text, const std::filesystem::path& file);

// The first line, counted from 1, in which `name` is a word of the text outside comments; 0 if there is none.
uint32_t line_of_name(std::string_view text, std::string_view name);

}  // namespace brokkr
