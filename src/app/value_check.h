// Checks of option values against their description.
#pragma once

#include <string>

#include "app/command.h"

namespace brokkr::app {

// Empty where `value` is valid for `option`, otherwise one line that says which values are.
std::string check_value(const Option& option, const std::string& value);

}  // namespace brokkr::app
