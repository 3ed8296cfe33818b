#include "inspect/contributions.h"

#include <variant>

namespace brokkr {
namespace {

using Planes = uint32_t;  // bits by TargetPlane
constexpr Planes bit_of(TargetPlane plane) { return Planes(1) << uint32_t(plane); }
constexpr Planes kDepth = bit_of(TargetPlane::depth), kStencil = bit_of(TargetPlane::stencil);
constexpr Planes kAllPlanes = (kStencil << 1) - 1;

// Processes the commands from the last to the first, and tracks what later ones need of each plane and texture.
class Contributions {
 public:
  explicit Contributions(const Frame& frame)
      : frame_(frame), needed_(frame.targets.size(), 0), textures_(frame.captured_textures.size(), false) {}

  void need(uint32_t target, Planes planes) { needed_[target] |= planes; }

  bool visit(const DrawCommand& draw) {
    const State& state = frame_.states[draw.state];
    bool kept = false;
    for (uint32_t view = 0; view < draw.view_count; ++view) {
      const uint32_t target = frame_.views[draw.first_view + view].target;
      if ((needed_[target] & written(state)) == 0) continue;
      kept = true;
      if (state.depth.test) need(target, kDepth);
      if (state.stencil) need(target, kStencil);
    }
    if (!kept || draw.inputs < 0) return kept;
    for (const BoundTexture& bound : frame_.inputs[size_t(draw.inputs)].textures) {
      if (bound.texture >= 0) need_texture(size_t(bound.texture));
    }
    return true;
  }

  bool visit(const ClearCommand& clear) {
    Planes planes = clear.color ? bit_of(TargetPlane::color0) : 0;
    if (clear.depth) planes |= kDepth;
    if (clear.stencil) planes |= kStencil;
    for (const PlaneColor& other : clear.other_colors) planes |= bit_of(other.plane);
    const bool kept = (needed_[clear.target] & planes) != 0;
    if (!clear.scissor) needed_[clear.target] &= ~planes;
    return kept;
  }

  bool visit(const BlitCommand& blit) {
    const Planes planes =
        (blit.color ? bit_of(TargetPlane::color0) : 0) | (blit.depth ? kDepth : 0) | (blit.stencil ? kStencil : 0);
    const bool kept = (needed_[blit.to] & planes) != 0;
    if (kept) need(blit.from, planes);
    return kept;
  }

  bool visit(const LoadCommand& load) {
    const bool kept = (needed_[load.target] & bit_of(load.plane)) != 0;
    if (frame_.targets[load.target].layers == 1) needed_[load.target] &= ~bit_of(load.plane);
    return kept;
  }

  bool visit(const GenerateMipsCommand& generate) {
    bool kept = textures_[generate.texture];
    for (const TextureImage& image : frame_.captured_textures[generate.texture].images)
      kept = kept || (needed_[image.target] & bit_of(image.plane)) != 0;
    if (kept) need_texture(generate.texture);
    return kept;
  }

  bool visit(const CopyCommand& copy) {
    const bool kept = (needed_[copy.to] & bit_of(copy.to_plane)) != 0;
    if (kept) need(copy.from, bit_of(copy.from_plane));
    return kept;
  }

 private:
  static Planes written(const State& state) {
    Planes planes = state.buffers.empty() ? bit_of(TargetPlane::color0) : 0;
    for (const DrawBuffer& buffer : state.buffers) {
      if (buffer.plane >= 0) planes |= Planes(1) << uint32_t(buffer.plane);
    }
    if (state.depth.test && state.depth.write) planes |= kDepth;
    if (state.stencil) planes |= kStencil;
    return planes;
  }

  void need_texture(size_t number) {
    textures_[number] = true;
    for (const TextureImage& image : frame_.captured_textures[number].images) need(image.target, bit_of(image.plane));
  }

  const Frame& frame_;
  std::vector<Planes> needed_;  // by target
  std::vector<bool> textures_;  // textures that are read
};

}  // namespace

std::vector<bool> contributing_commands(const Frame& frame, uint32_t target, uint32_t end) {
  std::vector<bool> looked_at(size_t(end) + 1, false);  // by the number of the next command
  looked_at[end] = true;
  for (const Reference& reference : frame.references) {
    if (reference.target == target && reference.before <= end) looked_at[reference.before] = true;
  }
  Contributions contributions(frame);
  std::vector<bool> kept(end, false);
  for (size_t command = end; command-- > 0;) {
    if (looked_at[command + 1]) contributions.need(target, kAllPlanes);
    kept[command] = std::visit([&](const auto& one) { return contributions.visit(one); }, frame.commands[command]);
  }
  return kept;
}

}  // namespace brokkr
