// What a draw's textures and samplers say of its lookups, put into a copy of its program: channels that are constant,
// levels of detail that nothing depends on, and lookups that go by the short path of usual textures.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "shader/call.h"
#include "shader/program.h"

namespace brokkr::shader {

// What one sampler reads, as far as programs are made for it.
struct LookupFacts {
  bool is_read = false;         // there is a texture, of the sampler's kind and numbers; else it gives (0, 0, 0, 1)
  bool has_details = false;     // SampledRecord::has_details
  bool is_ellipse = false;      // SampledRecord::anisotropic
  uint8_t zeros = 0, ones = 0;  // channels that are 0 or 1 whatever the texels are: bit 0 of red
  uint16_t known = 0;           // KnownBit
  auto operator<=>(const LookupFacts&) const = default;
};
// `texture`: null for none.
LookupFacts facts_of(const SamplerInput& sampler, const SampledRecord* texture);

// `facts`: by sampler. What then depends on constants alone is computed by `kernel`; what nothing needs any more is
// left out. Results are those of the program as it was, to the bit, with such textures.
void fold_lookups(Program& program, const std::vector<LookupFacts>& facts, const ShaderKernel& kernel);

}  // namespace brokkr::shader
