// Storage formats, comparison functions, stencil operations, blending and logical operations, as OpenGL defines them.
#pragma once

#include "brokkr/states.h"
#include "frame/logic_terms.h"
#include "machine/machine.h"
#include "target/srgb_codes.h"

BROKKR_MACHINE_BEGIN

struct Color {
  Float r, g, b, a;
};

// ---- Storage.

BROKKR_FN Float linear_from_srgb(Float c) {
  const Float curve = pow_lanes((c + 0.055f) * (1.0f / 1.055f), 2.4f);
  return select(c <= 0.04045f, c * (1.0f / 12.92f), curve);
}
BROKKR_FN Float srgb_from_linear(Float c) {
  const Float curve = 1.055f * pow_lanes(c, 1.0f / 2.4f) - 0.055f;
  return select(c <= 0.0031308f, c * 12.92f, curve);
}

// IEEE half precision, round to nearest even; overflow becomes infinity.
BROKKR_FN Uint half_from_float(Float f) {
  const Uint bits = as_uint(f);
  const Uint sign = (bits >> 16) & 0x8000;
  const Uint mag = bits & 0x7fffffff;
  // Normal halves: rebias the exponent, and round to drop 13 bits.
  const Uint rounded = mag + 0xfff + ((mag >> 13) & 1);
  const Uint normal = (rounded - 0x38000000) >> 13;
  // Subnormal halves: after we add 0.5, their bits lie at the end of the mantissa, and the addition has rounded them.
  const Uint subnormal = as_uint(as_float(mag) + 0.5f) - 0x3f000000;
  Uint half = select(mag < 0x38800000, subnormal, normal);
  half = select(mag >= 0x477ff000, 0x7c00, half);
  half = select(mag > 0x7f800000, 0x7e00, half);
  return half | sign;
}
BROKKR_FN Float float_from_half(Uint h) {
  const Uint sign = (h & 0x8000) << 16;
  const Uint mag = h & 0x7fff;
  // A scale of 2^112 rebiases the exponent, for subnormals as well.
  const Float value = as_float(mag << 13) * 0x1p112f;
  const Uint special = (mag << 13) | 0x7f800000;
  return as_float(select(mag >= 0x7c00, special, as_uint(value)) | sign);
}

// Converts the two halves of a word.
BROKKR_FN void floats_from_halves(Uint word, Float& low, Float& high) {
#if defined(BROKKR_CONVERTS_HALVES)
  if (finite_halves(word, low, high)) return;
#endif
  low = float_from_half(word & 0xffff);
  high = float_from_half(word >> 16);
}

BROKKR_FN Uint unorm8(Float c) { return as_uint(to_int(saturate(c) * 255.0f + 0.5f)); }

// The same code as unorm8(srgb_from_linear(c)), for c in [0, 1].
BROKKR_FN Uint srgb_code(Float c) {
  if constexpr (Warp::takes_turns) {
    const Uint bits = as_uint(maximum(c, 0x1p-13f));
    const Int interval = as_int((bits - SrgbCodes::kFirst) >> SrgbCodes::kIntervalBits);
    return (Warp::gather(kSrgbCodes.word, interval, true) + (bits & (SrgbCodes::kInterval - 1))) >>
           SrgbCodes::kIntervalBits;
  } else {
    return unorm8(srgb_from_linear(c));
  }
}

// The linear colour of an 8-bit sRGB code: linear_from_srgb of the code as a number in [0, 1].
BROKKR_FN Float light_of_code(Uint code) {
  if constexpr (Warp::takes_turns) {
    return as_float(Warp::gather(kSrgbLights, as_int(code), true));
  } else {
    return linear_from_srgb(to_float(as_int(code)) * (1.0f / 255.0f));
  }
}

struct Stored {
  Uint low, high;  // high: RGBA16F only
};

// `format` is a ColorFormat; `color` is linear.
BROKKR_FN Stored store_color(uint32_t format, Color color) {
  if (format == uint32_t(ColorFormat::rgba16f)) {
    return {half_from_float(color.r) | (half_from_float(color.g) << 16),
            half_from_float(color.b) | (half_from_float(color.a) << 16)};
  }
  if (format == uint32_t(ColorFormat::rgba8_srgb)) {
    return {srgb_code(saturate(color.r)) | (srgb_code(saturate(color.g)) << 8) | (srgb_code(saturate(color.b)) << 16) |
                (unorm8(color.a) << 24),
            0u};
  }
  return {unorm8(color.r) | (unorm8(color.g) << 8) | (unorm8(color.b) << 16) | (unorm8(color.a) << 24), 0u};
}

