// Decides by interval arithmetic whether a draw's fragments can be discarded at all. An alpha test never rejects an
// opaque texture, and a draw that discards nothing can update depth before it is shaded.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "shader/program.h"

namespace brokkr::shader {

// The possible values of a number: low <= number <= high, or NaN.
struct Range {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  bool nan = true;
  bool operator==(const Range&) const = default;
};

// The known facts about a draw. Entries missing at the end of a list can have any value.
struct DrawFacts {
  std::span<const uint32_t> uniforms;          // bits, by uniform word
  std::vector<Range> inputs;                   // by input word, of all fragments
  std::vector<std::array<Range, 4>> samplers;  // by sampler: ranges of the decoded texels that filters mix
};

// Returns false if no fragment of such a draw can be discarded. `range`, if not null, receives the possible values of
// output word `output_word`.
bool may_discard(const Program& program, const DrawFacts& facts, uint32_t output_word = ~0u, Range* range = nullptr);

// Removes discards from a program, for draws for which may_discard is false.
void leave_out_discards(Program& program);

}  // namespace brokkr::shader
