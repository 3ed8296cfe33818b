#include "log/number_text.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

namespace brokkr {

std::string fixed(double value, int decimals) { return fmt::format("{:.{}f}", value, decimals); }

std::string significant(double value, int digits) { return fmt::format("{:.{}g}", value, digits); }

std::string shortest(float value) {
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), value);
  return {std::begin(text), end.ptr};
}

}  // namespace brokkr
