// Turns a draw command and its state into the record that the kernel reads (frame/frame_tables.h).
#include <algorithm>
#include <cmath>
#include <utility>

#include "frame/logic_terms.h"
#include "plan/prepare.h"

namespace brokkr {

bool blends(const std::optional<BlendState>& blend) {
  const BlendTerm copy{};
  return blend && !(blend->color == copy && blend->alpha == copy);
}

void fill_blend(const BlendState& blend, uint8_t (&color)[3], uint8_t (&alpha)[3]) {
  const auto term = [](const BlendTerm& t, uint8_t(&out)[3]) {
    out[0] = uint8_t(t.src);
    out[1] = uint8_t(t.dst);
    out[2] = uint8_t(t.equation);
  };
  term(blend.color, color);
  term(blend.alpha, alpha);
}

namespace {

// The first byte of the terms of logical operations on colour and alpha; 0 if the format has no codes for them.
std::pair<int, int> logic_codes(TexelFormat format, bool encodes) {
  const auto both = [](int code) { return std::pair(code, code); };
  switch (format) {
    case TexelFormat::r8:
    case TexelFormat::rg8:
    case TexelFormat::rgb565:  // narrowed afterwards
    case TexelFormat::rgb5_a1:
    case TexelFormat::rgba4:
    case TexelFormat::rgba8: return both(kLogicUnorm + 8);
    case TexelFormat::rgba8_srgb: return both(encodes ? 0 : kLogicUnorm + 8);
    case TexelFormat::r8_snorm:
    case TexelFormat::rg8_snorm:
    case TexelFormat::rgba8_snorm: return both(kLogicSnorm + 8);
    case TexelFormat::r16_snorm:
    case TexelFormat::rg16_snorm:
    case TexelFormat::rgba16_snorm: return both(kLogicSnorm + 16);
    case TexelFormat::r16:
    case TexelFormat::rg16:
    case TexelFormat::rgba16: return both(kLogicUnorm + 16);
    case TexelFormat::rgb10_a2: return {kLogicUnorm + 10, kLogicUnorm + 2};
    case TexelFormat::rgb10_a2ui: return {kLogicInteger + 10, kLogicInteger + 2};
    case TexelFormat::r8ui:
    case TexelFormat::rg8ui:
    case TexelFormat::rgba8ui: return both(kLogicInteger + 8);
    case TexelFormat::r16ui:
    case TexelFormat::rg16ui:
    case TexelFormat::rgba16ui: return both(kLogicInteger + 16);
    case TexelFormat::r8i:
    case TexelFormat::rg8i:
    case TexelFormat::rgba8i:
    case TexelFormat::r16i:
    case TexelFormat::rg16i:
    case TexelFormat::rgba16i:  // their words repeat the sign
    case TexelFormat::r32i:
    case TexelFormat::rg32i:
    case TexelFormat::rgba32i:
    case TexelFormat::r32ui:
    case TexelFormat::rg32ui:
    case TexelFormat::rgba32ui: return both(kLogicInteger + 32);
    default: return both(0);
  }
}

bool uses_stencil(const State& s) {
  if (!s.stencil) return false;
  const bool keeps = s.stencil->stencil_fail == StencilOp::keep && s.stencil->depth_fail == StencilOp::keep &&
                     s.stencil->pass == StencilOp::keep;
  return !(keeps && s.stencil->func == CompareFunc::always);
}

}  // namespace

float offset_unit(const Target& target) {
  if (target.depth == TexelFormat::depth16) return 512;
  return target.depth == TexelFormat::depth24 ? 2 : 1;
}

TexelFormat texel_format(ColorFormat format) {
  return format == ColorFormat::rgba8        ? TexelFormat::rgba8
         : format == ColorFormat::rgba8_srgb ? TexelFormat::rgba8_srgb
                                             : TexelFormat::rgba16f;
}

bool fill_logic(LogicOp op, TexelFormat format, bool encodes, uint8_t (&color)[3], uint8_t (&alpha)[3]) {
  const auto [of_color, of_alpha] = logic_codes(format, encodes);
  if (of_color == 0 || op == LogicOp::copy) return false;
  color[0] = uint8_t(of_color);
  alpha[0] = uint8_t(of_alpha);
  color[2] = alpha[2] = uint8_t(kFirstLogicEquation + uint8_t(op));
  return true;
}

void fill_rect(const State& s, const Target& target, int32_t (&rect)[4]) {
  // The first sample whose centre lies inside the viewport.
  const auto first = [](float v) { return int(std::ceil(std::clamp(v, -1e6f, 1e6f) - 0.5f)); };
  rect[0] = std::max(0, first(s.viewport.x));
  rect[1] = std::max(0, first(s.viewport.y));
  rect[2] = std::min(target.width, first(s.viewport.x + s.viewport.z));
  rect[3] = std::min(target.height, first(s.viewport.y + s.viewport.w));
  if (s.scissor) {
    const auto end = [](int start, int size) { return int(std::min<int64_t>(int64_t(start) + size, 1 << 20)); };
    rect[0] = std::max(rect[0], s.scissor->x);
    rect[1] = std::max(rect[1], s.scissor->y);
    rect[2] = std::min(rect[2], end(s.scissor->x, s.scissor->width));
    rect[3] = std::min(rect[3], end(s.scissor->y, s.scissor->height));
  }
}

DrawRecord make_draw(const Frame& frame, const DrawCommand& draw, const Target& target, uint32_t command) {
  const State& s = frame.states[draw.state];
  DrawRecord r{};
  const bool upper_left = (draw.flags & kOriginUpperLeft) != 0, zero_to_one = (draw.flags & kZeroToOne) != 0;
  r.scale[0] = 0.5f * s.viewport.z;
  r.offset[0] = s.viewport.x + 0.5f * s.viewport.z;
  r.scale[1] = upper_left ? -0.5f * s.viewport.w : 0.5f * s.viewport.w;
  r.offset[1] = s.viewport.y + 0.5f * s.viewport.w;
  r.scale[2] = zero_to_one ? s.depth_far - s.depth_near : 0.5f * (s.depth_far - s.depth_near);
  r.offset[2] = zero_to_one ? s.depth_near : 0.5f * (s.depth_near + s.depth_far);
  fill_rect(s, target, r.rect);
  const bool clamped = (draw.flags & kDepthClamp) != 0;
  r.z_min = clamped ? std::min(s.depth_near, s.depth_far) + 0.0f : 0.0f;
  r.z_max = clamped ? std::max(s.depth_near, s.depth_far) + 0.0f : 1.0f;
  const auto set = [&](bool on, uint32_t bit) { r.bits |= on ? bit : 0u; };
  const bool material =
      frame.materials[draw.material].kind != MaterialKind::none && draw.vertex_kind == VertexKind::transform;
  set(draw.indexed, kDrawIndexed);
  set(draw.vertex_kind == VertexKind::transform, kDrawTransform);
  set(s.depth.test, kDrawDepthTest);
  set(s.depth.test && s.depth.write, kDrawDepthWrite);
  set((draw.flags & kDepthClamp) != 0, kDrawDepthClamp);
  set(zero_to_one, kDrawZeroToOne);
  set(s.cull == CullMode::front || s.cull == CullMode::front_and_back, kDrawCullFront);
  set(s.cull == CullMode::back || s.cull == CullMode::front_and_back, kDrawCullBack);
  set((s.front_face == FrontFace::cw) != upper_left, kDrawFrontClockwise);
  set(upper_left, kDrawTopEdges);
  set(!s.logic_op && blends(s.blend), kDrawBlend);
  set(uses_stencil(s), kDrawStencil);
  set(s.polygon_offset.has_value(), kDrawPolygonOffset);
  set(material && s.alpha_test.has_value(), kDrawAlphaTest);
  set(material, kDrawMaterial);
  set(!material && (r.bits & kDrawBlend) != 0, kDrawSeeThrough);
  set(s.one_sample, kDrawOneSample);
  set(target.mirrored_samples, kDrawMirroredSamples);
  r.bits |= (~uint32_t(s.sample_mask) & 0xff) << kDrawSkippedSamples;
  r.command = command;
  r.program = r.vertices = kNoProgram;
  r.material = draw.material;
  r.first_index = uint32_t(draw.first_index);
  r.first_vertex = uint32_t(draw.first_vertex);
  r.vertex_count = draw.vertex_count;
  r.first_instance = draw.first_instance;
  r.depth_func = uint8_t(s.depth.test ? s.depth.func : CompareFunc::always);
  for (int i = 0; i < 4; ++i) r.color_mask |= uint8_t(s.color_mask[size_t(i)] ? 1 << i : 0);
  if (s.stencil) {
    r.stencil_func = uint8_t(s.stencil->func);
    r.stencil_ref = s.stencil->ref;
    r.stencil_mask = s.stencil->mask;
    r.stencil_write_mask = s.stencil->write_mask;
    r.stencil_ops[0] = uint8_t(s.stencil->stencil_fail);
    r.stencil_ops[1] = uint8_t(s.stencil->depth_fail);
    r.stencil_ops[2] = uint8_t(s.stencil->pass);
  }
  if (s.alpha_test) {
    r.alpha_func = uint8_t(s.alpha_test->func);
    r.alpha_ref = s.alpha_test->ref;
  }
  if (s.logic_op) {
    set(fill_logic(*s.logic_op, texel_format(target.format), true, r.blend_color, r.blend_alpha), kDrawBlend);
  } else if (s.blend) {
    fill_blend(*s.blend, r.blend_color, r.blend_alpha);
    for (int i = 0; i < 4; ++i) r.blend_constant[i] = s.blend->constant[i];
  }
  if (s.polygon_offset) {
    r.offset_factor = s.polygon_offset->factor;
    r.offset_units = s.polygon_offset->units * offset_unit(target);
  }
  return r;
}

}  // namespace brokkr
