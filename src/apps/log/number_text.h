// Numbers as text. What is not finite becomes "inf", "-inf" or "nan".
#pragma once

#include <string>

namespace brokkr {

std::string fixed(double value, int decimals);  // "12.34"
// At most `digits` significant digits, as in "12.3", "0.04" and "1e-06".
std::string significant(double value, int digits);
std::string shortest(float value);  // that reads back to the same number

}  // namespace brokkr
