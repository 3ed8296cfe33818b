// Reads JSON from any source.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "base/loading.h"

namespace brokkr {

// The limit on nested arrays and objects. Code that copies, compares or prints a value is recursive.
inline constexpr int kMaxJsonDepth = 64;

// Throws std::runtime_error if `text` is not JSON, nests too deep, has two members of one name in an object, or takes
// more memory than there is. The message is one line that repeats little of the text. Passes on what `loading` throws.
// `Json` is nlohmann::json or nlohmann::ordered_json.
template <typename Json = nlohmann::ordered_json>
Json parse_json(std::string_view text, Loading* loading = nullptr);

// Compiled once, in json_parse.cpp.
extern template nlohmann::json parse_json<nlohmann::json>(std::string_view, Loading*);
extern template nlohmann::ordered_json parse_json<nlohmann::ordered_json>(std::string_view, Loading*);

// Does the same, but returns null for a text that cannot be used.
template <typename Json = nlohmann::ordered_json>
Json parse_json_or_null(std::string_view text, Loading* loading = nullptr) try {
  return parse_json<Json>(text, loading);
} catch (const std::runtime_error&) {
  return nullptr;
}

}  // namespace brokkr
