// The options of brokkr/options.def as data: names, limits and texts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "brokkr/options.h"

namespace brokkr {

// The properties that an option's line in options.def gives, beside its field.
struct OptionInfo {
  const char* name = "";                    // on the command line, in manifests, logs and settings
  bool rare = false;                        // few people need it, so --help leaves it out
  double min = 0, max = 0;                  // limits of a number, or of each number in a list
  bool power_of_two = false;                // the number must be a power of two
  const char* texts = "";                   // std::string: the permitted values, "v2,v3"
  const char* form = "";                    // the form of a list, if LIST is too vague: "X,Y"
  const char* unit = "";                    // "ms"
  const char* zero = "";                    // the meaning of 0 or of an absent value
  bool scheduling = false;                  // the option affects how blocks work or when a launch ends
  bool decides_picture = false;             // it decides what is drawn, or how much of it; no other option may do so
  std::optional<Policy> policy = {};        // set if only one policy reads the option
  std::optional<MachineKind> machine = {};  // set if only one machine reads the option
  const char* help = "";
};

// Returns true if a launch with `options` reads the option. An automatic machine may be any.
inline bool is_read(const OptionInfo& info, const RenderOptions& options) {
  return (!info.policy || *info.policy == options.policy) &&
         (!info.machine || options.machine == MachineKind::automatic || *info.machine == options.machine);
}

// For example, option_info::workers is the line of RenderOptions::workers.
namespace option_info {
#define BROKKR_OPTION(type, field, standard, text, ...) inline constexpr OptionInfo field{.name = text, __VA_ARGS__};
#define BROKKR_FIELD(...)
#include "brokkr/options.def"
}  // namespace option_info

// Calls visit(const OptionInfo&, field) for every option, in the order of the table; `options` may be const.
template <class Options, class Visit>
void for_each_option(Options& options, Visit&& visit) {
#define BROKKR_OPTION(type, field, ...) visit(option_info::field, options.field);
#define BROKKR_FIELD(...)
#include "brokkr/options.def"
}

// Both functions parse a number in min .. max: a whole or a real one. They throw std::invalid_argument with a message
// that quotes the text and states the valid range.
int64_t whole_number(std::string_view text, double min, double max, bool power_of_two = false);
double real_number(std::string_view text, double min, double max);
// Throws std::invalid_argument with a message that quotes `text`, lists `known` and suggests the nearest of these.
[[noreturn]] void refuse_choice(std::string_view text, const std::vector<std::string>& known);

// Splits "a,b" into "a" and "b".
std::vector<std::string> split(std::string_view list);

template <class T>
concept HasChoices = requires {
  Choices<T>::all;
};

// The names that users choose from for a field of this type; empty if its values have no names.
template <class T>
std::vector<std::string> names_of(const OptionInfo& info = {}) {
  std::vector<std::string> names;
  if constexpr (HasChoices<T>) {
    for (const Choice<T>& choice : Choices<T>::all) names.emplace_back(choice.name);
  } else if constexpr (std::is_same_v<T, PatternChoice>) {
    names = names_of<PatternKind>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    names = brokkr::split(info.texts);
  }
  return names;
}

// Parses `text` and sets the option `name`. Throws std::invalid_argument if there is no such option or the text is not
// a valid value, and std::runtime_error if it names a file that cannot be read.
void set_option(RenderOptions& options, std::string_view name, std::string_view text);

// The texts of all options that have a value, by the options' names.
std::map<std::string, std::string> option_texts(const RenderOptions& options);

// Throws std::invalid_argument if an option is out of range; the message names option, value and range.
void check_options(const RenderOptions& options);

}  // namespace brokkr
