// How the program reads JSON, wherever it comes from.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "scene/failure.h"

namespace brokkr {

// Arrays and objects within each other. Whoever copies, compares or prints a value goes down into it by recursion.
inline constexpr int kMaxJsonDepth = 64;

// Throws std::runtime_error for a text that nests deeper.
inline void check_json_depth(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (quoted && c == '\\') {
      i++;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += (c == '[' || c == '{') - (c == ']' || c == '}');
      if (depth > kMaxJsonDepth) fail("it nests arrays or objects more than {} deep", kMaxJsonDepth);
    }
  }
}

// Throws std::runtime_error, whose one line repeats little of the text, where `text` is no JSON or nests too deep.
template <typename Json = nlohmann::ordered_json>
Json parse_json(std::string_view text) {
  constexpr size_t kMostMessage = 200;
  check_json_depth(text);
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(std::string(error.what()).substr(0, kMostMessage));
  }
}

// The same with null for a text that cannot be used.
template <typename Json = nlohmann::ordered_json>
Json parse_json_or_null(std::string_view text) try {
  return parse_json<Json>(text);
} catch (const std::runtime_error&) {
  return nullptr;
}

}  // namespace brokkr
