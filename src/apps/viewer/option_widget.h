// Builds widgets for a frame's options from the option table: every option of `brokkr render`, with its name, limits
// and help.
#pragma once

#include <iterator>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

// Draws the widgets of all scheduling options, or of all others, except those that the current policy or machine
// ignores. The widgets edit the next frame's options.
void draw_options(ViewerState& state, bool scheduling);

// Sets the next (step 1) or previous (-1) choice, with wrap-around. Returns its name.
template <class E>
const char* step_choice(E& value, int step) {
  const auto& all = Choices<E>::all;
  const int count = int(std::size(all));
  int now = 0;
  while (now + 1 < count && all[now].value != value) ++now;
  const Choice<E>& next = all[(now + step + count) % count];
  value = next.value;
  return next.name;
}
// After a saved pattern comes the first kind, and before it the last one.
inline const char* step_choice(PatternChoice& value, int step) {
  const auto* const kind = std::get_if<PatternKind>(&value);
  const auto& all = Choices<PatternKind>::all;
  PatternKind next = kind != nullptr ? *kind : step > 0 ? std::rbegin(all)->value : all[0].value;
  const char* const name = step_choice(next, step);
  value = next;
  return name;
}

// All kinds, and `saved` if it is not null; the choices point to it.
std::vector<Choice<PatternChoice>> pattern_choices(const SavedPatternPointer& saved);

// A drop-down list of pattern_choices. Returns true if the user chose another pattern.
bool draw_pattern_list(const char* label, const SavedPatternPointer& saved, PatternChoice& value);

}  // namespace brokkr::viewer
