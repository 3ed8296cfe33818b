#include "app/command.h"

#include <charconv>
#include <cstdlib>

namespace brokkr::app {

bool Arguments::has(const std::string& name) const { return !all(name).empty(); }

Arguments Arguments::without(const std::string& name) const {
  Arguments others = *this;
  others.values_.erase(name);
  return others;
}

const std::vector<std::string>& Arguments::all(const std::string& name) const {
  static const std::vector<std::string> none;
  const auto found = values_.find(name);
  return found == values_.end() ? none : found->second;
}

std::string Arguments::text(const std::string& name, const std::string& fallback) const {
  return has(name) ? all(name).back() : fallback;
}

// These conversions cannot fail: the parser checked the values.
int64_t Arguments::integer(const std::string& name, int64_t fallback) const {
  return has(name) ? std::strtoll(all(name).back().c_str(), nullptr, 10) : fallback;
}

double Arguments::real(const std::string& name, double fallback) const {
  return has(name) ? std::strtod(all(name).back().c_str(), nullptr) : fallback;
}

std::pair<int, int> Arguments::size(const std::string& name) const {
  if (!has(name)) return {0, 0};
  const std::string& value = all(name).back();
  return {std::atoi(value.c_str()), std::atoi(value.c_str() + value.find('x') + 1)};
}

const char* heading_of(CommandGroup group) {
  switch (group) {
    case CommandGroup::draw: return "Look and draw";
    case CommandGroup::files: return "Capture and files";
    case CommandGroup::inspect: return "Inspect and compare";
    case CommandGroup::measure: return "Measure";
    case CommandGroup::research: break;
  }
  return "Research";
}

std::string key_of(const Option& option) {
  const size_t begin = option.names.find("--");
  if (begin == std::string::npos) return option.names;
  const std::string name = option.names.substr(begin + 2);
  return name.substr(0, name.find(','));
}

}  // namespace brokkr::app
