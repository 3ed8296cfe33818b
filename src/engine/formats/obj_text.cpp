#include "formats/obj.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "base/failure.h"
#include "base/text_scanner.h"

namespace brokkr {
namespace {

constexpr size_t kMaxLine = size_t(1) << 20;

[[noreturn]] void refuse_line(uint64_t number) {
  fail_limit("field 'line {}': it has more than 1048576 bytes; export the file again", number);
}

}  // namespace

ObjLines::ObjLines(std::string_view text) : rest_(without_mark(text)) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    fail("field 'file': its text is UTF-16; save it as UTF-8");
  }
}

std::string_view ObjLines::take_line() {
  const void* const end = std::memchr(rest_.data(), '\n', rest_.size());
  size_t size = end == nullptr ? rest_.size() : size_t(static_cast<const char*>(end) - rest_.data());
  const void* const carriage = std::memchr(rest_.data(), '\r', size);
  if (carriage != nullptr) size = size_t(static_cast<const char*>(carriage) - rest_.data());
  if (size > kMaxLine) refuse_line(next_number_);
  const std::string_view line = rest_.substr(0, size);
  rest_.remove_prefix(size);
  rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : rest_.empty() ? 0 : 1);
  next_number_++;
  return line;
}

bool ObjLines::next() {
  if (rest_.empty()) return false;
  number_ = next_number_;
  line_ = trimmed(take_line());
  if (line_.empty() || line_.back() != '\\' || line_.front() == '#') return true;
  joined_.assign(line_);
  while (!joined_.empty() && joined_.back() == '\\') {
    joined_.back() = ' ';
    if (rest_.empty()) break;
    joined_ += trimmed(take_line());
    if (joined_.size() > kMaxLine) refuse_line(number_);
  }
  line_ = trimmed(joined_);
  return true;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view take_word(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  size_t size = 0;
  while (size < rest.size() && !is_blank(rest[size])) size++;
  const std::string_view word = rest.substr(0, size);
  rest.remove_prefix(size);
  return word;
}

std::string_view without_comment(std::string_view text) {
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == '#' && (i == 0 || is_blank(text[i - 1]))) return trimmed(text.substr(0, i));
  }
  return trimmed(text);
}

bool parse_number(std::string_view word, float& value) {
  const size_t first = word.starts_with('-') || word.starts_with('+') ? 1 : 0;
  if (first == word.size()) return false;
  const bool is_digit = word[first] >= '0' && word[first] <= '9';
  if (!is_digit && word[first] != '.') return false;  // from_chars would accept "inf" and "nan"
  const auto number = TextScanner(word).number<double>();
  if (!number) return false;
  value = float(*number);
  return true;
}

namespace {

std::string lower(std::string_view word) {
  std::string result(word);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return result;
}

std::string_view unquoted(std::string_view name) {
  const bool quoted = name.size() > 1 && name.front() == '"' && name.back() == '"';
  return quoted ? name.substr(1, name.size() - 2) : name;
}

// Makes a value usable for lighting: not negative.
float to_light(float value) { return value > 0 ? std::min(value, 1e6f) : 0.0f; }

class MtlReader {
 public:
  MtlReader(std::string_view text, std::string_view name, std::vector<ObjMaterial>& materials, Loading& loading)
      : lines_(text), name_(name), materials_(materials), loading_(loading) {}

  void read() {
    while (lines_.next()) {
      loading_.step();
      std::string_view rest = lines_.line();
      if (rest.empty() || rest.front() == '#') continue;
      const std::string word = lower(take_word(rest));
      rest = trimmed(rest);
      if (word == "newmtl") {
        finish();
        begin(rest);
      } else if (!has_material_) {
        warn("before newmtl", "{}: '{}' precedes the first newmtl; left out", place(), word.substr(0, 40));
      } else {
        statement(word, rest);
      }
    }
    finish();
  }

