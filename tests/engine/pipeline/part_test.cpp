// Parts of frames, as ranks draw them, on every machine.
#include "plan/part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "brokkr/load.h"
#include "oracle/soup.h"
#include "pictures.h"
#include "pipeline/machine_backend.h"
#include "plan/prepare.h"
#include "plan/target_squares.h"

namespace brokkr {
namespace {

using test::expect_same_pictures;
using test::machines;
using test::render_to_end;

oracle::SoupOptions small_soup() {
  oracle::SoupOptions soup;
  soup.width = 90;
  soup.height = 70;
  soup.draws = 6;
  return soup;
}

RenderOptions options_of(MachineKind machine, SmallTriangles small) {
  RenderOptions options;
  options.machine = machine;
  options.workers = 2;
  options.bin = 16;
  options.small_triangles = small;
  options.hierarchical_depth = false;  // so that the order does not change the fragment count
  return options;
}

std::shared_ptr<const OwnedBins> share_of_rank(int rank, int ranks) {
  auto owned = std::make_shared<OwnedBins>();
  owned->pattern = make_pattern(PatternKind::diagonal, ranks, 8, 8);
  owned->bin = 16;
  owned->rank = uint32_t(rank);
  return owned;
}

// Launches some commands of `prepared`, and restores it afterwards.
RenderResult draw_part(Renderer& renderer, PreparedFrame& prepared, RenderOptions options, const FramePart& part,
                       uint32_t end) {
  PreparedFrame::Impl::of(prepared).part = part;
  options.command_limit = end;
  RenderResult result = render_to_end(renderer, prepared, options);
  PreparedFrame::Impl::of(prepared).part = {};
  return result;
}

// Expects the pixels of `own` in the bins of `owned`, and those of `rest` elsewhere.
void expect_composed(const std::vector<TargetImage>& got, const OwnedBins& owned, const std::vector<TargetImage>& own,
                     const std::vector<TargetImage>& rest) {
  for (uint32_t t = 0; t < got.size(); ++t) {
    size_t wrong = 0;
    for (size_t l = 0; l < got[t].layers.size(); ++l) {
      const Layer& layer = got[t].layers[l];
      for (int y = 0; y < layer.height; ++y) {
        for (int x = 0; x < layer.width; ++x) {
          const Layer& from = (owned.owns(t, x, y) ? own : rest)[t].layers[l];
          const size_t i = size_t(y) * size_t(layer.width) + size_t(x);
          wrong +=
              layer.color[i] != from.color[i] || layer.depth[i] != from.depth[i] || layer.stencil[i] != from.stencil[i];
        }
      }
    }
    EXPECT_EQ(wrong, 0u) << "target " << t;
  }
}

TEST(Part, PixelsOfOthersAreLeftAlone) {
  constexpr int kRanks = 3;
  const Frame frame = oracle::make_soup(11, small_soup());
  const auto commands = uint32_t(frame.commands.size());
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  for (const MachineKind machine : machines()) {
    for (const SmallTriangles small : {SmallTriangles::queue, SmallTriangles::direct}) {
      SCOPED_TRACE(std::string(name_of(machine)) + ", " + name_of(small));
      const RenderOptions options = options_of(machine, small);
      const RenderResult whole = render_to_end(renderer, prepared, options);
      GivenDraws given(prepared);
      const RenderResult cleared = render_to_end(renderer, prepared, options);
      uint64_t fragments = 0;
      for (int rank = 0; rank < kRanks; ++rank) {
        const auto owned = share_of_rank(rank, kRanks);
        given.give_commands(0, commands);
        const RenderResult part = draw_part(renderer, prepared, options, {owned, 0, nullptr}, commands);
        expect_composed(part.targets, *owned, whole.targets, cleared.targets);
        fragments += part.statistics.fragments;
      }
      EXPECT_EQ(fragments, whole.statistics.fragments);
    }
  }
}

// A launch continues with the targets of the launch before. The frame is cut at every third command.
TEST(Part, GoesOnWithWhatTargetsHold) {
  oracle::SoupOptions soup = small_soup();
  soup.blits = true;
  const Frame frame = oracle::make_soup(3, soup);
  const auto commands = uint32_t(frame.commands.size());
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  for (const MachineKind machine : machines()) {
    SCOPED_TRACE(name_of(machine));
    RenderOptions options = options_of(machine, SmallTriangles::automatic);
    options.keep_ids = true;
    const RenderResult whole = render_to_end(renderer, prepared, options);
    const auto owned = share_of_rank(0, 1);
    GivenDraws given(prepared, true);
    for (uint32_t cut = 2; cut < commands; cut += 3) {
      SCOPED_TRACE(cut);
      given.give_commands(0, cut);
      std::vector<TargetImage> content = draw_part(renderer, prepared, options, {owned, 0, nullptr}, cut).targets;
      name_whole(content, prepared);
      mark_earlier(content);
      given.give_commands(cut, commands);
      RenderResult rest = draw_part(renderer, prepared, options, {owned, cut, &content}, commands);
      name_whole(rest.targets, prepared);
      expect_same_pictures(whole.targets, rest.targets);
    }
  }
}

// Two ranks with one device each: their squares go from one device's memory to the other's, and stay there for the next
// launch.
TEST(Part, SquaresGoFromMachineToMachine) {
  constexpr int kRanks = 2;
  constexpr uint32_t kAll = kPlaneColor | kPlaneDepth | kPlaneStencil;
  oracle::SoupOptions soup = small_soup();
  soup.format = ColorFormat::rgba16f;
  soup.layers = 2;
  const Frame frame = oracle::make_soup(5, soup);
  const auto commands = uint32_t(frame.commands.size());
  for (const MachineKind machine : machines()) {
    SCOPED_TRACE(name_of(machine));
    RenderOptions options = options_of(machine, SmallTriangles::automatic);
    struct Rank {
      Renderer renderer;
      PreparedFrame prepared;
      GivenDraws given;
      explicit Rank(const Frame& frame) : prepared(renderer.prepare(frame)), given(prepared) {}
      TargetSquares& squares() { return PreparedFrame::Impl::of(prepared).machine->squares(); }
    };
    Rank ranks[kRanks] = {Rank(frame), Rank(frame)};
    // Half-way, each rank takes over the other's squares.
    const auto owned_by = [](uint32_t rank, uint32_t half) { return share_of_rank(int(rank + half) % 2, kRanks); };
    const uint32_t ends[] = {0, commands / 2, commands};
    const auto draw = [&](uint32_t half) {
      for (uint32_t rank = 0; rank < uint32_t(kRanks); ++rank) {
        ranks[rank].given.give_commands(ends[half], ends[half + 1]);
        const FramePart part{owned_by(rank, half), ends[half], nullptr, half > 0};
        draw_part(ranks[rank].renderer, ranks[rank].prepared, options, part, ends[half + 1]);
      }
    };
    const auto hand = [&](uint32_t from, uint32_t to, uint32_t half) {
      const auto owned = owned_by(from, half);
      for (uint32_t target = 0; target < frame.targets.size(); ++target) {
        TargetSquares &out = ranks[from].squares(), &in = ranks[to].squares();
        const size_t bytes = out.bytes(*owned, owned->rank, target, kAll);
        EXPECT_EQ(bytes, in.bytes(*owned, owned->rank, target, kAll));
        std::vector<std::byte> message(bytes);
        void* const sent = out.memory(bytes);
        out.pack(*owned, owned->rank, target, kAll, sent);
        out.to_host(sent, message.data(), bytes);
        void* const received = in.memory(bytes);
        in.from_host(received, message.data(), bytes);
        in.unpack(*owned, owned->rank, target, kAll, received);
      }
    };
    draw(0);
    hand(0, 1, 0);
    hand(1, 0, 0);
    draw(1);
    hand(1, 0, 1);
    Renderer alone;
    expect_same_pictures(alone.render(frame, options).targets,
                         PreparedFrame::Impl::of(ranks[0].prepared).machine->read_back());
  }
}

// The visible opaque triangles, and their numbers, do not depend on the hidden ones.
TEST(Part, TrianglesKeepTheirNumbers) {
  LoadOptions load;
  load.width = 96;
  load.height = 64;
  const Frame frame = load_frame("generated:city?triangles=600&instanced=0", load);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  for (const MachineKind machine : machines()) {
    for (const Shading shading : {Shading::triangle, Shading::batch}) {
      SCOPED_TRACE(std::string(name_of(machine)) + ", " + name_of(shading));
      RenderOptions options = options_of(machine, SmallTriangles::automatic);
      options.shading = shading;
      options.keep_ids = true;
      const RenderResult whole = render_to_end(renderer, prepared, options);
      std::set<uint32_t> seen;
      for (const TargetImage& target : whole.targets) {
        for (const Layer& layer : target.layers) seen.insert(layer.visible_id.begin(), layer.visible_id.end());
      }
      seen.erase(kNoPrimitive);
      GivenDraws given(prepared, true);
      given.give(std::vector<uint32_t>(seen.begin(), seen.end()));
      RenderResult part = render_to_end(renderer, prepared, options);
      EXPECT_LT(part.statistics.triangles_in, whole.statistics.triangles_in);
      name_whole(part.targets, prepared);
      expect_same_pictures(whole.targets, part.targets);
    }
  }
}

}  // namespace
}  // namespace brokkr
