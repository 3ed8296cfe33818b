// Typed access to the JSON of a frame file. Every getter checks type and range and throws std::runtime_error("command
// 12, field 'state': ...; remedy").
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "brokkr/frame.h"

namespace brokkr::bkf {

// One object of the file and how messages call it.
class JsonObject {
 public:
  // Throws where `value` is no object. `place` is for instance "command 12".
  JsonObject(const nlohmann::json& value, std::string place);

  [[noreturn]] void fail(std::string_view key, const std::string& problem, const std::string& remedy) const;

  bool has(const char* key) const;  // present and not null
  // The member; throws where it is missing.
  const nlohmann::json& at(const char* key) const;
  // A member object; messages call it "command 12, indices".
  JsonObject object(const char* key) const;
  // A member array, or an empty one where the key is missing.
  const nlohmann::json& array(const char* key) const;

  int64_t integer(const char* key, int64_t low, int64_t high) const;
  int64_t integer_or(const char* key, int64_t low, int64_t high, int64_t missing) const;
  float number(const char* key) const;  // finite
  bool boolean_or(const char* key, bool missing) const;
  std::string text_or(const char* key, std::string_view missing) const;

  // Exactly values.size() finite numbers.
  void numbers(const char* key, std::span<float> values) const;
  std::array<int64_t, 4> integers4(const char* key) const;

  template <typename Enum, size_t N>
  Enum name(const char* key, const std::array<std::string_view, N>& names) const {
    return static_cast<Enum>(find(key, at(key), names));
  }
  template <typename Enum, size_t N>
  Enum name_or(const char* key, const std::array<std::string_view, N>& names, Enum missing) const {
    return has(key) ? name<Enum>(key, names) : missing;
  }
  // The same for an element of an array member `key`.
  size_t find(const char* key, const nlohmann::json& value, std::span<const std::string_view> names) const;

  const std::string& place() const { return place_; }

 private:
  int64_t to_integer(const char* key, const nlohmann::json& value, int64_t low, int64_t high) const;
  float to_float(const char* key, const nlohmann::json& value) const;

  const nlohmann::json* value_;
  std::string place_;
};

}  // namespace brokkr::bkf
