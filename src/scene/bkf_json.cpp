#include "scene/bkf_json.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace brokkr::bkf {
namespace {

const char* const kAgain = "correct the file or capture it again";

}  // namespace

JsonObject::JsonObject(const nlohmann::json& value, std::string place) : value_(&value), place_(std::move(place)) {
  if (!value.is_object()) throw std::runtime_error(place_ + ": it is not an object; " + kAgain);
}

void JsonObject::fail(std::string_view key, const std::string& problem, const std::string& remedy) const {
  throw std::runtime_error(place_ + ", field '" + std::string(key) + "': " + problem + "; " + remedy);
}

bool JsonObject::has(const char* key) const {
  const auto found = value_->find(key);
  return found != value_->end() && !found->is_null();
}

const nlohmann::json& JsonObject::at(const char* key) const {
  const auto found = value_->find(key);
  if (found == value_->end()) fail(key, "it is missing", kAgain);
  return *found;
}

JsonObject JsonObject::object(const char* key) const { return JsonObject(at(key), place_ + ", " + key); }

const nlohmann::json& JsonObject::array(const char* key) const {
  static const nlohmann::json empty = nlohmann::json::array();
  if (!has(key)) return empty;
  const nlohmann::json& value = at(key);
  if (!value.is_array()) fail(key, "it is not an array", kAgain);
  return value;
}

int64_t JsonObject::integer(const char* key, int64_t low, int64_t high) const {
  return to_integer(key, at(key), low, high);
}

int64_t JsonObject::integer_or(const char* key, int64_t low, int64_t high, int64_t missing) const {
  return has(key) ? integer(key, low, high) : missing;
}

float JsonObject::number(const char* key) const { return to_float(key, at(key)); }

bool JsonObject::boolean_or(const char* key, bool missing) const {
  if (!has(key)) return missing;
  const nlohmann::json& value = at(key);
  if (!value.is_boolean()) fail(key, "it is neither true nor false", kAgain);
  return value.get<bool>();
}

std::string JsonObject::text_or(const char* key, std::string_view missing) const {
  if (!has(key)) return std::string(missing);
  const nlohmann::json& value = at(key);
  if (!value.is_string()) fail(key, "it is not a text", kAgain);
  return value.get<std::string>();
}

void JsonObject::numbers(const char* key, std::span<float> values) const {
  const nlohmann::json& list = at(key);
  if (!list.is_array() || list.size() != values.size()) {
    fail(key, "it is not an array of " + std::to_string(values.size()) + " numbers", kAgain);
  }
  for (size_t i = 0; i < values.size(); i++) values[i] = to_float(key, list[i]);
}

std::array<int64_t, 4> JsonObject::integers4(const char* key) const {
  const nlohmann::json& list = at(key);
  if (!list.is_array() || list.size() != 4) fail(key, "it is not an array of 4 integers", kAgain);
  std::array<int64_t, 4> result;
  for (size_t i = 0; i < 4; i++) {
    result[i] = to_integer(key, list[i], std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
  }
  return result;
}

size_t JsonObject::find(const char* key, const nlohmann::json& value, std::span<const std::string_view> names) const {
  std::string known;
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    for (size_t i = 0; i < names.size(); i++) {
      if (names[i] == text) return i;
    }
  }
  for (std::string_view name : names) known += (known.empty() ? "" : ", ") + std::string(name);
  fail(key, "unknown value " + value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 40),
       "use one of " + known);
}

int64_t JsonObject::to_integer(const char* key, const nlohmann::json& value, int64_t low, int64_t high) const {
  // Values above 2^63 are stored unsigned; everything asked for is below it.
  const bool fits =
      value.is_number_integer() && (!value.is_number_unsigned() || value.get<uint64_t>() <= uint64_t(INT64_MAX));
  const int64_t number = fits ? value.get<int64_t>() : 0;
  if (!fits || number < low || number > high) {
    fail(key, "it is not an integer in " + std::to_string(low) + ".." + std::to_string(high), kAgain);
  }
  return number;
}

float JsonObject::to_float(const char* key, const nlohmann::json& value) const {
  const double number = value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
  if (!(std::abs(number) <= double(std::numeric_limits<float>::max()))) {
    fail(key, "it is not a finite number", kAgain);
  }
  return float(number);
}

}  // namespace brokkr::bkf
