// Completes the text of a user's shader for the compiler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace brokkr {

// Returns true for a Shadertoy shader: it defines mainImage and no main.
bool is_toy_shader(const std::string& text);

// Adds what `text` may leave out: "#version", and for Shadertoy's mainImage its uniforms and a main that calls it.
// Lines keep their numbers.
std::string completed_shader(const std::string& text);

// The first line, counted from 1, in which `name` is a word of the text outside comments; 0 if there is none.
uint32_t line_of_name(std::string_view text, std::string_view name);

}  // namespace brokkr
