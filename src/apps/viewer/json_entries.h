// How entries of the file of settings are read: what is missing or not valid leaves a value as it is.
#pragma once

#include <nlohmann/json.hpp>

namespace brokkr::viewer {

template <class T>
void take(const nlohmann::json& json, const char* name, T& value) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  try {
    value = found->template get<T>();
  } catch (const nlohmann::json::exception&) {
  }
}

// What a file says may be beyond what widgets let through. A comparison with what is no number is false.
inline void keep_within(float& value, float least, float most, float otherwise) {
  value = value >= least && value <= most ? value : otherwise;
}

}  // namespace brokkr::viewer
