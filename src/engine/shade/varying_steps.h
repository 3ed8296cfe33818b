// The value of a varying between the corners of a primitive, in kernels and in compiled shaders.
#pragma once

#include "machine/machine.h"

BROKKR_MACHINE_BEGIN

// A component of a varying: its value at the first corner, and the steps from there to the other two. If the corners
// have the same value, so has every sample, to the bit.
struct VaryingSteps {
  Float first, second, third;

  VaryingSteps() = default;
  BROKKR_FN explicit VaryingSteps(const Float (&word)[3])
      : first(word[0]), second(word[1] - word[0]), third(word[2] - word[0]) {}
  // y, z: the sample's weights of the second and the third corner.
  BROKKR_FN Float at(Float y, Float z) const { return first + (second * y + third * z); }
};

BROKKR_MACHINE_END
