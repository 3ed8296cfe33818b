#include "log/number_text.h"

#include <fmt/format.h>

namespace brokkr {

std::string fixed(double value, int decimals) { return fmt::format("{:.{}f}", value, decimals); }

std::string significant(double value, int digits) { return fmt::format("{:.{}g}", value, digits); }

}  // namespace brokkr
