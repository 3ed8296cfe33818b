// The text of a user's shader as it is compiled.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace brokkr {

// Whether a text is Shadertoy's: it has mainImage and no main.
bool is_toy_shader(const std::string& text);

// `text` with what it may leave out: "#version", and around Shadertoy's mainImage its uniforms and a main that calls
// it. Lines keep their numbers.
std::string completed_shader(const std::string& text);

// The first line, from 1 on, in which `name` is a word of the text outside of comments; 0: none.
uint32_t line_of_name(std::string_view text, std::string_view name);

}  // namespace brokkr