 private:
  std::string place() const { return fmt::format("{}, line {}", name_, lines_.number()); }
  template <typename... Values>
  void warn(std::string_view kind, fmt::format_string<Values...> text, Values&&... values) {
    loading_.warn(std::string(name_) + " " + std::string(kind), text, std::forward<Values>(values)...);
  }
  ObjMaterial& current() { return materials_.back(); }

  void begin(std::string_view name) {
    constexpr uint64_t kGrowth = 3;
    loading_.check(kGrowth * sizeof(ObjMaterial) * (materials_.size() + 1), "newmtl");
    has_material_ = true;
    has_diffuse_ = has_shine_ = has_gloss_ = has_roughness_ = false;
    opacity_.reset();
    transparency_.reset();
    ObjMaterial& added = materials_.emplace_back();
    added.material.name = name;
    added.material.shininess = 1;
    if (const std::string_view plain = without_comment(name); plain != name) added.alias = plain;
  }

  void statement(const std::string& word, std::string_view rest) {
    Material& material = current().material;
    if (word == "kd") {
      has_diffuse_ |= read_color(word, rest, material.diffuse);
    } else if (word == "ks") {
      has_shine_ |= read_color(word, rest, material.specular);
    } else if (word == "ke") {
      has_shine_ |= read_color(word, rest, material.emission);
    } else if (word == "ns") {
      if (const auto value = number(word, rest)) material.shininess = *value >= 1 ? std::min(*value, 1e4f) : 1.0f;
      has_gloss_ = true;
    } else if (word == "d") {
      if (rest.starts_with("-halo")) take_word(rest);  // opacity by angle: we use the opacity towards the eye
      opacity_ = number(word, rest);
    } else if (word == "tr") {
      transparency_ = number(word, rest);
    } else if (word == "pr" || word == "pm") {
      const auto value = number(word, rest);
      if (!value) return;
      (word == "pr" ? material.roughness : material.metallic) = std::clamp(*value, 0.0f, 1.0f);
      material.kind = MaterialKind::metallic_roughness;
      has_roughness_ |= word == "pr";
    } else if (word == "tf") {
      glm::vec3 filter(1);
      if (read_color(word, rest, filter) && filter != glm::vec3(1)) left_out(word);
    } else if (word == "ps" || word == "pc" || word == "pcr" || word == "aniso" || word == "anisor") {
      if (number(word, rest).value_or(0) != 0) left_out(word);
      // of lights that we do not have
    } else if (word != "ka" && word != "ni" && word != "illum" && word != "sharpness") {
      map_statement(word, rest);
    }
  }

  void left_out(const std::string& word) { warn(word, "{}: '{}' is not drawn", place(), word.substr(0, 40)); }

  void map_statement(const std::string& word, std::string_view rest) {
    ObjMaterial& m = current();
    const std::pair<const char*, ObjMap*> known[] = {{"map_kd", &m.diffuse},       {"map_d", &m.alpha},
                                                     {"map_ke", &m.emission},      {"map_emissive", &m.emission},
                                                     {"map_bump", &m.normal},      {"bump", &m.normal},
                                                     {"norm", &m.normal},          {"map_norm", &m.normal},
                                                     {"map_kn", &m.normal},        {"map_pr", &m.roughness},
                                                     {"map_pm", &m.metallic},      {"map_orm", &m.packed},
                                                     {"map_normal", &m.normal},    {"map_roughness", &m.roughness},
                                                     {"map_metallic", &m.metallic}};
    const auto* found = std::ranges::find_if(known, [&](const auto& one) { return one.first == word; });
    if (found == std::end(known)) {
      // map_Ka mostly repeats map_Kd, and ambient light has the diffuse colour here. finish() compares both.
      if (word != "map_ka") return left_out(word);
      ambient_ = read_map(rest);
      return;
    }
    ObjMap map = read_map(rest);
    if (map.file.empty())
      return warn(word + " name", "{}: '{}' does not name a picture; drawn without it", place(), word);
    // norm is better than bump, whichever comes first.
    if (!found->second->file.empty() && word.find("bump") != std::string::npos) return;
    *found->second = std::move(map);
  }

