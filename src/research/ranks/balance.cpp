#include "ranks/balance.h"

#include <algorithm>
#include <numeric>

#include "ranks/project.h"

namespace brokkr::ranks {
namespace {

// Of the most over the mean.
double unevenness(const std::vector<uint64_t>& loads) {
  const auto sum = double(std::accumulate(loads.begin(), loads.end(), uint64_t(0)));
  return sum > 0 ? double(*std::max_element(loads.begin(), loads.end())) * double(loads.size()) / sum : 1;
}

}  // namespace

std::vector<Balance> measure_balance(const Frame& frame, const RenderOptions& asked, const RankSettings& settings,
                                     int ranks) {
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame, {.memory_limit = asked.memory_limit});
  RenderOptions options = asked;
  options.bin = settings.bin;
  const Statistics s = renderer.render(prepared, options, false).statistics;
  const uint32_t main = main_target(frame);
  const int bins_x = (frame.targets[main].width + settings.bin - 1) / settings.bin;
  const GivenDraws given(prepared);
  const PreparedFrame::Impl& tables = PreparedFrame::Impl::of(prepared);
  const Segment whole{0, uint32_t(frame.commands.size()), {}};
  const std::vector<Merge> merges = merge_draws(given, whole, ~uint32_t(0));
  std::vector<Balance> list;
  for (const auto& kind : Choices<PatternKind>::all) {
    RankSettings with = settings;
    with.pattern = kind.value;
    const auto owned = owned_bins(frame, with, 0, ranks);
    std::vector<uint64_t> fragments(size_t(ranks), 0), primitives(size_t(ranks), 0);
    for (size_t bin = 0; bin < s.bin_fragments.size(); ++bin) {
      const int x = int(bin) % bins_x * settings.bin, y = int(bin) / bins_x * settings.bin;
      fragments[owned->owner(main, x, y)] += s.bin_fragments[bin];
    }
    const Projector projector(tables, given, *owned);
    IdsByRank ids{size_t(ranks)};
    uint64_t needed = 0;
    for (const Merge& merge : merges) {
      projector.for_boxes(merge, 0, merge.primitives,
                          [&](uint32_t, uint32_t, const ScreenBox& box) { needed += box.empty() ? 0 : 1; });
      projector.project(merge, 0, merge.primitives, ids);
    }
    for (size_t r = 0; r < ids.size(); ++r) primitives[r] = ids[r].size();
    const auto copies = double(std::accumulate(primitives.begin(), primitives.end(), uint64_t(0)));
    list.push_back(
        {kind.name, unevenness(fragments), unevenness(primitives), needed > 0 ? copies / double(needed) : 0});
  }
  return list;
}

}  // namespace brokkr::ranks
