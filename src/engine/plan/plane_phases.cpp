#include "plan/plane_phases.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "plan/color_code.h"
#include "shader/texels.h"

namespace brokkr {
namespace {

// The format in which a clear's colour is stored. It is sRGB-encoded only if the application lets OpenGL encode
// colours.
ColorFormat cleared_format(const Frame& frame, const ClearCommand& clear, bool programs) {
  const ColorFormat format = stored_format(frame.targets[clear.target], programs);
  const bool encodes =
      std::any_of(frame.states.begin(), frame.states.end(), [](const State& state) { return state.framebuffer_srgb; });
  return programs && format == ColorFormat::rgba8_srgb && !encodes ? ColorFormat::rgba8 : format;
}

PhaseRecord clear_phase(const Frame& frame, const ClearCommand& c, bool programs) {
  const Target& target = frame.targets[c.target];
  PhaseRecord r{};
  r.kind = PhaseKind::clear;
  r.target = c.target;
  if (c.color) {
    r.planes |= kPlaneColor;
    const bool bounded = programs && is_bounded_half(target);
    r.color = color_code(cleared_format(frame, c, programs),
                         bounded ? glm::clamp(*c.color, glm::vec4(0), glm::vec4(1)) : *c.color);
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

// Stores a clear's colour for a plane; integer components are passed as their bits.
void set_clear_color(const Target& target, size_t plane, const glm::vec4& color, PhaseRecord& phase) {
  const SampledType type =
      plane < target.colors.size() ? shader::type_of(target.colors[plane].format) : SampledType::real;
  const double least = type == SampledType::natural ? 0 : -2147483648.0;
  const double most = type == SampledType::natural ? 4294967295.0 : 2147483647.0;
  for (int i = 0; i < 4; ++i) {
    const auto whole = uint32_t(int64_t(std::clamp(std::isnan(color[i]) ? 0.0 : double(color[i]), least, most)));
    phase.clear_color[i] = type == SampledType::real ? color[i] : std::bit_cast<float>(whole);
  }
}

// Adds a phase for each colour plane that a clear writes, beyond the first colour's own.
void clear_planes(const Frame& frame, const ClearCommand& clear, std::vector<PhaseRecord>& phases) {
  PhaseRecord phase = phases.back();
  const Target& target = frame.targets[clear.target];
  phase.planes = kPlaneColor;
  if (clear.color && exact_encoding(target)) {
    phase.color_plane = kExactPlane;
    set_clear_color(target, 0, *clear.color, phase);
    phases.push_back(phase);
  }
  for (const PlaneColor& other : clear.other_colors) {
    phase.color_plane = uint32_t(other.plane);
    set_clear_color(target, size_t(other.plane), other.color, phase);
    phases.push_back(phase);
  }
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

PhaseRecord copy_phase(const Frame& frame, const CopyCommand& copy, uint32_t gate) {
  BlitCommand blit;
  blit.from = copy.from;
  blit.to = copy.to;
  blit.source = copy.source;
  blit.destination = {copy.x, copy.y, copy.source.width, copy.source.height};
  blit.color = copy.from_plane < TargetPlane::depth;
  blit.depth = copy.from_plane == TargetPlane::depth;
  blit.stencil = copy.from_plane == TargetPlane::stencil;
  PhaseRecord r = blit_phase(blit, gate);
  if (!blit.color) return r;
  r.source_plane = uint32_t(copy.from_plane);
  r.color_plane = uint32_t(copy.to_plane);
  if (r.color_plane != 0) r.source_plane = whole_plane(frame, copy.from, r.source_plane);
  return r;
}

// The phase that copies a first colour's exact plane along with a blit or a copy; empty if the destination has no such
// plane.
std::optional<PhaseRecord> exact_copy(const Frame& frame, PhaseRecord r) {
  if ((r.planes & kPlaneColor) == 0 || whole_plane(frame, r.target, r.color_plane) != kExactPlane) return {};
  r.planes = kPlaneColor;
  r.color_plane = kExactPlane;
  r.source_plane = whole_plane(frame, r.source_target, r.source_plane);
  return r;
}

}  // namespace

uint32_t whole_plane(const Frame& frame, uint32_t target, uint32_t color_plane) {
  return color_plane == 0 && exact_encoding(frame.targets[target]) ? kExactPlane : color_plane;
}

std::vector<PhaseRecord> plane_phases(const PreparedFrame::Impl& prepared, const Command& command, bool programs,
                                      uint32_t& gates) {
  const Frame& frame = *prepared.frame;
  std::vector<PhaseRecord> phases;
  if (const auto* clear = std::get_if<ClearCommand>(&command)) {
    phases.push_back(clear_phase(frame, *clear, programs));
    if (programs) clear_planes(frame, *clear, phases);
    return phases;
  }
  if (const auto* blit = std::get_if<BlitCommand>(&command)) phases.push_back(blit_phase(*blit, gates++));
  if (!programs) return phases;
  if (const auto* copy = std::get_if<CopyCommand>(&command)) phases.push_back(copy_phase(frame, *copy, gates++));
  if (!phases.empty()) {
    if (auto exact = exact_copy(frame, phases.back())) {
      exact->gate = gates++;
      phases.push_back(*exact);
    }
  }
  if (const auto* load = std::get_if<LoadCommand>(&command)) {
    const auto phase = prepared.programs.load_phase(frame, *load);
    if (phase) phases.push_back(*phase);
    if (phase && phase->planes == kPlaneColor && whole_plane(frame, load->target, phase->color_plane) == kExactPlane) {
      phases.push_back(*phase);
      phases.back().color_plane = kExactPlane;
    }
  }
  return phases;
}

}  // namespace brokkr
