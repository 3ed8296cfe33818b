#include "app/view_request.h"

#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "app/input.h"
#include "app/value_check.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;
constexpr const char* kProgram = "brokkr-view";

}  // namespace

std::vector<Option> view_options() {
  const std::vector<Option> own = {
      {.names = "FILE",
       .kind = ValueKind::file,
       .value = "FILE",
       .help = "A frame (.bkf), a scene (.obj), generated:NAME, or a folder; several frames, or a folder of them, are "
               "a sequence",
       .repeat = true},
      {.names = "--window",
       .kind = ValueKind::size,
       .value = "WxH",
       .help = "Size of the window (as it was last time)",
       .min = 64,
       .max = kMaxTargetSize},
      {.names = "--fresh", .help = "Neither read nor write what the viewer remembers"},
  };
  return joined(joined(own, input_options()), pipeline_options());
}

std::vector<std::string> view_words(const Arguments& arguments) {
  std::vector<std::string> words;
  for (const Option& option : view_options()) {
    const std::string name = key_of(option);
    if (option.names.front() != '-' || !arguments.has(name)) continue;
    words.push_back(option.kind == ValueKind::flag ? "--" + name : "--" + name + "=" + arguments.text(name));
  }
  words.emplace_back("--");
  const std::vector<std::string>& files = arguments.all("FILE");
  words.insert(words.end(), files.begin(), files.end());
  return words;
}

Arguments parse_view_words(const std::vector<std::string>& words) {
  const std::vector<Option> options = view_options();
  std::map<std::string, std::vector<std::string>> values;
  bool only_files = false;
  for (const std::string& word : words) {
    if (only_files || !word.starts_with("--")) {
      values["FILE"].push_back(word);
      continue;
    }
    if (word == "--") {
      only_files = true;
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const Option* found = nullptr;
    for (const Option& option : options) {
      if (option.names.front() == '-' && key_of(option) == name) found = &option;
    }
    if (found == nullptr) throw UsageError("--" + name + ": there is no such option; see `brokkr view --help`");
    if ((found->kind == ValueKind::flag) != (equals == std::string::npos))
      throw UsageError("--" + name + ": write it as --" + name +
                       (equals == std::string::npos ? "=" + found->value : ""));
    if (equals == std::string::npos) {
      values[name] = {"true"};
      continue;
    }
    const std::string value = word.substr(equals + 1), error = check_value(*found, value);
    if (!error.empty()) throw UsageError("--" + name + ": " + error);
    values[name] = {value};
  }
  return Arguments(std::move(values));
}

std::optional<fs::path> find_viewer() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return std::nullopt;
  for (const fs::path& path : {here / kProgram, here / ".." / "libexec" / "brokkr" / kProgram}) {
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

bool has_display() {
  const char* const display = std::getenv("DISPLAY");
  return display != nullptr && *display != '\0';
}

}  // namespace brokkr::app