  // Options and a name, which may have blanks. Some writers put options behind the name.
  ObjMap read_map(std::string_view rest) {
    ObjMap map;
    map.place = place();
    rest = read_options(rest, true, map);
    for (size_t option = rest.find(" -"); option != std::string_view::npos; option = rest.find(" -", option + 1)) {
      ObjMap all = map;
      if (!read_options(without_comment(rest.substr(option)), false, all).empty()) continue;
      map = all;
      rest = trimmed(rest.substr(0, option));
      break;
    }
    map.file = unquoted(rest);
    map.short_file = unquoted(without_comment(rest));
    return map;
  }

  // Returns the rest behind all options. `before_name`: a name follows.
  std::string_view read_options(std::string_view rest, bool before_name, ObjMap& map) {
    rest = trimmed(rest);
    while (rest.size() > 1 && rest.front() == '-' && std::isalpha(static_cast<unsigned char>(rest[1]))) {
      std::string_view after = rest;
      const std::string option = lower(take_word(after));
      if (!read_option(option, before_name, after, map)) break;  // a name that begins with -
      rest = trimmed(after);
    }
    return rest;
  }

  bool read_option(const std::string& option, bool before_name, std::string_view& rest, ObjMap& map) {
    const auto take_numbers = [before_name](std::string_view& text, std::span<float> into) {
      return take_some_numbers(text, into, before_name);
    };
    std::array<float, 3> values{};
    if (option == "-o" || option == "-s") {
      const bool is_scale = option == "-s";
      const size_t count = take_numbers(rest, values);
      for (size_t i = 0; i < std::min<size_t>(count, 2); i++) (is_scale ? map.scale : map.offset)[int(i)] = values[i];
      for (int i = 0; i < 2; i++) {
        if (std::abs(map.scale[i]) < 1e-6f || !std::isfinite(map.scale[i])) map.scale[i] = 1;
        if (!(std::abs(map.offset[i]) < 1e6f)) map.offset[i] = 0;
      }
    } else if (option == "-mm") {
      const size_t count = take_numbers(rest, std::span(values).first(2));
      if (count > 0) map.base = values[0];
      if (count > 1) map.gain = values[1];
    } else if (option == "-bm") {
      if (take_numbers(rest, std::span(values).first(1)) > 0) map.bump = std::clamp(values[0], -1e3f, 1e3f);
    } else if (option == "-clamp") {
      map.clamped = lower(take_word(rest)) == "on";
    } else if (option == "-t") {
      const size_t count = take_numbers(rest, values);
      if (std::any_of(values.begin(), values.begin() + std::ptrdiff_t(count), [](float v) { return v != 0; }))
        left_out("option " + option);
    } else if (option == "-texres" || option == "-boost") {
      take_numbers(rest, std::span(values).first(1));
    } else if (option == "-blendu" || option == "-blendv" || option == "-cc" || option == "-imfchan" ||
               option == "-type" || option == "-colorspace") {
      const std::string value = lower(take_word(rest));
      const bool is_usual = option == "-cc" ? value == "off" : option.starts_with("-blend") ? value == "on" : false;
      if (!is_usual) left_out("option " + option);
    } else {
      return false;
    }
    return true;
  }

  // Up to as many numbers as `values` has; before a name, a last word is that name, be it a number.
  static size_t take_some_numbers(std::string_view& rest, std::span<float> values, bool before_name) {
    size_t count = 0;
    for (; count < values.size(); count++) {
      std::string_view after = rest;
      float value = 0;
      if (!parse_number(take_word(after), value) || (before_name && trimmed(after).empty())) break;
      values[count] = value;
      rest = after;
    }
    return count;
  }

