// Builds JSON values from the calls of nlohmann's parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "base/json_parse.h"
#include "base/loading.h"

namespace brokkr {

// Builds a value from the parser's calls, in time proportional to the length of the text. Refuses values that nest
// deeper, a second member with the same name, and values that take more memory than `loading` (if it is not null) has
// left.
template <typename Json>
class JsonBuilder {
 public:
  JsonBuilder(Json& root, Loading* loading) : root_(root), loading_(loading) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(typename Json::number_integer_t value) { return add(value); }
  bool number_unsigned(typename Json::number_unsigned_t value) { return add(value); }
  bool number_float(typename Json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value) {
    need(sizeof(std::string) + value.size());
    return add(std::move(value));
  }
  bool binary(typename Json::binary_t&) { return false; }  // only other formats than text call it
  bool start_object(size_t) { return open(Json::object()); }
  bool start_array(size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    need(kMemberBytes + name.size());
    Level& level = levels_.back();
    auto& members = *level.value->template get_ptr<typename Json::object_t*>();
    if constexpr (requires { members.reserve(1); }) {
      // Members are a list in the order of the text. A search in the list would compare all of them.
      if (!level.names.insert(name).second) refuse(name);
      need(kMemberBytes + name.size());
      members.emplace_back(std::move(name), nullptr);
      level.member = &members.back().second;
    } else {
      const auto [place, is_new] = members.emplace(std::move(name), nullptr);
      if (!is_new) refuse(place->first);
      level.member = &place->second;
    }
    return true;
  }

  [[noreturn]] bool parse_error(size_t, const std::string&, const nlohmann::json::exception& error) {
    constexpr size_t kMaxMessage = 200;
    throw std::runtime_error(std::string(error.what()).substr(0, kMaxMessage));
  }

 private:
  static constexpr uint64_t kMemberBytes = sizeof(std::string) + 48;  // includes the overhead of a tree or a set

  struct Level {
    Json* value;
    Json* member = nullptr;  // in an object: the place of the next value
    std::unordered_set<std::string> names;
  };

  [[noreturn]] static void refuse(const std::string& name) {
    constexpr size_t kMaxName = 40;
    fail("'{}' is twice in one object", name.substr(0, kMaxName));
  }
  void need(uint64_t bytes) {
    if (loading_ != nullptr) loading_->need(bytes, "json");
  }

  Json* place(Json&& value) {
    need(2 * sizeof(Json));  // lists are copied when they grow
    if (levels_.empty()) return &(root_ = std::move(value));
    Level& level = levels_.back();
    if (level.member != nullptr) return &(*level.member = std::move(value));
    level.value->push_back(std::move(value));
    return &level.value->back();
  }
  template <typename T>
  bool add(T&& value) {
    place(Json(std::forward<T>(value)));
    return true;
  }
  bool open(Json&& value) {
    if (levels_.size() == size_t(kMaxJsonDepth)) fail("it nests arrays or objects more than {} deep", kMaxJsonDepth);
    levels_.push_back({place(std::move(value)), nullptr, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  Json& root_;
  Loading* loading_;
  std::vector<Level> levels_;
};

}  // namespace brokkr
