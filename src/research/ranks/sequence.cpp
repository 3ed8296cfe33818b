#include "ranks/sequence.h"

#include <algorithm>
#include <array>

#include "brokkr/image.h"

namespace brokkr::ranks {
namespace {

// Tracks the planes of which ranks know only their own pixels.
class Staleness {
 public:
  Staleness(const PreparedFrame::Impl& frame, bool programs)
      : frame_(*frame.frame),
        textures_(frame.programs.textures()),
        programs_(programs),
        stale_(frame_.targets.size()) {}

  // The planes that the command reads.
  std::vector<PlaneUse> read_by(const Command& command) const {
    std::vector<PlaneUse> reads;
    const auto note = [&](uint32_t target, uint32_t planes) {
      planes &= stale_[target];
      if (planes == 0) return;
      const auto found =
          std::find_if(reads.begin(), reads.end(), [&](const PlaneUse& use) { return use.target == target; });
      if (found == reads.end())
        reads.push_back({target, planes});
      else
        found->planes |= planes;
    };
    const auto note_texture = [&](uint32_t texture) {
      for (const shader::PublishedImage& image : textures_.images) {
        if (image.texture == texture && image.plane != TargetPlane::stencil) note(image.target, bits_of(image.plane));
      }
    };
    if (const auto* blit = std::get_if<BlitCommand>(&command)) note(blit->from, planes_of(*blit));
    if (!programs_) return reads;
    if (const auto* copy = std::get_if<CopyCommand>(&command)) note(copy->from, bits_of(copy->from_plane));
    if (const auto* mips = std::get_if<GenerateMipsCommand>(&command)) note_texture(mips->texture);
    if (const auto* draw = std::get_if<DrawCommand>(&command); draw != nullptr && draw->inputs >= 0) {
      for (const BoundTexture& bound : frame_.inputs[size_t(draw->inputs)].textures) {
        if (bound.texture >= 0) note_texture(uint32_t(bound.texture));
      }
    }
    return reads;
  }

  void exchange(const std::vector<PlaneUse>& uses) {
    for (const PlaneUse& use : uses) stale_[use.target] &= ~use.planes;
  }

  void run(const Command& command) {
    if (const auto* draw = std::get_if<DrawCommand>(&command)) {
      const State& state = frame_.states[draw->state];
      const uint32_t planes = kPlaneColor | (state.depth.test && state.depth.write ? kPlaneDepth : 0u) |
                              (state.stencil ? kPlaneStencil : 0u);
      for (uint32_t view = 0; view < draw->view_count; ++view)
        stale_[frame_.views[draw->first_view + view].target] |= planes;
    } else if (const auto* clear = std::get_if<ClearCommand>(&command); clear != nullptr && !clear->scissor) {
      // Additional colours are cleared one by one, so the colour plane counts as cleared only if there is just one.
      const bool one = !programs_ || frame_.targets[clear->target].colors.size() <= 1;
      stale_[clear->target] &= ~((clear->color && one ? kPlaneColor : 0u) | (clear->depth ? kPlaneDepth : 0u) |
                                 (clear->stencil ? kPlaneStencil : 0u));
    }
  }

 private:
  static uint32_t bits_of(TargetPlane plane) {
    return plane == TargetPlane::depth ? kPlaneDepth : plane == TargetPlane::stencil ? kPlaneStencil : kPlaneColor;
  }
  static uint32_t planes_of(const BlitCommand& blit) {
    return (blit.color ? kPlaneColor : 0u) | (blit.depth ? kPlaneDepth : 0u) | (blit.stencil ? kPlaneStencil : 0u);
  }

  const Frame& frame_;
  const shader::SampledTextures& textures_;
  bool programs_;
  std::vector<uint32_t> stale_;  // PlaneBit, per target
};

}  // namespace

std::vector<Segment> cut_segments(const PreparedFrame::Impl& frame, bool programs, uint32_t command_limit) {
  const auto end = uint32_t(std::min<size_t>(frame.frame->commands.size(), command_limit));
  Staleness staleness(frame, programs);
  std::vector<Segment> segments = {{0, end, {}}};
  for (uint32_t c = 0; c < end; ++c) {
    const Command& command = frame.frame->commands[c];
    std::vector<PlaneUse> reads = staleness.read_by(command);
    if (!reads.empty()) {
      staleness.exchange(reads);
      segments.back().end_command = c;
      segments.push_back({c, end, std::move(reads)});
    }
    staleness.run(command);
  }
  return segments;
}

std::vector<Merge> merge_draws(const GivenDraws& whole, const Segment& segment, uint32_t threshold) {
  std::vector<Merge> merges;
  bool open = false;
  uint32_t command = 0;
  for (size_t r = 0; r < whole.runs().size(); ++r) {
    const DrawRecord& draw = whole.draws()[whole.runs()[r].draw];
    if (draw.command < segment.first_command || draw.command >= segment.end_command) continue;
    if (!open || (draw.command != command && merges.back().primitives > threshold) ||
        (draw.command != command && threshold == 0)) {
      merges.push_back({r, r, {}, 0, 0});
      open = true;
      command = ~draw.command;
    }
    Merge& merge = merges.back();
    if (draw.command != command) ++merge.draws;
    command = draw.command;
    merge.before.push_back(merge.primitives);
    merge.primitives += draw.triangle_count;
    merge.end_run = r + 1;
  }
  return merges;
}

Share share_of(const Merge& merge, int rank, int ranks) {
  const uint64_t each = (merge.primitives + uint64_t(ranks) - 1) / uint64_t(ranks);
  return {std::min(each * uint64_t(rank), merge.primitives), std::min(each * uint64_t(rank + 1), merge.primitives)};
}

namespace {

// 0xBBGGRR. The colours differ strongly, also for people with colour blindness; more ranks reuse them.
constexpr std::array<uint32_t, 8> kTints = {0xb27300, 0x0060d5, 0x739e00, 0xa779cc,
                                            0x42e4f0, 0xe9b456, 0x4040e0, 0xffffff};

}  // namespace

std::vector<uint32_t> tint_by_owner(const Layer& layer, uint32_t target, const OwnedBins& owners) {
  std::vector<uint32_t> pixels = screen_pixels(layer);
  for (int y = 0; y < layer.height; ++y) {
    for (int x = 0; x < layer.width; ++x) {
      uint32_t& pixel = pixels[size_t(y) * size_t(layer.width) + size_t(x)];
      const uint32_t tint = kTints[owners.owner(target, x, y) % kTints.size()];
      // Use grey, so that tints are not mistaken for colours of the frame.
      const uint32_t grey = (3 * (pixel & 255) + 6 * ((pixel >> 8) & 255) + ((pixel >> 16) & 255)) / 10;
      uint32_t mixed = 0xff000000u;
      for (int shift = 0; shift < 24; shift += 8) mixed |= ((7 * grey + 3 * ((tint >> shift) & 255)) / 10) << shift;
      pixel = mixed;
    }
  }
  return pixels;
}

}  // namespace brokkr::ranks
