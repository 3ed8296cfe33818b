#include "formats/obj_text.h"

#include <cstring>

#include "base/failure.h"
#include "base/text_scanner.h"

namespace brokkr {
namespace {

constexpr size_t kMostLine = size_t(1) << 20;

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
  if (size > kMostLine) refuse_line(next_number_);
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
    if (joined_.size() > kMostLine) refuse_line(number_);
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
  const char first = word.empty() ? 'x' : word[word[0] == '-' || word[0] == '+' ? 1 : 0];
  if (!(first >= '0' && first <= '9') && first != '.') return false;  // from_chars takes "inf" and "nan"
  const auto number = TextScanner(word).number<double>();
  if (!number) return false;
  value = float(*number);
  return true;
}

}  // namespace brokkr
