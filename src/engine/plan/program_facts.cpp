#include "plan/program_facts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "shader/program_tables.h"

namespace brokkr {
namespace {

using shader::Range;

constexpr Range kZero{0, 0, false}, kOne{1, 1, false}, kUnit{0, 1, false};

Range hull(const Range& range, float v) {
  if (!std::isfinite(v)) return {};
  return {std::min(range.low, v), std::max(range.high, v), range.nan};
}
Range hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.nan || b.nan};
}
// Widens a range by the rounding errors of interpolation and filters.
Range widened(Range range) {
  const float margin = 1e-4f * std::max(std::abs(range.low), std::abs(range.high));
  range.low -= margin;
  range.high += margin;
  return range;
}

// The ranges of the channels as they are stored.
TexelRanges::Channels stored_ranges(const SampledRecord& record, const uint32_t* texels, ProofWork& work) {
  if (record.type != SampledType::real) return {};
  switch (record.encoding) {
    case TexelEncoding::rgba8:
    case TexelEncoding::srgb8: break;
    case TexelEncoding::rgb10_a2:
    case TexelEncoding::rgb565:
    case TexelEncoding::rgb5_a1:
    case TexelEncoding::rgba4:
    case TexelEncoding::rgba16: return {kUnit, kUnit, kUnit, kUnit};
    default: return {};
  }
  uint32_t all = ~0u, any = 0;  // bits: each channel of each texel lies between the two
  for (uint32_t level = 0; level < record.levels; ++level) {
    const auto side = [&](uint32_t size) { return uint64_t(std::max(size >> level, 1u)); };
    const uint64_t height = shader::axes_of(record.kind) == 1 ? 1 : side(record.height);
    const uint64_t depth = record.kind == TextureKind::three ? side(record.depth) : record.depth;
    const std::span of_level(texels + record.first[level], side(record.width) * height * depth);
    if (!work.take(of_level.size())) return {};
    for (const uint32_t texel : of_level) all &= texel, any |= texel;
  }
  TexelRanges::Channels ranges;
  for (size_t c = 0; c < 4; ++c) {
    const auto number = [&](uint32_t word) { return float(word >> (8 * c) & 255u) / 255.0f; };
    const bool is_light = record.encoding == TexelEncoding::srgb8 && c < 3;
    ranges[c] = is_light ? kUnit : Range{number(all), number(any), false};
  }
  return ranges;
}

// The ranges of the filtered values that the sampler returns.
TexelRanges::Channels ranges_of(const SampledRecord& record, const uint32_t* texels, ProofWork& work) {
  TexelRanges::Channels stored = stored_ranges(record, texels, work);
  const auto shows_border = [](TextureWrap wrap) {
    return wrap == TextureWrap::clamp || wrap == TextureWrap::clamp_to_border;
  };
  if (std::any_of(std::begin(record.wrap), std::end(record.wrap), shows_border)) {
    for (size_t c = 0; c < 4; ++c) stored[c] = hull(stored[c], std::bit_cast<float>(record.border[c]));
  }
  TexelRanges::Channels ranges;
  for (size_t c = 0; c < 4; ++c) {
    const uint8_t channel = record.channel[c];
    ranges[c] = channel == kChannelZero ? kZero : channel == kChannelOne ? kOne : widened(stored[channel]);
  }
  return ranges;
}

// The range of one component of the varyings of `vertices` vertices.
Range varying_range(const Frame& frame, uint64_t first, uint64_t stride, uint64_t vertices, ProofWork& work) {
  if (vertices == 0 || !work.take(vertices)) return {};
  Range range{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), false};
  for (uint64_t v = 0; v < vertices; ++v) {
    range = hull(range, frame.varyings[first + v * stride]);
    if (range == Range{}) return range;
  }
  return widened(range);
}

