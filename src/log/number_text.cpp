#include "log/number_text.h"

#include <algorithm>
#include <cstdio>

namespace brokkr {
namespace {

std::string printed(const char* format, int precision, double value) {
  const int length = std::snprintf(nullptr, 0, format, precision, value);
  std::string text(static_cast<size_t>(std::max(0, length)), '\0');
  std::snprintf(text.data(), text.size() + 1, format, precision, value);
  return text;
}

}  // namespace

std::string fixed(double value, int decimals) { return printed("%.*f", decimals, value); }

std::string significant(double value, int digits) { return printed("%.*g", digits, value); }

}  // namespace brokkr
