#include "shader/fold_lookups.h"

#include <algorithm>
#include <bit>

#include "shader/simplify.h"
#include "shader/textures.h"

namespace brokkr::shader {

namespace {

constexpr uint32_t kOneAsFloat = 0x3f800000;

uint16_t known_of(const SampledRecord& texture) {
  if (texture.kind != TextureKind::two) return 0;
  if (!texture.usual && !texture.nearest) return kKnownTwo;
  uint32_t known = kKnownTwo | (texture.usual ? kKnownUsual : kKnownNearest);
  if (texture.encoding == TexelEncoding::srgb8) known |= kKnownLight;
  for (uint32_t axis = 0; axis < 2; ++axis)
    known |= uint32_t(texture.wrap[axis] == TextureWrap::repeat) << (kKnownRepeat + axis);
  if (texture.levels > 1) known |= uint32_t(texture.mip) << kKnownMip;
  for (uint32_t c = 0; c < 4; ++c) known |= uint32_t(texture.channel[c] & 3) << (kKnownChannel + 2 * c);
  return uint16_t(known);
}

class LookupFolder {
 public:
  LookupFolder(Program& program, const std::vector<LookupFacts>& facts)
      : program_(program), builder_(program), facts_(facts) {}

  void run() {
    // Constant results become moves, which `fold` removes.
    std::vector<Instruction> old = std::move(program_.code);
    program_.code.clear();
    for (Instruction& one : old) {
      builder_.line = one.line;
      if (one.op == Op::sample) {
        take_sample(one);
      } else if (one.op == Op::detail && (one.extra & kDetailOfQuery) == 0 && !facts_of_lookup(one).has_details) {
        give(one.result[0], 0);
      } else {
        if (one.op == Op::detail && facts_of_lookup(one).is_read) one.known = facts_of_lookup(one).known & kKnownTwo;
        program_.code.push_back(one);
      }
    }
  }

 private:
  const LookupFacts& facts_of_lookup(const Instruction& one) const { return facts_[one.extra & kSamplerMask]; }

  void give(Id result, uint32_t bits) {
    const Kind kind = program_.value(result).kind;
    Instruction& made = builder_.emit_bare(Op::move, {builder_.constant(kind, bits)});
    made.results = 1;
    made.result[0] = result;
  }

  void take_sample(Instruction one) {
    const LookupFacts& facts = facts_of_lookup(one);
    const uint32_t unit = type_of_sample(one.extra) == SampledType::real ? kOneAsFloat : 1u;
    if (!facts.is_read) {
      for (size_t i = 0; i < one.results; ++i) give(one.result[i], i == 3 ? unit : 0);
      return;
    }
    const bool gathers = (one.extra & kSampleGather) != 0, fetches = (one.extra & kSampleFetch) != 0;
    const bool compares = (one.extra & kSampleCompare) != 0;
    const TextureKind kind = kind_of_sample(one.extra);
    const size_t level = size_t(coordinates_of(kind)) + (compares ? 1 : 0);
    if (!gathers && !fetches && !facts.has_details) one.operand[level] = builder_.number(0);
    if (has_changes(one.extra) && !facts.is_ellipse)
      std::fill(one.operand.begin() + one.operands - 4, one.operand.begin() + one.operands, builder_.number(0));
    const bool ellipse = facts.is_ellipse && has_changes(one.extra);
    one.known = gathers || fetches || compares || ellipse || has_offset(one.extra) ? 0 : facts.known;
    const std::array<Id, kMostResults> results = one.result;
    if (!gathers && !compares) {
      // Nothing reads the lookup's own results for these channels.
      for (size_t i = 0; i < one.results; ++i) {
        if (((facts.zeros | facts.ones) >> i & 1) == 0) continue;
        one.result[i] = builder_.make(program_.value(results[i]).kind, Role::temporary);
      }
    }
    program_.code.push_back(one);
    for (size_t i = 0; i < one.results; ++i) {
      if (one.result[i] != results[i]) give(results[i], (facts.ones >> i & 1) != 0 ? unit : 0);
    }
  }

  Program& program_;
  Builder builder_;
  const std::vector<LookupFacts>& facts_;
};

}  // namespace

LookupFacts facts_of(const SamplerInput& sampler, const SampledRecord* texture) {
  LookupFacts facts;
  if (texture == nullptr || !misfit(sampler, *texture).empty()) return facts;
  facts.is_read = true;
  facts.has_details = texture->has_details;
  facts.is_ellipse = texture->anisotropic;
  for (uint32_t c = 0; c < 4; ++c) {
    facts.zeros |= uint8_t(uint32_t(texture->channel[c] == kChannelZero) << c);
    facts.ones |= uint8_t(uint32_t(texture->channel[c] == kChannelOne) << c);
  }
  facts.known = known_of(*texture);
  return facts;
}

void fold_lookups(Program& program, const std::vector<LookupFacts>& facts, const ShaderKernel& kernel) {
  LookupFolder(program, facts).run();
  fold(program, {}, kernel);
  sweep(program);
}

}  // namespace brokkr::shader
