// Finds the draws that may be rasterized in any order, and the places of clears and blits between them.
#include <algorithm>
#include <cmath>

#include "pipeline/color_code.h"
#include "pipeline/prepare.h"

namespace brokkr {
namespace {

// An order-free draw tests and writes depth with one strict order of (depth, submission), writes all colour channels or
// none, and has no state that depends on earlier draws.
bool order_free(const DrawRecord& d, const MaterialRecord& material, bool shows_materials, uint8_t& key_bits) {
  const uint32_t needed = kDrawDepthTest | kDrawDepthWrite;
  if ((d.bits & needed) != needed || (d.bits & (kDrawBlend | kDrawStencil)) != 0) return false;
  const bool discards = (d.bits & kDrawMaterial) && ((d.bits & kDrawAlphaTest) || material.alpha_cutoff > 0);
  if (discards && shows_materials) return false;
  if (d.color_mask != 0 && d.color_mask != 15) return false;
  key_bits = d.color_mask == 0 ? kKeyDepthOnly : 0;
  switch (CompareFunc(d.depth_func)) {
    case CompareFunc::less: return true;
    case CompareFunc::lequal: key_bits |= kKeyLastWins; return true;
    case CompareFunc::greater: key_bits |= kKeyGreater; return true;
    case CompareFunc::gequal: key_bits |= kKeyGreater | kKeyLastWins; return true;
    default: return false;
  }
}

PhaseRecord clear_phase(const Frame& frame, const ClearCommand& c) {
  const Target& target = frame.targets[c.target];
  PhaseRecord r{};
  r.kind = PhaseKind::clear;
  r.target = c.target;
  if (c.color) {
    r.planes |= kPlaneColor;
    r.color = color_code(target.format, *c.color);
  }
  if (c.depth) {
    r.planes |= kPlaneDepth;
    r.depth = std::clamp(*c.depth, 0.0f, 1.0f) + 0.0f;
  }
  if (c.stencil) {
    r.planes |= kPlaneStencil;
    r.stencil = *c.stencil;
  }
  const Rect whole{0, 0, target.width, target.height};
  const Rect rect = c.scissor.value_or(whole);
  const auto end = [](int start, int size) { return int32_t(std::min<int64_t>(int64_t(start) + size, 1 << 20)); };
  r.rect[0] = std::max(rect.x, 0);
  r.rect[1] = std::max(rect.y, 0);
  r.rect[2] = std::min(end(rect.x, rect.width), target.width);
  r.rect[3] = std::min(end(rect.y, rect.height), target.height);
  return r;
}

PhaseRecord blit_phase(const BlitCommand& b, uint32_t gate) {
  PhaseRecord r{};
  r.kind = PhaseKind::blit;
  r.target = b.to;
  r.source_target = b.from;
  r.planes = (b.color ? kPlaneColor : 0u) | (b.depth ? kPlaneDepth : 0u) | (b.stencil ? kPlaneStencil : 0u);
  const Rect s = b.source, d = b.destination;
  const int32_t source[4] = {s.x, s.y, s.width, s.height}, destination[4] = {d.x, d.y, d.width, d.height};
  std::copy(source, source + 4, r.source);
  std::copy(destination, destination + 4, r.destination);
  r.gate = gate;
  return r;
}

}  // namespace

DrawPlan plan_draws(const PreparedFrame::Impl& frame, const DrawKey& key, std::shared_ptr<const ReusePlan> reuse) {
  DrawPlan plan;
  plan.reuse = std::move(reuse);
  plan.inside = key.inside;
  if (plan.reuse != nullptr) plan.batch_triangles = plan.reuse->max_triangles;
  const auto push = [&](PhaseRecord r) {
    r.end_batch = plan.batches;
    plan.phases.push_back(r);
  };
  size_t next_draw = 0;
  for (uint32_t c = 0; c < key.command_limit; ++c) {
    const Command& command = frame.frame->commands[c];
    if (const auto* clear = std::get_if<ClearCommand>(&command)) push(clear_phase(*frame.frame, *clear));
    if (const auto* blit = std::get_if<BlitCommand>(&command)) push(blit_phase(*blit, plan.blits++));
    for (; next_draw < frame.draws.size() && frame.draws[next_draw].command == c; ++next_draw) {
      DrawRecord draw = frame.draws[next_draw];
      uint8_t key_bits = 0;
      const bool free = key.order == OrderMode::automatic &&
                        order_free(draw, frame.materials[draw.material], key.materials, key_bits);
      const PhaseKind kind = free ? PhaseKind::order_free : PhaseKind::ordered;
      if (!free) key_bits = 0;
      if (plan.phases.empty() || plan.phases.back().kind != kind || plan.phases.back().key_bits != key_bits) {
        PhaseRecord r{};
        r.kind = kind;
        r.key_bits = key_bits;
        push(r);
        plan.ordered_phases += !free;
      }
      plan.batches = plan.reuse != nullptr ? plan.reuse->draw_end[next_draw] : frame.draw_end[next_draw];
      plan.phases.back().end_batch = plan.batches;
      draw.phase = uint32_t(plan.phases.size() - 1);
      if (key.inside) draw.bits |= kDrawInside;
      plan.draws.push_back(draw);
    }
  }
  PhaseRecord finish{};
  finish.kind = PhaseKind::finish;
  push(finish);
  for (const PhaseRecord& r : plan.phases) plan.in_one &= r.end_batch == 0 || r.end_batch == plan.batches;
  plan.in_one &= plan.ordered_phases == 0;
  return plan;
}

}  // namespace brokkr
