// Widgets for the options of a frame, made from their table: the viewer has every option of `brokkr render`, by the
// same name, within the same limits, with the same help.
#pragma once

#include <iterator>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

// Draws the widgets of all options that are about scheduling, or of all others, without those that the present policy
// or machine ignores. The widgets edit the next frame's options.
void draw_options(ViewerState& state, bool scheduling);

// Sets the next (step 1) or previous (-1) choice, around the end. Returns its name.
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
// A saved pattern is followed by the first kind, and preceded by the last one.
inline const char* step_choice(PatternChoice& value, int step) {
  const auto* const kind = std::get_if<PatternKind>(&value);
  const auto& all = Choices<PatternKind>::all;
  PatternKind next = kind != nullptr ? *kind : step > 0 ? std::rbegin(all)->value : all[0].value;
  const char* const name = step_choice(next, step);
  value = next;
  return name;
}

// All kinds, and `saved` where it is not null; the choices point into it.
std::vector<Choice<PatternChoice>> pattern_choices(const SavedPatternPointer& saved);

// A list to choose one of pattern_choices from. Returns whether the user chose another.
bool draw_pattern_list(const char* label, const SavedPatternPointer& saved, PatternChoice& value);

}  // namespace brokkr::viewer
