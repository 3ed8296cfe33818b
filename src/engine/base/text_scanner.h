// Words and numbers of text formats, one after another.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>

namespace brokkr {

// Returns `text` without the UTF-8 byte order mark that some editors write before it.
inline std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : rest_(text) {}

  // The next word between white space; empty at the end.
  std::string_view word() {
    size_t begin = 0;
    while (begin < rest_.size() && is_space(rest_[begin])) begin++;
    size_t end = begin;
    while (end < rest_.size() && !is_space(rest_[end])) end++;
    const std::string_view word = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return word;
  }

  // The rest of the line, without its end: \n, \r\n or \r.
  std::string_view line() {
    const std::string_view line = rest_.substr(0, rest_.find_first_of("\r\n"));
    rest_.remove_prefix(line.size());
    rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : rest_.empty() ? 0 : 1);
    return line;
  }

  // The next word as a number; empty if it is not a number. Numbers above the type's range do not count as numbers;
  // those that are too small for the type are 0.
  template <typename T>
  std::optional<T> number() {
    std::string_view text = word();
    if (text.starts_with('+')) text.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || end != text.data() + text.size()) return std::nullopt;
    if (error == std::errc()) return value;
    if constexpr (std::is_floating_point_v<T>) {
      // std::from_chars reports both ends of the range in the same way. A long double usually tells them apart;
      // otherwise the exponent's sign does.
      long double wide = 0;
      const bool fits = std::from_chars(text.data(), text.data() + text.size(), wide).ec == std::errc();
      if (fits && std::abs(wide) < 1) return T(wide);
      const size_t exponent = text.find_first_of("eE");
      if (!fits && exponent + 1 < text.size() && text[exponent + 1] == '-') return T(0);
    }
    return std::nullopt;
  }

  std::string_view rest() const { return rest_; }

 private:
  // Blanks, tabs and the ends of lines: 9 to 13 in ASCII.
  static constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  std::string_view rest_;
};

}  // namespace brokkr
