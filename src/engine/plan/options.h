// The table of options (brokkr/options.def) as data: names, limits and texts.
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

// The properties of an option that its line in the table gives, beside its field.
struct OptionInfo {
  const char* name = "";                    // on the command line, in manifests, logs and settings
  double min = 0, max = 0;                  // of a number, and of each number of a list
  bool power_of_two = false;                // a number that must be one
  const char* texts = "";                   // std::string: the values that exist, "v2,v3"
  const char* form = "";                    // the form of a list, where LIST does not say enough: "X,Y"
  const char* unit = "";                    // "ms"
  const char* zero = "";                    // what 0, or no value, stands for
  bool scheduling = false;                  // the option is about the work of blocks, or its end
  bool decides_picture = false;             // it decides what is drawn, or whether all of it is; no other may
  std::optional<Policy> policy = {};        // the only one that reads it
  std::optional<MachineKind> machine = {};  // the only one that reads it
  const char* help = "";
};

// option_info::workers is the line of RenderOptions::workers.
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

// A whole number or real number of min .. max. They throw std::invalid_argument that quotes the text and says what is
// wanted.
int64_t whole_number(std::string_view text, double min, double max, bool power_of_two = false);
double real_number(std::string_view text, double min, double max);
// Throws std::invalid_argument that quotes `text`, lists `known` and names the nearest of these.
[[noreturn]] void refuse_choice(std::string_view text, const std::vector<std::string>& known);

// "a,b" as "a" and "b".
std::vector<std::string> split(std::string_view list);

template <class T>
concept HasChoices = requires {
  Choices<T>::all;
};

// The names that users choose from for a field of this type; none where its values have no names.
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

// Sets an option, by its name, to what `text` says. Throws std::invalid_argument where there is no such option or the
// text is no value for it, and std::runtime_error where it names a file that cannot be read.
void set_option(RenderOptions& options, std::string_view name, std::string_view text);

// All options with a value: text by name.
std::map<std::string, std::string> option_texts(const RenderOptions& options);

// Throws std::invalid_argument naming option, value and range where an option is out of range.
void check_options(const RenderOptions& options);

}  // namespace brokkr