BROKKR_FN Color load_color(uint32_t format, Uint low, Uint high) {
  if (format == uint32_t(ColorFormat::rgba16f)) {
    Color color;
    floats_from_halves(low, color.r, color.g);
    floats_from_halves(high, color.b, color.a);
    return color;
  }
  const auto channel = [&](int shift) { return to_float(as_int((low >> shift) & 0xff)) * (1.0f / 255.0f); };
  if (format == uint32_t(ColorFormat::rgba8_srgb)) {
    const auto light = [&](int shift) { return light_of_code((low >> shift) & 0xff); };
    return {light(0), light(8), light(16), channel(24)};
  }
  return {channel(0), channel(8), channel(16), channel(24)};
}

// ---- Tests.

// One of a and b may be a scalar.
template <class A, class B>
BROKKR_FN Mask compare(uint8_t func, A a, B b) {
  switch (CompareFunc(func)) {
    case CompareFunc::never: return false;
    case CompareFunc::less: return a < b;
    case CompareFunc::equal: return a == b;
    case CompareFunc::lequal: return a <= b;
    case CompareFunc::greater: return a > b;
    case CompareFunc::notequal: return a != b;
    case CompareFunc::gequal: return a >= b;
    case CompareFunc::always: break;
  }
  return true;
}

BROKKR_FN Uint stencil_result(uint8_t op, Uint old, uint32_t ref) {
  switch (StencilOp(op)) {
    case StencilOp::keep: break;
    case StencilOp::zero: return 0u;
    case StencilOp::replace: return ref;
    case StencilOp::increment: return select(old < 255, old + 1, old);
    case StencilOp::decrement: return select(old > 0, old - 1, old);
    case StencilOp::invert: return ~old & 255;
    case StencilOp::increment_wrap: return (old + 1) & 255;
    case StencilOp::decrement_wrap: return (old - 1) & 255;
  }
  return old;
}

// ---- Blending.

// A source and a destination of blending, from red to alpha. `second`: the second source.
struct BlendOperands {
  Float source[4], second[4], destination[4];
  float constant[4];
};

// Computes components first .. end - 1 of a factor.
BROKKR_FN void blend_factors(uint8_t factor, int first, int end, const BlendOperands& operands, Float (&out)[4]) {
  const Float one = 1.0f;
  const Float(&s)[4] = operands.source, (&s1)[4] = operands.second, (&d)[4] = operands.destination;
  const auto all = [&](Float value) {
    for (int c = first; c < end; ++c) out[c] = value;
  };
  const auto each = [&](auto&& value) {
    for (int c = first; c < end; ++c) out[c] = value(c);
  };
  switch (BlendFactor(factor)) {
    case BlendFactor::zero: return all(0.0f);
    case BlendFactor::one: return all(one);
    case BlendFactor::src_color: return each([&](int c) { return s[c]; });
    case BlendFactor::one_minus_src_color: return each([&](int c) { return one - s[c]; });
    case BlendFactor::dst_color: return each([&](int c) { return d[c]; });
    case BlendFactor::one_minus_dst_color: return each([&](int c) { return one - d[c]; });
    case BlendFactor::src_alpha: return all(s[3]);
    case BlendFactor::one_minus_src_alpha: return all(one - s[3]);
    case BlendFactor::dst_alpha: return all(d[3]);
    case BlendFactor::one_minus_dst_alpha: return all(one - d[3]);
    case BlendFactor::constant_color: return each([&](int c) { return Float(operands.constant[c]); });
    case BlendFactor::one_minus_constant_color: return each([&](int c) { return one - operands.constant[c]; });
    case BlendFactor::constant_alpha: return all(operands.constant[3]);
    case BlendFactor::one_minus_constant_alpha: return all(one - operands.constant[3]);
    case BlendFactor::src_alpha_saturate: return each([&](int c) { return c == 3 ? one : minimum(s[3], one - d[3]); });
    case BlendFactor::src1_color: return each([&](int c) { return s1[c]; });
    case BlendFactor::one_minus_src1_color: return each([&](int c) { return one - s1[c]; });
    case BlendFactor::src1_alpha: return all(s1[3]);
    case BlendFactor::one_minus_src1_alpha: return all(one - s1[3]);
  }
  all(one);
}

