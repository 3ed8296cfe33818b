// Which name a user meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brokkr {

// The name of `known` from which `text` is fewest letters away (inserted, left out, exchanged, or two swapped), the
// first of several. Empty where that is more than a third of the letters: then it is another word, no slip of the hand.
std::string nearest_name(std::string_view text, const std::vector<std::string>& known);

// " (did you mean 'hilbert'?)", or nothing.
std::string did_you_mean(std::string_view text, const std::vector<std::string>& known);

}  // namespace brokkr
