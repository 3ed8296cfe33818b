// What `brokkr render` and `brokkr ranks` are told of owners in the same words.
#pragma once

#include <vector>

#include "app/command.h"
#include "ranks/settings.h"

namespace brokkr::app {

// --rank-pattern and --rank-bin: which rank owns which square of pixels.
std::vector<Option> owner_options();

// Puts what they were given as into `settings`. Throws UsageError for a pattern that there is not.
void read_owner_options(const Arguments& arguments, ranks::RankSettings& settings);

}  // namespace brokkr::app
