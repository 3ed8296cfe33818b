// Numbers of things in the words of messages.
#pragma once

#include <cstdint>
#include <string>

namespace brokkr {

// "1 234 567".
inline std::string grouped(uint64_t value) {
  std::string text = std::to_string(value);
  for (size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, " ");
  return text;
}

// "1 draw", "1 234 draws"; `things`: a plural that does not end in s.
inline std::string counted(uint64_t count, const std::string& thing, const std::string& things) {
  return grouped(count) + " " + (count == 1 ? thing : things);
}
inline std::string counted(uint64_t count, const std::string& thing) { return counted(count, thing, thing + "s"); }

}  // namespace brokkr
