#include "simt/lanes.h"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>

namespace brokkr::simt {
namespace {

// Appends the numbers of a ".b8 95,90,0" line as characters; returns false at the 0 that ends a text.
bool append_bytes(std::string_view line, std::string& text) {
  while (!line.empty()) {
    const size_t comma = line.find(',');
    std::string_view number = line.substr(0, comma);
    while (!number.empty() && number.front() == ' ') number.remove_prefix(1);
    int value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    if (value == 0) return false;
    text += char(value);
    line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
  }
  return true;
}

std::string_view trimmed(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t"), end = line.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin, end + 1 - begin);
}

std::string source_name(const std::string& path) {
  const size_t slash = path.rfind("/src/");
  return slash == std::string::npos ? path.substr(path.rfind('/') + 1) : path.substr(slash + 5);
}

}  // namespace

std::string short_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                     std::free);
  const std::string_view all = status == 0 ? std::string_view(plain.get()) : std::string_view(mangled);
  std::string text;
  int depth = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const char c = all[i];
    const bool after_operator =
        text.ends_with("operator") || text.ends_with("operator<") || text.ends_with("operator-");
    if (depth == 0 && c == '(' && all.substr(i).starts_with("(anonymous namespace)")) {
      i += std::string_view("(anonymous namespace)::").size() - 1;
    } else if (depth == 0 && after_operator && (c == '<' || c == '>' || all.substr(i, 2) == "()")) {
      text += c == '(' ? "()" : std::string(1, c);
      i += c == '(' ? 1 : 0;
    } else if (c == '<' || c == '(' || c == '[') {
      ++depth;
    } else if (c == '>' || c == ')' || c == ']') {
      --depth;
    } else if (depth == 0 && c == ' ' && !text.ends_with("operator")) {
      if (all.substr(i + 1).starts_with("const")) break;
      text.clear();  // drops the result type
    } else if (depth == 0) {
      text += c;
    }
  }
  // A lambda counts as part of its function.
  if (const size_t lambda = text.find("::{lambda"); lambda != std::string::npos) text.erase(lambda);
  const size_t ours = text.find("brokkr::");
  if (ours != std::string::npos) text.erase(0, ours + std::string_view("brokkr::").size());
  return text.empty() ? mangled : text;
}

std::map<std::string_view, std::string> inlined_names(const ptx::Program& program) {
  std::map<std::string_view, std::string> names;
  std::string_view rest = program.text;
  const size_t section = rest.find(".section\t.debug_str");
  if (section == std::string_view::npos) return names;
  rest.remove_prefix(section);
  std::string_view label;
  std::string text;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line == "}") break;
    if (line.starts_with("$") && line.ends_with(":")) {
      label = line.substr(0, line.size() - 1);
      text.clear();
    } else if (line.starts_with(".b8") && !label.empty() && !append_bytes(trimmed(line.substr(3)), text)) {
      names[label] = short_name(text);
      label = {};
    }
  }
  return names;
}

void LaneTable::add(const ptx::Program& program, const std::vector<uint64_t>& runs,
                    const std::vector<uint64_t>& lanes) {
  const auto names = inlined_names(program);
  for (uint32_t pc = 0; pc < runs.size(); ++pc) {
    if (runs[pc] == 0) continue;
    const ptx::SourceLine& line = program.lines[pc];
    const auto name = names.find(line.inlined);
    const auto file = program.files.find(line.file);
    LaneCounts& c = places_[{name != names.end() ? name->second : short_name(program.function_at(pc).name),
                             file == program.files.end() ? "" : source_name(file->second), line.line}];
    c.instructions += runs[pc];
    c.lanes += lanes[pc];
  }
}

LaneCounts LaneTable::all() const {
  LaneCounts sum;
  for (const auto& [place, c] : places_) {
    sum.instructions += c.instructions;
    sum.lanes += c.lanes;
  }
  return sum;
}

std::vector<FunctionLanes> LaneTable::rows() const {
  std::map<std::pair<std::string, std::string>, FunctionLanes> functions;
  for (const auto& [place, c] : places_) {
    FunctionLanes& f = functions[{place.function, place.file}];
    f.function = place.function;
    f.file = place.file;
    f.counts.instructions += c.instructions;
    f.counts.lanes += c.lanes;
    if (c.lost() >= f.worst.lost()) {
      f.worst = c;
      f.worst_line = place.line;
    }
  }
  std::vector<FunctionLanes> rows;
  for (auto& [name, f] : functions) rows.push_back(std::move(f));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const FunctionLanes& a, const FunctionLanes& b) { return a.counts.lost() > b.counts.lost(); });
  return rows;
}

}  // namespace brokkr::simt
