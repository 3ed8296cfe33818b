// JSON as Brokkr writes it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace brokkr {

// Indented, with a line end. JSON must be UTF-8 but names of files need not be: bytes that are no UTF-8 are replaced.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace brokkr
