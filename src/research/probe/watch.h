// Observes a drawing in progress: its film, and the pixels that its slow fragments delay.
#pragma once

#include <cstdint>
#include <vector>

#include "probe/film.h"

namespace brokkr::probe {

struct Watched {
  Film film;
  Film undisturbed;              // the same drawing without slow fragments; empty if it has none
  std::vector<glm::ivec2> slow;  // slow pixels that were drawn
  Stall stall;                   // when all wait for the first of them; empty if there are none

  // The fraction (0 .. 1) of the film's fragments at which all wait; 0: never.
  double stall_part() const;
  // The first fraction `part` of the film's fragments. Delayed pixels are red until the first slow one is written.
  std::vector<uint32_t> picture(double part) const;
};

// Draws it, and again without slow fragments if it has any. Throws as the subject does.
Watched watch(Subject& subject, const Drawing& drawing);

}  // namespace brokkr::probe
