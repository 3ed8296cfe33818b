#include "brokkr/pattern.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <stdexcept>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "bin/pattern_families.h"

namespace brokkr {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxFileBytes = uint64_t(128) << 20;  // 2^24 owners of up to five characters
constexpr size_t kMaxName = 100;
constexpr const char* kFormat = "brokkr pattern";
constexpr int kVersion = 1;

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= kMaxName && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '+';
  });
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw std::runtime_error(path.string() + ": " + what);
}

int number(const std::filesystem::path& path, const json& file, const char* field, int limit) {
  const auto found = file.find(field);
  if (found == file.end() || !found->is_number_integer())
    refuse(path, std::string(field) + " is missing or not a whole number; a pattern file needs it");
  // Tests the number in the form in which it is written: a number beyond 2^63 would change its sign.
  if (!found->is_number_unsigned() || found->get<uint64_t>() < 1 || found->get<uint64_t>() > uint64_t(limit))
    refuse(path, std::string(field) + " is " + found->dump() + "; use a value in 1.." + std::to_string(limit));
  return static_cast<int>(found->get<uint64_t>());
}

std::string text(const json& file, const char* field) {
  const auto found = file.find(field);
  return found != file.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

void check_pattern(const Pattern& pattern) {
  using pattern_families::require_range;
  require_range("pattern", "rasterizers", pattern.rasterizers, 1, kMaxRasterizers);
  require_range("pattern", "width", pattern.width, 1, kMaxPatternBins);
  require_range("pattern", "height", pattern.height, 1, kMaxPatternBins);
  const size_t bins = size_t(pattern.width) * size_t(pattern.height);
  if (pattern.owner.size() != bins) {
    throw std::invalid_argument("pattern: " + std::to_string(pattern.owner.size()) + " owners; a table of " +
                                std::to_string(pattern.width) + " x " + std::to_string(pattern.height) + " bins has " +
                                std::to_string(bins));
  }
  const uint16_t highest = *std::max_element(pattern.owner.begin(), pattern.owner.end());
  if (highest >= pattern.rasterizers) {
    throw std::invalid_argument("pattern: owner " + std::to_string(highest) + " is not a rasterizer; use 0.." +
                                std::to_string(pattern.rasterizers - 1));
  }
}

SavedPattern load_pattern(const std::filesystem::path& path) {
  const LoadOptions standard;
  Loading loading(standard);
  const auto json = parse_json_or_null<nlohmann::json>(as_text(read_file(path, kMaxFileBytes, &loading)), &loading);
  if (!json.is_object() || text(json, "format") != kFormat)
    refuse(path, "not a pattern file (JSON with \"format\": \"brokkr pattern\"); `brokkr patterns` saves some");
  if (const auto version = json.find("version");
      version == json.end() || !version->is_number_integer() || version->get<int64_t>() != kVersion)
    refuse(path, "version is not 1; this program reads only version 1");
  SavedPattern saved;
  saved.name = text(json, "name");
  if (!is_name(saved.name)) refuse(path, "name is missing or has other characters than letters, digits, - _ . +");
  saved.description = text(json, "description");
  saved.file = path;
  Pattern& pattern = saved.pattern;
  pattern.rasterizers = number(path, json, "rasterizers", kMaxRasterizers);
  pattern.width = number(path, json, "width", kMaxPatternBins);
  pattern.height = number(path, json, "height", kMaxPatternBins);
  const auto owner = json.find("owner");
  if (owner == json.end() || !owner->is_array()) refuse(path, "owner is missing; it lists the owner of each bin");
  pattern.owner.reserve(owner->size());
  for (const auto& value : *owner) {
    const uint64_t r = value.is_number_unsigned() ? value.get<uint64_t>() : ~uint64_t(0);
    if (r >= uint64_t(pattern.rasterizers))
      refuse(path, "owner[" + std::to_string(pattern.owner.size()) + "] is not a rasterizer; use 0.." +
                       std::to_string(pattern.rasterizers - 1));
    pattern.owner.push_back(static_cast<uint16_t>(r));
  }
  try {
    check_pattern(pattern);
  } catch (const std::invalid_argument& error) {
    refuse(path, error.what());
  }
  return saved;
}

std::string pattern_text(const SavedPattern& saved) {
  check_pattern(saved.pattern);
  if (!is_name(saved.name))
    throw std::invalid_argument("pattern: name '" + saved.name +
                                "' cannot be saved; use letters, digits, - _ . + (100 at most)");
  const Pattern& pattern = saved.pattern;
  const nlohmann::ordered_json head = {{"format", kFormat},
                                       {"version", kVersion},
                                       {"name", saved.name},
                                       {"description", saved.description},
                                       {"rasterizers", pattern.rasterizers},
                                       {"width", pattern.width},
                                       {"height", pattern.height}};
  std::string out = head.dump(2, ' ', false, json::error_handler_t::replace);
  out.erase(out.rfind('\n'));  // the closing brace
  out += ",\n  \"owner\": [";
  for (size_t i = 0; i < pattern.owner.size(); ++i) {
    out += i == 0 ? "\n    " : i % size_t(pattern.width) == 0 ? ",\n    " : ", ";
    out += std::to_string(pattern.owner[i]);
  }
  return out + "\n  ]\n}\n";
}

void save_pattern(const std::filesystem::path& path, const SavedPattern& saved) {
  write_text(path, pattern_text(saved));
}

}  // namespace brokkr
