// A drawing watched while it comes about: its film, and what its slow fragments hold up.
#pragma once

#include <cstdint>
#include <vector>

#include "probe/film.h"

namespace brokkr::probe {

struct Watched {
  Film film;
  Film undisturbed;              // the same without slow fragments; empty where there are none
  std::vector<glm::ivec2> slow;  // that were drawn
  Stall stall;                   // when all wait for the first of them; of nothing where there are none

  // The part (0 .. 1) of the film's fragments at which all wait; 0: they never do.
  double stall_part() const;
  // The first `part` of the film's fragments. Until the first slow one is written, what it holds up is red.
  std::vector<uint32_t> picture(double part) const;
};

// Draws it, and where it has slow fragments once more without them. Throws as the subject does.
Watched watch(Subject& subject, const Drawing& drawing);

}  // namespace brokkr::probe
