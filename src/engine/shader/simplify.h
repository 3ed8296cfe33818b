// Simplifies a program by known uniforms and constants, and removes what no output needs.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "shader/call.h"
#include "shader/captured.h"
#include "shader/program.h"

namespace brokkr::shader {

// Substitutes the uniform words of `given` (bits by word number). Evaluates instructions that then depend only on
// constants, with `kernel`, so results have the bits of a run. Removes code whose condition admits no lane: if a
// uniform disables an alpha test, no discard remains.
void fold(Program& program, const std::map<uint32_t, uint32_t>& given, const ShaderKernel& kernel);

// The same for input words that have one value at all samples of all draws of the program. Removes what is then
// unneeded.
void fold_inputs(Program& program, const std::map<uint32_t, uint32_t>& given, const ShaderKernel& kernel);

// Simplifies masks that are known to be full or empty, without substitution and evaluation.
void fold_masks(Program& program);

// Removes everything that neither outputs nor discards need.
void sweep(Program& program);

// Specializes a copy of a program for a draw's textures and samplers. Constant channels become constants, unused levels
// of detail are removed, and lookups of usual textures take a short path.

// The facts about one sampler's texture that programs are specialized for.
struct LookupFacts {
  bool is_read = false;      // a texture of the sampler's kind and type is bound; otherwise lookups return (0, 0, 0, 1)
  bool has_details = false;  // SampledRecord::has_details
  bool is_ellipse = false;   // SampledRecord::anisotropic
  uint8_t zeros = 0, ones = 0;  // channels that are 0 or 1 for any texels; bit 0 is red
  uint16_t known = 0;           // KnownBit
  uint16_t comparing = 0;       // the same for lookups that compare
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes <=> for 0
  auto operator<=>(const LookupFacts&) const = default;
};
// `texture`: null for none.
LookupFacts facts_of(const SamplerInput& sampler, const SampledRecord* texture);

// `facts`: by sampler. Evaluates instructions that then depend only on constants, with `kernel`, and removes unneeded
// instructions. For textures with these facts, results equal those of the original program to the bit.
void fold_lookups(Program& program, const std::vector<LookupFacts>& facts, const ShaderKernel& kernel);

// Makes a copy of a program for smooth lines, whose colours fade towards the edges of a line.

// The copy has four more inputs (InputKind::line), in pixels. Two are the sample's distance from the line's middle,
// across the line, and half the line's width plus a half. The other two are the same along the line. The alpha of its
// colours is multiplied by the sample's coverage, as in Mesa's software drivers.
CapturedProgram with_smooth_lines(const CapturedProgram& program);

// Decides by interval arithmetic whether any fragment of a draw can be discarded. An alpha test never rejects an opaque
// texture. A draw that discards nothing can update depth before it is shaded.

// The possible values of a number: low <= number <= high, or NaN.
struct Range {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  bool nan = true;
  bool operator==(const Range&) const = default;
};

// The known facts about a draw. If a list is too short, the missing entries can have any value.
struct DrawFacts {
  std::span<const uint32_t> uniforms;          // bits, by uniform word
  std::vector<Range> inputs;                   // by input word, over all fragments
  std::vector<std::array<Range, 4>> samplers;  // by sampler: ranges of the decoded texels that filters mix
};

// Returns false if no fragment of such a draw can be discarded. If `range` is not null, it receives the possible values
// of output word `output_word`.
bool may_discard(const Program& program, const DrawFacts& facts, uint32_t output_word = ~0u, Range* range = nullptr);

// Removes discards from a program. Use it for draws for which may_discard is false.
void leave_out_discards(Program& program);

}  // namespace brokkr::shader