bool always_passes(const AlphaTest& test, const Range& alpha) {
  if (test.func == CompareFunc::always) return true;
  if (alpha.nan) return false;
  switch (test.func) {
    case CompareFunc::less: return alpha.high < test.ref;
    case CompareFunc::lequal: return alpha.high <= test.ref;
    case CompareFunc::greater: return alpha.low > test.ref;
    case CompareFunc::gequal: return alpha.low >= test.ref;
    case CompareFunc::notequal: return alpha.low > test.ref || alpha.high < test.ref;
    case CompareFunc::equal: return alpha.low == test.ref && alpha.high == test.ref;
    default: return false;
  }
}

}  // namespace

const TexelRanges::Channels& TexelRanges::get(const Frame& frame, const shader::SampledTextures& textures,
                                              const BoundTexture& bound, ProofWork& work) {
  static const Channels kUnknown{};
  const int32_t number = textures.record_of(bound);
  if (number < 0 || !frame.captured_textures[size_t(bound.texture)].images.empty()) return kUnknown;
  const auto [place, is_new] = of_record_.try_emplace(number);
  if (is_new) place->second = ranges_of(textures.records[size_t(number)], textures.texels.data(), work);
  return place->second;
}

DrawDiscards::DrawDiscards(const Frame& frame, const DrawCommand& draw, const shader::CapturedProgram& program,
                           uint32_t alpha_word, ProofWork& work)
    : alpha_test_(frame.states[draw.state].alpha_test.value_or(AlphaTest{CompareFunc::always, 0})),
      alpha_word_(alpha_word),
      first_varying_(frame.inputs[size_t(draw.inputs)].first_varying),
      stride_(varying_components(frame.programs[frame.inputs[size_t(draw.inputs)].program])),
      vertices_(uint64_t(draw.vertex_count) * draw.instances),
      replaces_(frame.states[draw.state].coord_replace != 0) {
  read_varyings(frame, program, work);
}

void DrawDiscards::read_varyings(const Frame& frame, const shader::CapturedProgram& program, ProofWork& work) {
  facts_.inputs.clear();
  for (const shader::InputWord& word : program.inputs) {
    Range range;
    if (word.kind == shader::InputKind::varying && !replaces_) {
      const auto range_of = [&](uint32_t component) {
        return varying_range(frame, first_varying_ + component, stride_, vertices_, work);
      };
      range = word.component == shader::kNoPlace ? kZero : range_of(word.component);
      if (word.back != shader::kNoPlace) range = hull(range, range_of(word.back));
    }
    facts_.inputs.push_back(range);
  }
}

void DrawDiscards::forget_varyings() { std::fill(facts_.inputs.begin(), facts_.inputs.end(), Range{}); }

void DrawDiscards::add_textures(const Frame& frame, const DrawInputs& inputs, const shader::CapturedProgram& program,
                                const shader::SampledTextures& textures, TexelRanges& ranges, ProofWork& work) {
  for (size_t i = 0; i < program.textures.size(); ++i) {
    const uint32_t texture = program.textures[i];
    const BoundTexture bound = texture < inputs.textures.size() ? inputs.textures[texture] : BoundTexture{};
    const int32_t number = textures.record_of(bound);
    const bool reads = number >= 0 && misfit(program.program.samplers[i], textures.records[size_t(number)]).empty();
    facts_.samplers.push_back(reads ? ranges.get(frame, textures, bound, work)
                                    : TexelRanges::Channels{kZero, kZero, kZero, kOne});
  }
}

DrawDiscards::Possible DrawDiscards::possible(const shader::CapturedProgram& program,
                                              std::span<const uint32_t> uniforms) {
  facts_.uniforms = uniforms;
  Range alpha = alpha_word_ == kNoOutput ? kOne : Range{};
  const bool by_program = shader::may_discard(program.program, facts_, alpha_word_, &alpha);
  return {by_program, !always_passes(alpha_test_, alpha)};
}

uint64_t DrawDiscards::work_of(const shader::CapturedProgram& program) {
  uint64_t work = 0;
  for (const shader::Instruction& one : program.program.code)
    work += ProofWork::kInstruction + (one.op == shader::Op::set_element ? one.extra : 0);
  return work;
}

}  // namespace brokkr