// Computes a component of a logical operation. `term`: frame/logic_terms.h.
BROKKR_FN_NOINLINE Float logic_component(const uint8_t (&term)[3], Float source, Float destination) {
  const uint32_t unused = 32 - (term[0] & kLogicBits), all = ~0u >> unused, table = term[2] - kFirstLogicEquation;
  const bool integer = (term[0] & kLogicSnorm) == kLogicInteger, has_sign = (term[0] & kLogicSnorm) == kLogicSnorm;
  const float max_value = float(has_sign ? all >> 1 : all), min_value = has_sign ? -1.0f : 0.0f;
  const auto code_of = [&](Float channel) {
    const Float nearest =
        clamp_to(channel, min_value, 1.0f) * max_value + select(channel < 0.0f, Float(-0.5f), Float(0.5f));
    return integer ? as_uint(channel) : as_uint(to_int(nearest));
  };
  const Uint s = code_of(source), d = code_of(destination);
  // `results`: bit 0 for ones of d, bit 1 for zeros.
  const auto with_destination = [&](uint32_t results) {
    const uint32_t ones = results & 1 ? ~0u : 0u, zeros = results & 2 ? ~0u : 0u;
    return (d & ones) | (~d & zeros);
  };
  const Uint code = ((s & with_destination(table)) | (~s & with_destination(table >> 2))) & all;
  if (integer) return as_float(code);
  const Int number = has_sign ? as_int(code << unused) >> int(unused) : as_int(code);
  return maximum(to_float(number) * (1.0f / max_value), min_value);
}

// Computes components first .. end - 1 of a blended colour. `term`: source factor, destination factor, equation, or a
// logical operation.
BROKKR_FN void blend_components(const uint8_t (&term)[3], int first, int end, const BlendOperands& operands,
                                Float (&out)[4]) {
  const Float(&s)[4] = operands.source, (&d)[4] = operands.destination;
  Float sf[4], df[4];
  blend_factors(term[0], first, end, operands, sf);
  blend_factors(term[1], first, end, operands, df);
  const auto each = [&](auto&& value) {
    for (int c = first; c < end; ++c) out[c] = value(c);
  };
  switch (BlendEquation(term[2])) {
    case BlendEquation::add: return each([&](int c) { return s[c] * sf[c] + d[c] * df[c]; });
    case BlendEquation::subtract: return each([&](int c) { return s[c] * sf[c] - d[c] * df[c]; });
    case BlendEquation::reverse_subtract: return each([&](int c) { return d[c] * df[c] - s[c] * sf[c]; });
    case BlendEquation::min: return each([&](int c) { return minimum(s[c], d[c]); });
    case BlendEquation::max: return each([&](int c) { return maximum(s[c], d[c]); });
  }
  each([&](int c) { return logic_component(term, s[c], d[c]); });
}

// Returns true for the usual transparency, source alpha and one minus source alpha, which has a faster path.
BROKKR_FN bool is_over(const uint8_t (&term)[3]) {
  return term[0] == uint8_t(BlendFactor::src_alpha) && term[1] == uint8_t(BlendFactor::one_minus_src_alpha) &&
         term[2] == uint8_t(BlendEquation::add);
}

// The terms of blending: source factor, destination factor and equation (or a logical operation) of colour and alpha,
// and the constant of the factors that name it. `bounded`: sources are first clamped to the target's range, 0 .. 1.
struct BlendTerms {
  const uint8_t (&color)[3], (&alpha)[3];
  const float (&constant)[4];
  bool bounded;
};

// Blends the source over the destination. `second`: the source of the factors that name a second source; null: it is
// `source`.
BROKKR_FN Color blend(const BlendTerms& terms, const Color& source, const Color* second, const Color& destination) {
  const bool bounded = terms.bounded;
  if (is_over(terms.color) && is_over(terms.alpha)) {
    const Color over =
        bounded ? Color{saturate(source.r), saturate(source.g), saturate(source.b), saturate(source.a)} : source;
    const Float through = 1.0f - over.a;
    return {over.r * over.a + destination.r * through, over.g * over.a + destination.g * through,
            over.b * over.a + destination.b * through, over.a * over.a + destination.a * through};
  }
  BlendOperands operands;  // not cleared, which would take longer than blending
  operands.source[0] = source.r, operands.source[1] = source.g, operands.source[2] = source.b,
  operands.source[3] = source.a;
  operands.destination[0] = destination.r, operands.destination[1] = destination.g;
  operands.destination[2] = destination.b, operands.destination[3] = destination.a;
  for (int c = 0; c < 4 && bounded; ++c) operands.source[c] = saturate(operands.source[c]);
  Float out[4];
  for (int c = 0; c < 4; ++c) {
    const float k = terms.constant[c];
    operands.constant[c] = bounded ? (k > 0.0f ? (k < 1.0f ? k : 1.0f) : 0.0f) : k;
    operands.second[c] = operands.source[c];
  }
  if (second != nullptr) {
    operands.second[0] = second->r, operands.second[1] = second->g, operands.second[2] = second->b,
    operands.second[3] = second->a;
    for (int c = 0; c < 4 && bounded; ++c) operands.second[c] = saturate(operands.second[c]);
  }
  blend_components(terms.color, 0, 3, operands, out);
  blend_components(terms.alpha, 3, 4, operands, out);
  return {out[0], out[1], out[2], out[3]};
}

BROKKR_MACHINE_END
