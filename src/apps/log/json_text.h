// Formats JSON the way Brokkr writes it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace brokkr {

// Indented, with a final newline. JSON must be UTF-8, but file names need not be: invalid bytes are replaced.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace brokkr
