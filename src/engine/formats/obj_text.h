// Lines and words of OBJ and MTL files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace brokkr {

class ObjLines {
 public:
  // `text` must stay. A byte order mark is no part of its first line.
  explicit ObjLines(std::string_view text);

  // Goes to the next line; false at the end. Lines end with \n, \r\n or \r; a backslash at the end joins a line and the
  // next one with a blank, except in comments. Throws LimitReached for lines of more than 1 MiB.
  bool next();
  // Without its end and the blanks around it. It lasts until the next call of next().
  std::string_view line() const { return line_; }
  // From 1; of joined lines the first one's.
  uint64_t number() const { return number_; }
  size_t bytes_left() const { return rest_.size(); }

 private:
  std::string_view take_line();

  std::string_view rest_, line_;
  std::string joined_;
  uint64_t number_ = 0, next_number_ = 1;
};

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

std::string_view trimmed(std::string_view text);

// Takes the next word, between blanks, off `rest`; empty at the end.
std::string_view take_word(std::string_view& rest);

// `text` up to a # at its begin or behind a blank, without blanks around it.
std::string_view without_comment(std::string_view text);

// A whole word as a number; false where it is none. Numbers beyond float's range are infinite, those below it 0.
bool parse_number(std::string_view word, float& value);

}  // namespace brokkr