  std::optional<float> number(std::string_view word, std::string_view rest) {
    float value = 0;
    if (parse_number(take_word(rest), value) && std::isfinite(value)) return value;
    warn(fmt::format("{} number", word), "{}: '{}' has no number; left out", place(), word);
    return std::nullopt;
  }

  // One number stands for all three. If there are two, the second is also the third.
  bool read_color(std::string_view word, std::string_view rest, glm::vec3& color) {
    std::array<float, 3> values{};
    size_t count = 0;
    rest = without_comment(rest);
    for (float value = 0; count < 3 && parse_number(take_word(rest), value); count++) values[count] = value;
    if (count == 0 || std::any_of(values.begin(), values.end(), [](float v) { return !std::isfinite(v); })) {
      warn(fmt::format("{} color", word), "{}: '{}' is not red, green and blue; left out", place(), word);
      return false;
    }
    if (count < 3) values[2] = count == 1 ? values[0] : values[1];
    if (count == 1) values[1] = values[0];
    color = {to_light(values[0]), to_light(values[1]), to_light(values[2])};
    return true;
  }

  // Combines several statements.
  void finish() {
    if (!has_material_) return;
    ObjMaterial& source = current();
    Material& m = source.material;
    const bool is_pictured = !source.diffuse.file.empty();
    if (!ambient_.file.empty() && ambient_.file != source.diffuse.file)
      warn("map_ka", "{}: 'map_ka' is not drawn", ambient_.place);
    if (is_pictured && (!has_diffuse_ || m.diffuse == glm::vec3(0))) {
      m.diffuse = glm::vec3(1);  // the picture's own colours
      source.is_picture_alone = true;
    } else if (!has_diffuse_ && has_shine_) {
      m.diffuse = glm::vec3(0);
    }
    finish_opacity(m);
    const bool is_physical = !source.emission.file.empty() || !source.normal.file.empty() ||
                             !source.roughness.file.empty() || !source.metallic.file.empty() ||
                             !source.packed.file.empty();
    if (is_physical) m.kind = MaterialKind::metallic_roughness;
    // A lobe of exponent n is about as wide as one with roughness^4 = 2 / (n + 2) [Walter07, 5.2].
    if (!has_roughness_ && has_gloss_ && m.specular != glm::vec3(0))
      m.roughness = std::pow(2.0f / (m.shininess + 2.0f), 0.25f);
    if (!source.roughness.file.empty() || !source.packed.file.empty()) m.roughness = 1;
    if (!source.emission.file.empty() && m.emission == glm::vec3(0)) m.emission = glm::vec3(1);
    if (!source.metallic.file.empty() && m.metallic == 0) m.metallic = 1;
    if (!source.packed.file.empty() && m.metallic == 0) m.metallic = 1;
  }

  void finish_opacity(Material& m) {
    if (opacity_) {
      m.opacity = std::clamp(*opacity_, 0.0f, 1.0f);
      if (m.opacity == 0) warn("invisible", "{}: material '{}' is invisible (d 0)", name_, m.name.substr(0, 60));
    } else if (transparency_) {
      m.opacity = std::clamp(1 - *transparency_, 0.0f, 1.0f);
      if (m.opacity > 0) return;
      // Writers disagree on whether Tr is transparency or opacity.
      m.opacity = 1;
      warn("Tr", "{}: material '{}' would be invisible (Tr {}); drawn opaque", name_, m.name.substr(0, 60),
           *transparency_);
    }
  }

  ObjLines lines_;
  std::string_view name_;
  std::vector<ObjMaterial>& materials_;
  Loading& loading_;
  bool has_material_ = false, has_diffuse_ = false, has_shine_ = false, has_gloss_ = false, has_roughness_ = false;
  std::optional<float> opacity_, transparency_;
  ObjMap ambient_;  // map_Ka
};

}  // namespace

void read_mtl(std::string_view text, std::string_view name, std::vector<ObjMaterial>& materials, Loading& loading) {
  MtlReader(text, name, materials, loading).read();
}

}  // namespace brokkr
