// Whether a draw's fragments can be discarded at all, by interval arithmetic: an alpha test does nothing to a texture
// that is opaque, and a draw that discards nothing needs no shading before its depth.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "shader/program.h"

namespace brokkr::shader {

// What a number of a draw can be: low <= number <= high, or no number.
struct Range {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  bool nan = true;
  bool operator==(const Range&) const = default;
};

// What is known of a draw. What is missing at the end of a list can be anything.
struct DrawFacts {
  std::span<const uint32_t> uniforms;          // bits, by uniform word
  std::vector<Range> inputs;                   // by input word, of all fragments
  std::vector<std::array<Range, 4>> samplers;  // by sampler: of the texels that filters mix, as a lookup gives them
};

// False where no fragment of such a draw can be discarded. `range`, if not null, becomes what the output word
// `output_word` can be.
bool may_discard(const Program& program, const DrawFacts& facts, uint32_t output_word = ~0u, Range* range = nullptr);

// The program of draws for which may_discard is false.
void leave_out_discards(Program& program);

}  // namespace brokkr::shader
