#include "capture/quads.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace brokkr::capture {
namespace {

// The number of vertices that llvmpipe clips, or passes on, together.
constexpr size_t kTogether = 4096;

bool is_inside(const glm::vec4& p, uint32_t flags) {
  const float nearest = flags & kZeroToOne ? 0.0f : -p.w;
  return std::abs(p.x) <= p.w && std::abs(p.y) <= p.w && ((flags & kDepthClamp) != 0 || (p.z >= nearest && p.z <= p.w));
}

}  // namespace

bool may_draw_whole_quads(const Context& context, const DrawCall& call, const RenderState& render, uint32_t flags,
                          const FragmentProgram* program) {
  const auto is_flat = [](const ProgramVarying& v) { return v.interpolation == Interpolation::flat; };
  return call.mode == GL_QUADS && !call.indexed() && (flags & kProvokingFirst) == 0 && !render.state.flat_shading &&
         render.state.polygon_mode == PolygonMode::fill && !render.back_mode && render.clip_planes.empty() &&
         (program == nullptr || std::none_of(program->varyings.begin(), program->varyings.end(), is_flat)) &&
         is_llvmpipe(context);
}

bool is_llvmpipe(const Context& context) { return context.info.renderer.find("llvmpipe") != std::string::npos; }

void divide_whole_quads(Replayed& part, uint32_t flags) {
  constexpr std::array<uint32_t, 6> kCorners = {0, 1, 2, 0, 2, 3};
  if (!part.assembly || part.instances != 1) return;
  std::vector<uint32_t>& indices = part.assembly->indices;
  for (size_t first = 0; first < part.positions.size(); first += kTogether) {
    const size_t end = std::min(first + kTogether, part.positions.size());
    const bool whole = std::all_of(part.positions.begin() + ptrdiff_t(first), part.positions.begin() + ptrdiff_t(end),
                                   [&](const glm::vec4& p) { return is_inside(p, flags); });
    if (!whole) continue;
    for (size_t quad = first / 4; quad < end / 4; quad++) {
      for (size_t i = 0; i < kCorners.size(); i++) {
        indices.at(quad * kCorners.size() + i) = static_cast<uint32_t>(quad * 4) + kCorners[i];
      }
    }
  }
}

}  // namespace brokkr::capture
