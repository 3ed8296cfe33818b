// Commands and their options as data: parsing, help and completions come from these tables alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace brokkr::app {

// Exit codes.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;     // a file, a machine or a comparison failed
inline constexpr int kUsageError = 2;  // the command line itself is wrong

// The kind of an option's value. The parser checks the value before the command runs.
enum class ValueKind : uint8_t {
  flag,            // no value
  text,            // anything
  file,            // a path; completions offer files
  integer,         // min..max
  power_of_two,    // min..max
  real,            // min..max
  size,            // WIDTHxHEIGHT, each min..max
  choice,          // one of `choices`
  choice_or_file,  // one of `choices`, or a path, which contains a dot or a slash
};

// The use that a command makes of the file that an option names.
enum class FileUse : uint8_t { none, read, written };

struct Option {
  std::string names;  // "-o,--output", or a bare name for a positional argument
  ValueKind kind = ValueKind::flag;
  std::string value;  // placeholder in help: "FILE"
  std::string help;
  double min = 0, max = 0;
  std::vector<std::string> choices;
  bool repeat = false;    // may be given several times (a positional argument: takes several)
  bool required = false;  // positional arguments only
  std::string group;      // heading in help; empty: "Options"
  FileUse use = FileUse::none;
  std::string beside = {};         // ending of a second file, written beside this one: ".json"
  std::string ending = {};         // required ending of the file's name; "-" and devices are exempt
  std::string shared_ending = {};  // several options may name one file with this ending
  bool rare = false;               // shown only by --help-all, the pages and completions
  bool announced = false;          // a last line names the file that was written, because the command does not
};

// Options by kind. Help calls the value of an integer option N.
inline Option flag(std::string names, std::string help) {
  return {std::move(names), ValueKind::flag, "", std::move(help)};
}
inline Option text_option(std::string names, std::string value, std::string help) {
  return {std::move(names), ValueKind::text, std::move(value), std::move(help)};
}
inline Option file_option(std::string names, std::string value, std::string help) {
  Option option{std::move(names), ValueKind::file, std::move(value), std::move(help)};
  option.use = FileUse::read;
  return option;
}
// A file that the command writes. `beside`: see Option.
inline Option output_option(std::string names, std::string value, std::string help, std::string beside = "") {
  Option option = file_option(std::move(names), std::move(value), std::move(help));
  option.use = FileUse::written;
  option.beside = std::move(beside);
  return option;
}
// Lets the last line of the command's text name this file or folder. For commands that do not name it themselves.
inline Option announced(Option option) {
  option.announced = true;
  return option;
}
// --json, the same in every command: FILE must end in .json, unless it is a device or a pipe, so that `--json
// scene.obj` cannot overwrite a scene.
inline Option json_option(std::string help) {
  Option option = output_option("--json", "FILE.json", std::move(help) + "; - prints it");
  option.ending = ".json";
  return announced(std::move(option));
}
// A text_option of the form NAME=FILE.
inline Option named_file_option(std::string names, std::string value, std::string help, FileUse use) {
  Option option = text_option(std::move(names), std::move(value), std::move(help));
  option.use = use;
  return option;
}
inline Option integer_option(std::string names, std::string help, double min, double max, std::string value = "N") {
  return {std::move(names), ValueKind::integer, std::move(value), std::move(help), min, max};
}
inline Option real_option(std::string names, std::string value, std::string help, double min, double max) {
  return {std::move(names), ValueKind::real, std::move(value), std::move(help), min, max};
}
inline Option size_option(std::string names, std::string help, double min, double max) {
  return {std::move(names), ValueKind::size, "WxH", std::move(help), min, max};
}
inline Option choice_option(std::string names, std::string value, std::string help, std::vector<std::string> choices) {
  return {std::move(names), ValueKind::choice, std::move(value), std::move(help), 0, 0, std::move(choices)};
}
// Lets an option be given several times, and a positional argument take several values.
inline Option several(Option option) {
  option.repeat = true;
  return option;
}
// Marks an option that few people need.
inline Option rare(Option option) {
  option.rare = true;
  return option;
}
// Marks a positional argument that must be given.
inline Option needed(Option option) {
  option.required = true;
  return option;
}

// The options of one call. Keys are their first long names without dashes ("output").
class Arguments {
 public:
  explicit Arguments(std::map<std::string, std::vector<std::string>> values, std::vector<std::string> words = {})
      : values_(std::move(values)), words_(std::move(words)) {}

  bool has(const std::string& name) const;
  Arguments without(const std::string& name) const;
  std::string text(const std::string& name, const std::string& fallback = "") const;
  int64_t integer(const std::string& name, int64_t fallback) const;
  double real(const std::string& name, double fallback) const;
  std::pair<int, int> size(const std::string& name) const;  // {0, 0} if it was not given
  const std::vector<std::string>& all(const std::string& name) const;
  // The words after the command's name, as the user wrote them.
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> words_;
};

// Headings of `brokkr --help`, in order of appearance.
enum class CommandGroup : uint8_t { draw, files, inspect, measure, research };
const char* heading_of(CommandGroup group);

struct Command {
  std::string name;
  std::string summary;
  std::vector<Option> options;
  std::function<int(const Arguments&)> run;  // returns the exit code; throws on errors
  CommandGroup group = CommandGroup::research;
};

// An error in the command line; the exit code is 2. The message is one line that says what to do.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws UsageError if two of these options write the same file, or if one writes a file that another reads; and
// std::runtime_error if the folder of a file does not exist or is not writable.
void require_distinct_files(const std::vector<Option>& options, const Arguments& arguments);

// Prints "wrote a.json, b.csv" on standard output: the files of options that are announced. Prints nothing if an output
// goes to standard output.
void announce_files(const std::vector<Option>& options, const Arguments& arguments);

// The key of an option in Arguments.
std::string key_of(const Option& option);

}  // namespace brokkr::app
