// Formats numbers. Values that are not finite become "inf", "-inf" or "nan".
#pragma once

#include <string>

namespace brokkr {

std::string fixed(double value, int decimals);  // "12.34"
// At most `digits` significant digits: "12.3", "0.04" and "1e-06".
std::string significant(double value, int digits);
std::string shortest(float value);  // that reads back to the same number

}  // namespace brokkr
