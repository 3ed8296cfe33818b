// Turns a draw command and its state into the record that the kernel reads (frame/frame_tables.h).
#include <algorithm>
#include <cmath>

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

bool uses_stencil(const State& s) {
  if (!s.stencil) return false;
  const bool keeps = s.stencil->stencil_fail == StencilOp::keep && s.stencil->depth_fail == StencilOp::keep &&
                     s.stencil->pass == StencilOp::keep;
  return !(keeps && s.stencil->func == CompareFunc::always);
}

// The unit of a polygon offset in 2^-24, as Mesa's software drivers choose it: two steps of a fixed-point format. For
// floats, ours is that of depths from 0.5 on.
float offset_unit(const Target& target) {
  if (target.depth == TexelFormat::depth16) return 512;
  return target.depth == TexelFormat::depth24 ? 2 : 1;
}

}  // namespace

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
  set(blends(s.blend), kDrawBlend);
  set(uses_stencil(s), kDrawStencil);
  set(s.polygon_offset.has_value(), kDrawPolygonOffset);
  set(material && s.alpha_test.has_value(), kDrawAlphaTest);
  set(material, kDrawMaterial);
  set(!material && blends(s.blend), kDrawSeeThrough);
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
  if (s.blend) {
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
