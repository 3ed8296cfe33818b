// Words and numbers of text formats, one after another.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace brokkr {

class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : rest_(text) {}

  // The next word between white space; empty at the end.
  std::string_view word() {
    const size_t begin = rest_.find_first_not_of(kSpace);
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
    const std::string_view word = rest_.substr(0, rest_.find_first_of(kSpace));
    rest_.remove_prefix(word.size());
    return word;
  }

  // What remains of the line, without its end.
  std::string_view line() {
    std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(line.size() + (line.size() < rest_.size() ? 1 : 0));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  // The next word as a number; nothing where it is none. Numbers beyond the type's range are none either.
  template <typename T>
  std::optional<T> number() {
    std::string_view text = word();
    if (text.starts_with('+')) text.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  std::string_view rest() const { return rest_; }

 private:
  static constexpr std::string_view kSpace = " \t\r\n\v\f";
  std::string_view rest_;
};

}  // namespace brokkr
