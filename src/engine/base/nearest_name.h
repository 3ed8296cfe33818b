// Finds the name that a user probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brokkr {

// The name of `known` with the fewest edits from `text` (a letter inserted, left out or exchanged, or two letters
// swapped); the first if several are equal. Empty if that takes edits of more than a third of the letters, because it
// is then another word.
std::string nearest_name(std::string_view text, const std::vector<std::string>& known);

// " (did you mean 'hilbert'?)", or an empty text.
std::string did_you_mean(std::string_view text, const std::vector<std::string>& known);

// For names that only a file tells: " (did you mean 'tint'?)", otherwise " (known: tint, speed and 3 more)", or "
// (there are none)".
std::string meant_or_known(std::string_view text, const std::vector<std::string>& known);

}  // namespace brokkr
