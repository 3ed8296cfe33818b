#include <algorithm>
#include <filesystem>
#include <map>

#include "app/command.h"
#include "app/picture.h"
#include "app/text.h"
#include "base/file_io.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;

struct Named {
  std::string option;  // "--output", or "FILE"
  std::string path;
};

bool has_no_dashes(const Option& option) { return option.names.front() != '-'; }

std::string shown_name(const Option& option) { return has_no_dashes(option) ? option.value : "--" + key_of(option); }

FileUse use_of(const Option& option, const std::string& value) {
  if (option.kind != ValueKind::choice_or_file) return option.use;
  const bool chosen = std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end();
  return chosen ? FileUse::none : FileUse::read;
}

// The file that an option's value names, which may be NAME=FILE.
std::string file_of(const Option& option, const std::string& value) {
  return option.value.starts_with("NAME=") ? value.substr(value.find('=') + 1) : value;
}

// One text for all names of a file; empty for what is no file that could be lost: a device, a pipe, a folder.
std::string place_of(const std::string& path) {
  if (path == "-") return kStandardOutput;
  std::error_code error;
  const fs::path file = end_of_links(path);
  const fs::file_status status = fs::status(file, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return {};
  const fs::path whole = fs::absolute(file, error);
  const fs::path folder = fs::weakly_canonical(whole.parent_path(), error);
  return (error ? whole.lexically_normal() : folder / whole.filename()).string();
}

// The names that an output gets: for each input one where it has a {}, and what is written beside it.
std::vector<Named> written_names(const Option& option, const std::string& path,
                                 const std::vector<std::string>& inputs) {
  const std::string shown = shown_name(option);
  std::vector<Named> names;
  if (path.find("{}") == std::string::npos || inputs.empty()) {
    names.push_back({shown, path});
  } else {
    require_own_names(path, inputs, shown);
    for (const std::string& input : inputs) names.push_back({shown, output_name(path, input, false, shown)});
  }
  if (option.beside.empty() || path == "-" || fs::path(path).extension() == option.beside) return names;
  for (size_t i = 0, count = names.size(); i < count; ++i)
    names.push_back({shown, fs::path(names[i].path).replace_extension(option.beside).string()});
  return names;
}

[[noreturn]] void refuse(const Named& first, const Named& second) {
  if (second.path == "-")
    throw UsageError(first.option + ", " + second.option + ": both go to standard output; give one of them a file");
  throw UsageError(first.option + ", " + second.option + ": both write '" + printable(second.path) +
                   "'; give each a file of its own");
}

}  // namespace

void require_own_files(const std::vector<Option>& options, const Arguments& arguments) {
  std::vector<Named> read, written;
  std::vector<std::string> inputs;
  const auto each = [&](FileUse use, const auto& take) {
    for (const Option& option : options) {
      for (const std::string& value : arguments.all(key_of(option))) {
        if (use_of(option, value) == use) take(option, file_of(option, value));
      }
    }
  };
  each(FileUse::read, [&](const Option& option, const std::string& path) {
    read.push_back({shown_name(option), path});
    if (has_no_dashes(option)) inputs.push_back(path);
  });
  each(FileUse::written, [&](const Option& option, const std::string& path) {
    for (Named& name : written_names(option, path, inputs)) written.push_back(std::move(name));
  });
  std::map<std::string, Named> known;
  for (const Named& output : written) {
    const std::string place = place_of(output.path);
    if (place.empty()) continue;
    const auto [first, is_new] = known.emplace(place, output);
    if (!is_new) refuse(first->second, output);
  }
  for (const Named& input : read) {
    const auto found = input.path == "-" ? known.end() : known.find(place_of(input.path));
    if (found == known.end()) continue;
    throw UsageError(found->second.option + ": '" + printable(found->second.path) + "' is read by " + input.option +
                     ", and would be lost; write another file");
  }
}

}  // namespace brokkr::app
