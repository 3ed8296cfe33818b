// Specializes a copy of a program for a draw's textures and samplers: constant channels become constants, unused levels
// of detail go, and lookups of usual textures take a short path.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "shader/call.h"
#include "shader/program.h"

namespace brokkr::shader {

// The facts about one sampler's texture that programs are specialized for.
struct LookupFacts {
  bool is_read = false;      // a texture of the sampler's kind and type is bound; otherwise lookups return (0, 0, 0, 1)
  bool has_details = false;  // SampledRecord::has_details
  bool is_ellipse = false;   // SampledRecord::anisotropic
  uint8_t zeros = 0, ones = 0;  // channels that are 0 or 1 for any texels; bit 0 is red
  uint16_t known = 0;           // KnownBit
  auto operator<=>(const LookupFacts&) const = default;
};
// `texture`: null for none.
LookupFacts facts_of(const SamplerInput& sampler, const SampledRecord* texture);

// `facts`: by sampler. `kernel` evaluates what then depends on constants alone, and unneeded instructions are removed.
// For such textures, results equal those of the original program to the bit.
void fold_lookups(Program& program, const std::vector<LookupFacts>& facts, const ShaderKernel& kernel);

}  // namespace brokkr::shader
