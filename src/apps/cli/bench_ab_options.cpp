#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/parse.h"
#include "cli/bench_ab.h"

namespace brokkr::app {
namespace {

// As a shell parts them: blanks between words, quotes around blanks.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  char quote = 0;
  bool inside = false;
  for (const char c : text) {
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? char(0) : c;
      if (!inside) words.emplace_back();
      inside = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += c;
    }
  }
  if (quote != 0) throw UsageError("--ab: a quote is not closed in '" + text + "'");
  return words;
}

}  // namespace

Arguments with_options(const Arguments& arguments, const std::string& text, const std::vector<Option>& known) {
  std::map<std::string, std::vector<std::string>> values;
  for (const Option& option : known) {
    if (arguments.has(key_of(option))) values[key_of(option)] = arguments.all(key_of(option));
  }
  for (const char* name : {"FILE", "suite", "captures", "shading"}) {
    if (arguments.has(name)) values[name] = arguments.all(name);
  }
  const std::vector<std::string> words = words_of(text);
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const auto option = std::find_if(known.begin(), known.end(),
                                     [&](const Option& candidate) { return "--" + key_of(candidate) == name; });
    if (option == known.end())
      throw UsageError("--ab: '" + name +
                       "' is no option of input or pipeline; B is the same command with some on top");
    if (equals == std::string::npos && i + 1 == words.size()) throw UsageError("--ab: " + name + " has no value");
    const std::string value = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
    const std::string problem = problem_with(*option, value);
    if (!problem.empty()) throw UsageError("--ab: " + name + ": " + problem);
    values[key_of(*option)] = {value};
  }
  return Arguments(std::move(values));
}

std::vector<std::string> option_words(const Arguments& arguments, const std::vector<Option>& known) {
  std::vector<std::string> words;
  for (const Option& option : known) {
    for (const std::string& value : arguments.all(key_of(option)))
      words.insert(words.end(), {"--" + key_of(option), value});
  }
  return words;
}

}  // namespace brokkr::app
