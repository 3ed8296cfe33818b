#include "oracle/fragment.h"

#include <algorithm>
#include <cmath>

namespace brokkr::oracle {
namespace {

float factor(BlendFactor f, int channel, const glm::vec4& src, const glm::vec4& dst, const glm::vec4& constant) {
  switch (f) {
    case BlendFactor::zero: return 0;
    case BlendFactor::one: return 1;
    // Without programs there is no second source; the first one replaces it.
    case BlendFactor::src1_color:
    case BlendFactor::src_color: return src[channel];
    case BlendFactor::one_minus_src1_color:
    case BlendFactor::one_minus_src_color: return 1 - src[channel];
    case BlendFactor::dst_color: return dst[channel];
    case BlendFactor::one_minus_dst_color: return 1 - dst[channel];
    case BlendFactor::src1_alpha:
    case BlendFactor::src_alpha: return src.w;
    case BlendFactor::one_minus_src1_alpha:
    case BlendFactor::one_minus_src_alpha: return 1 - src.w;
    case BlendFactor::dst_alpha: return dst.w;
    case BlendFactor::one_minus_dst_alpha: return 1 - dst.w;
    case BlendFactor::constant_color: return constant[channel];
    case BlendFactor::one_minus_constant_color: return 1 - constant[channel];
    case BlendFactor::constant_alpha: return constant.w;
    case BlendFactor::one_minus_constant_alpha: return 1 - constant.w;
    case BlendFactor::src_alpha_saturate: return channel == 3 ? 1 : std::min(src.w, 1 - dst.w);
  }
  return 0;
}

glm::vec4 clamp_unit(const glm::vec4& v) {
  return {std::clamp(v.x, 0.0f, 1.0f), std::clamp(v.y, 0.0f, 1.0f), std::clamp(v.z, 0.0f, 1.0f),
          std::clamp(v.w, 0.0f, 1.0f)};
}

enum class Verdict : uint8_t { fail, pass, unknown_fail, unknown_pass };

bool is_unknown(Verdict v) { return v == Verdict::unknown_fail || v == Verdict::unknown_pass; }
bool is_pass(Verdict v) { return v == Verdict::pass || v == Verdict::unknown_pass; }

Verdict verdict(bool passed, bool known) {
  if (known) return passed ? Verdict::pass : Verdict::fail;
  return passed ? Verdict::unknown_pass : Verdict::unknown_fail;
}

bool ignores_stored(CompareFunc func) { return func == CompareFunc::always || func == CompareFunc::never; }

Verdict stencil_test(const StencilState& state, const Pixel& pixel) {
  const int reference = state.ref & state.mask, stored = pixel.stencil & state.mask;
  const bool known = ignores_stored(state.func) || !(pixel.uncertain & kUncertainStencil);
  return verdict(passes(state.func, reference, stored), known);
}

Verdict depth_test(const DepthState& state, const Pixel& pixel, const Sample& sample) {
  bool known = ignores_stored(state.func);
  if (!known && !(pixel.uncertain & kUncertainDepth)) {
    // Equal depths are a tie on both sides if no clipping was involved or one triangle made both. Other depths must
    // differ by more than the slack.
    const float slack = pixel.depth_tolerance + sample.depth_tolerance;
    const bool tie =
        pixel.depth == sample.depth && (slack < std::ldexp(1.0f, -19) || pixel.depth_geometry == sample.geometry);
    known = slack == 0 || tie || std::fabs(pixel.depth - sample.depth) > slack;
  }
  return verdict(passes(state.func, sample.depth, pixel.depth), known);
}

// Writes `op` to the stencil. Returns false if the new value is as uncertain as the old one.
bool write_stencil(const StencilState& state, StencilOp op, Pixel& pixel) {
  const uint8_t result = stencil_result(op, pixel.stencil, state.ref);
  pixel.stencil = uint8_t((pixel.stencil & ~state.write_mask) | (result & state.write_mask));
  return (op == StencilOp::replace || op == StencilOp::zero) && state.write_mask == 0xff;
}

bool can_change(const StencilState& state) {
  return state.write_mask != 0 && (state.stencil_fail != StencilOp::keep || state.depth_fail != StencilOp::keep ||
                                   state.pass != StencilOp::keep);
}

// Written out operation by operation, as OpenGL's table has them.
uint8_t logic_result(LogicOp op, uint8_t s, uint8_t d) {
  const auto byte = [](int value) { return uint8_t(value); };
  switch (op) {
    case LogicOp::clear: return 0;
    case LogicOp::and_both: return byte(s & d);
    case LogicOp::and_reverse: return byte(s & ~d);
    case LogicOp::copy: return s;
    case LogicOp::and_inverted: return byte(~s & d);
    case LogicOp::noop: return d;
    case LogicOp::xor_both: return byte(s ^ d);
    case LogicOp::or_both: return byte(s | d);
    case LogicOp::nor: return byte(~(s | d));
    case LogicOp::equiv: return byte(~(s ^ d));
    case LogicOp::invert: return byte(~d);
    case LogicOp::or_reverse: return byte(s | ~d);
    case LogicOp::copy_inverted: return byte(~s);
    case LogicOp::or_inverted: return byte(~s | d);
    case LogicOp::nand: return byte(~(s & d));
    case LogicOp::set: return 0xff;
  }
  return s;
}

void write_color(Surface& surface, const State& state, const glm::vec4& color, Pixel& pixel) {
  const bool blends = state.blend && !state.logic_op;
  const glm::vec4 result =
      blends ? blend(*state.blend, surface.format, color, decode(surface.format, pixel.color)) : color;
  std::array<uint16_t, 4> codes = encode(surface.format, result);
  if (state.logic_op && surface.format == ColorFormat::rgba8) {
    for (size_t i = 0; i < 4; ++i) codes[i] = logic_result(*state.logic_op, uint8_t(codes[i]), uint8_t(pixel.color[i]));
  }
  for (size_t i = 0; i < 4; ++i) {
    if (state.color_mask[i]) pixel.color[i] = codes[i];
  }
}

}  // namespace

glm::vec4 blend(const BlendState& state, ColorFormat format, glm::vec4 source, const glm::vec4& destination) {
  glm::vec4 constant = state.constant;
  if (format != ColorFormat::rgba16f) {
    source = clamp_unit(source);
    constant = clamp_unit(constant);
  }
  glm::vec4 result;
  for (int i = 0; i < 4; ++i) {
    const BlendTerm& term = i < 3 ? state.color : state.alpha;
    const float s = source[i] * factor(term.src, i, source, destination, constant);
    const float d = destination[i] * factor(term.dst, i, source, destination, constant);
    switch (term.equation) {
      case BlendEquation::add: result[i] = s + d; break;
      case BlendEquation::subtract: result[i] = s - d; break;
      case BlendEquation::reverse_subtract: result[i] = d - s; break;
      case BlendEquation::min: result[i] = std::min(source[i], destination[i]); break;
      case BlendEquation::max: result[i] = std::max(source[i], destination[i]); break;
    }
  }
  return result;
}

uint8_t stencil_result(StencilOp op, uint8_t stored, uint8_t reference) {
  switch (op) {
    case StencilOp::keep: return stored;
    case StencilOp::zero: return 0;
    case StencilOp::replace: return reference;
    case StencilOp::increment: return uint8_t(stored < 255 ? stored + 1 : 255);
    case StencilOp::decrement: return uint8_t(stored > 0 ? stored - 1 : 0);
    case StencilOp::invert: return uint8_t(~stored);
    case StencilOp::increment_wrap: return uint8_t(stored + 1);
    case StencilOp::decrement_wrap: return uint8_t(stored - 1);
  }
  return stored;
}

void shade(Surface& surface, const State& state, const Sample& sample, const glm::vec4& color, uint32_t id) {
  Pixel& pixel = surface.at(sample.x, sample.y);
  ++pixel.overdraw;
  if (!sample.certain) pixel.uncertain |= kUncertainOverdraw;
  if (state.alpha_test && !passes(state.alpha_test->func, color.w, state.alpha_test->ref)) return;

  const bool writes_depth = state.depth.test && state.depth.write;
  const bool writes_color = std::any_of(state.color_mask.begin(), state.color_mask.end(), [](bool m) { return m; });
  const bool writes_stencil = state.stencil && can_change(*state.stencil);

  const Verdict stencil = state.stencil ? stencil_test(*state.stencil, pixel) : Verdict::pass;
  // A sample that certainly fails the stencil test never reaches the depth test.
  const Verdict depth =
      state.depth.test && stencil != Verdict::fail ? depth_test(state.depth, pixel, sample) : Verdict::pass;
  const bool unknown = !sample.certain || is_unknown(stencil) || is_unknown(depth);
  const bool may_pass = (is_pass(stencil) || is_unknown(stencil)) && (is_pass(depth) || is_unknown(depth));
  const bool passed = is_pass(stencil) && is_pass(depth);
  if (unknown) {
    if (writes_stencil) pixel.uncertain |= kUncertainStencil;
    if (may_pass && writes_depth) pixel.uncertain |= kUncertainDepth;
    if (may_pass && writes_color) pixel.uncertain |= kUncertainColor;
  }

  if (state.stencil) {
    const StencilOp op = !is_pass(stencil) ? state.stencil->stencil_fail
                         : !is_pass(depth) ? state.stencil->depth_fail
                                           : state.stencil->pass;
    const bool certain_now = write_stencil(*state.stencil, op, pixel);
    if (certain_now && !unknown) pixel.uncertain &= uint8_t(~kUncertainStencil);
  }
  if (!passed) return;
  if (writes_depth) {
    pixel.depth = sample.depth;
    pixel.depth_tolerance = sample.depth_tolerance;
    pixel.depth_geometry = sample.geometry;
    pixel.depth_writer = id;
    if (!unknown) pixel.uncertain &= uint8_t(~kUncertainDepth);
  }
  if (writes_color) {
    write_color(surface, state, color, pixel);
    pixel.visible = id;
    const bool overwrites =
        !state.blend && !state.logic_op && state.color_mask == std::array<bool, 4>{true, true, true, true};
    if (overwrites && !unknown) pixel.uncertain &= uint8_t(~kUncertainColor);
  }
}

}  // namespace brokkr::oracle
