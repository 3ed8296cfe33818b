// Shared by the checks of a frame's parts (validate.cpp, validate_programs.cpp): messages that name part and field, and
// a check of all fields by the lists that readers use.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/failure.h"
#include "brokkr/frame.h"
#include "frame/bkf_fields.h"
#include "frame/bkf_programs.h"

namespace brokkr {

// A part of the frame, as messages name it: "command 12, field 'first_index': ...".
struct Place {
  const char* kind;
  size_t number;
};

[[noreturn]] inline void fail_at(const Place& place, std::string_view field, std::string_view problem,
                                 const char* remedy) {
  fail("{} {}, field '{}': {}; {}", place.kind, place.number, field, problem, remedy);
}

template <typename T>
inline void require_range(const Place& place, std::string_view field, T value, std::type_identity_t<T> low,
                          std::type_identity_t<T> high, const char* remedy) {
  if (value >= low && value <= high) return;  // false for NaN
  fail_at(place, field, fmt::format("{} is outside {}..{}", value, low, high), remedy);
}

inline void require_index(const Place& place, const char* field, uint64_t value, size_t count, const char* what) {
  if (value < count) return;
  fail_at(place, field, fmt::format("{} names none of the frame's {} {}", value, count, what),
          "use an index below that number");
}

// Checks that `first` + `count` <= `size`, without overflow.
inline void require_extent(const Place& place, const char* field, uint64_t first, uint64_t count, uint64_t size,
                           const char* what) {
  if (first <= size && count <= size - first) return;
  fail_at(place, field, fmt::format("{} from {} do not fit the frame's {} {}", count, first, size, what),
          "shorten the range or add the missing data");
}

inline void require_enum(const Place& place, std::string_view field, bool known) {
  if (!known) fail_at(place, field, "no such enumerator", "use one that frame.h declares");
}

// For numbers, vectors and matrices.
template <typename T>
inline void require_finite(const Place& place, std::string_view field, const T& value) {
  const auto *begin = reinterpret_cast<const float*>(&value), *end = reinterpret_cast<const float*>(&value + 1);
  const bool finite = std::all_of(begin, end, [](float number) { return std::isfinite(number); });
  if (!finite) fail_at(place, field, "a value is not finite", "replace NaN and infinity");
}

// Turns a key of the file into the field's name in messages: "frontFace" is front_face.
inline std::string field_name(const char* key) {
  std::string name;
  for (; *key != 0; key++) {
    if (std::isupper(static_cast<unsigned char>(*key))) name += '_';
    name += char(std::tolower(static_cast<unsigned char>(*key)));
  }
  return name;
}

// Checks the fields that it visits, by the lists that readers use: enumerators exist, numbers are finite and within
// their limits, targets exist. Messages name nested values by their field.
class Checker {
 public:
  static constexpr bool kReads = false;
  Checker(const Frame& frame, const Place& place) : frame_(frame), place_(place) {}

  void field(const char* key, const auto& member, const bkf::Limits& limits = {}) {
    const bool outermost = field_.empty();
    if (outermost) field_ = field_name(key);
    check(member, limits);
    if (outermost) field_.clear();
  }
  void required(const char* key, const auto& member, const bkf::Limits& limits = {}) { field(key, member, limits); }
  void sparse(const char* key, const auto& member, const auto&, const bkf::Limits& limits = {}) {
    field(key, member, limits);
  }
  void many(const char* key, const auto& members) { field(key, members); }
  void clamped(const char*, uint8_t) {}
  void bits(const char*, uint32_t, std::string_view) {}
  void target(const char* key, uint32_t number) {
    require_index(place_, key, number, frame_.targets.size(), "targets");
  }

 private:
  template <typename T>
  void check(const T& value, const bkf::Limits& limits) {
    if constexpr (requires { bkf::as_list(value); }) {
      check(bkf::as_list(value), limits);
    } else if constexpr (std::is_enum_v<T>) {
      require_enum(place_, field_, !bkf::name_of(value).empty());
    } else if constexpr (std::is_floating_point_v<T>) {
      if (limits.remedy) require_range(place_, field_, value, T(limits.low), T(limits.high), limits.remedy);
      require_finite(place_, field_, value);
    } else if constexpr (std::is_integral_v<T>) {
      if (limits.remedy) require_range(place_, field_, int64_t(value), limits.low, limits.high, limits.remedy);
    } else {
      bkf::visit_fields(*this, value);
    }
  }
  template <typename T>
  void check(const std::optional<T>& value, const bkf::Limits& limits) {
    if (value) check(*value, limits);
  }
  template <typename T>
  void check(const std::vector<T>& members, const bkf::Limits& limits) {
    for (const T& member : members) check(member, limits);
  }
  void check(const std::string&, const bkf::Limits&) {}
  template <typename... T>
  void check(bkf::List<T...> list, const bkf::Limits& limits) {
    std::apply([&](const auto&... member) { (check(member, limits), ...); }, list.members);
  }
  void check(const std::optional<Rect>& scissor, const bkf::Limits&) {
    if (!scissor) return;
    constexpr int kFar = 1 << 30;  // sums of two such values fit in an int
    const char* remedy = "keep the scissor rectangle near its target";
    check(bkf::list("", scissor->x, scissor->y), bkf::Limits{-kFar, kFar, remedy});
    check(bkf::list("", scissor->width, scissor->height), bkf::Limits{0, kFar, remedy});
  }

  const Frame& frame_;
  Place place_;
  std::string field_;
};

inline void check_fields(const Frame& frame, const Place& place, const auto& value) {
  Checker checker(frame, place);
  bkf::visit_fields(checker, value);
}

// In validate_programs.cpp. Checks programs, textures and samplers first, because the other checks rely on them.
void validate_programs(const Frame& frame);
void validate_inputs(const Frame& frame, std::span<const ProgramNeeds> sizes, const Place& place,
                     const DrawCommand& draw);
// `sizes`: the result of vertex_program_sizes.
void validate_vertices(const Frame& frame, std::span<const ProgramNeeds> sizes, const Place& place,
                       const DrawCommand& draw);
// Checks that vertex programs write to different vertices and varyings.
void validate_results(const Frame& frame);
void validate_planes(const Frame& frame, const Place& place, const ClearCommand& clear);
void validate_planes(const Frame& frame, const Place& place, const LoadCommand& load);
void validate_planes(const Frame& frame, const Place& place, const GenerateMipsCommand& generate);
void validate_planes(const Frame& frame, const Place& place, const CopyCommand& copy);

}  // namespace brokkr
