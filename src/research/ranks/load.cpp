#include "ranks/load.h"

#include <bit>
#include <map>
#include <numeric>
#include <stdexcept>

#include "ranks/project.h"

namespace brokkr::ranks {

struct LoadedFrame::Parts {
  Parts(Frame loaded, const LoadOptions& load, const std::shared_ptr<MemoryBudget>& budget)
      : frame(std::move(loaded)),
        prepared(renderer.prepare(frame, load)),
        given(prepared),
        held(budget, PreparedFrame::Impl::of(prepared).held(), "frames") {}

  Frame frame;
  Renderer renderer;
  PreparedFrame prepared;
  GivenDraws given;
  HeldMemory held;
};

LoadedFrame::LoadedFrame(const FrameCosts& costs, const RankSettings& settings,
                         const std::shared_ptr<MemoryBudget>& budget)
    : costs_(costs), settings_(settings) {
  const LoadOptions load{.memory_limit = settings.memory_limit};
  parts_ = std::make_unique<Parts>(load_frame(costs.file, load), load, budget);
}
LoadedFrame::~LoadedFrame() = default;

double LoadedFrame::geometry_us() const {
  return 1000 * std::accumulate(costs_.geometry_ms.begin(), costs_.geometry_ms.end(), 0.0);
}

namespace {

// The merge's primitives: who projects each, and who needs it.
MergeLoad spread(const Projector& projector, const Merge& merge, int ranks) {
  const auto n = size_t(ranks);
  MergeLoad load;
  load.project_us.resize(n);
  load.render_us.resize(n);
  load.left.resize(n);
  load.right.resize(n);
  load.kept.resize(n);
  load.taken.resize(n);
  constexpr uint64_t kId = sizeof(uint32_t);
  for (size_t from = 0; from < n; ++from) {
    const Share share = share_of(merge, int(from), ranks);
    projector.for_boxes(merge, share.begin, share.end, [&](uint32_t, uint32_t target, const ScreenBox& box) {
      for (uint64_t mask = projector.ranks_of(target, box); mask != 0; mask &= mask - 1) {
        const auto to = size_t(std::countr_zero(mask));
        if (to == from) {
          ++load.kept[to];
          continue;
        }
        ++load.taken[to];
        (to < from ? load.left : load.right)[from] += kId;
      }
    });
    // Markers.
    load.left[from] += kId * from;
    load.right[from] += kId * (n - 1 - from);
  }
  return load;
}

}  // namespace

std::vector<SegmentLoad> LoadedFrame::loads(int ranks, uint32_t threshold) {
  const PreparedFrame::Impl& tables = PreparedFrame::Impl::of(parts_->prepared);
  const bool programs = tables.shading(Shading::program) == Shading::program;
  const std::vector<Segment> segments = cut_segments(tables, programs, ~uint32_t(0));
  if (segments.size() != costs_.geometry_ms.size())
    throw std::runtime_error(costs_.file + ": is not the frame that was measured; measure it anew");
  std::map<uint32_t, const DrawCost*> draws;
  for (const DrawCost& draw : costs_.draws) draws[draw.command] = &draw;
  const auto owned = owned_bins(parts_->frame, settings_, 0, ranks);
  const Projector projector(tables, parts_->given, *owned);
  std::vector<SegmentLoad> loads(segments.size());
  for (size_t s = 0; s < segments.size(); ++s) {
    loads[s].exchange_bytes = costs_.exchange_bytes[s];
    for (const Merge& merge : merge_draws(parts_->given, segments[s], threshold)) {
      loads[s].merges.push_back(spread(projector, merge, ranks));
      // A rank's share takes its part of each of its draws.
      for (int rank = 0; rank < ranks; ++rank) {
        const Share share = share_of(merge, rank, ranks);
        for (size_t r = merge.first_run; r < merge.end_run; ++r) {
          const DrawRecord& draw = parts_->given.draws()[parts_->given.runs()[r].draw];
          const uint64_t first = merge.before[r - merge.first_run], last = first + draw.triangle_count;
          const uint64_t begin = std::max(first, share.begin), end = std::min(last, share.end);
          const auto found = draws.find(draw.command);
          if (begin >= end || found == draws.end() || found->second->primitives == 0) continue;
          loads[s].merges.back().project_us[size_t(rank)] +=
              found->second->project_us * double(end - begin) / double(found->second->primitives);
        }
      }
    }
  }
  bool measured = false;
  for (const LaunchCost& launch : costs_.launches) {
    if (launch.ranks != ranks) continue;
    measured = true;
    for (size_t s = 0; s < segments.size(); ++s) {
      const double us = 1000 * launch.segment_ms[s];
      const auto rank = size_t(launch.rank);
      const double whole_us = 1000 * launch.whole_ms[s];
      if (launch.mode == ShareMode::duplicate) {
        loads[s].duplicate_us.push_back(us);
        loads[s].duplicate_whole_us.push_back(whole_us);
        continue;
      }
      loads[s].whole_us.push_back(whole_us);
      if (loads[s].merges.empty()) {
        loads[s].copy_us.push_back(us);
        continue;
      }
      // A launch's time is shared out over its merges by their primitives; where there are none, the first has it.
      uint64_t all = 0;
      for (const MergeLoad& merge : loads[s].merges) all += merge.kept[rank] + merge.taken[rank];
      for (size_t m = 0; m < loads[s].merges.size(); ++m) {
        MergeLoad& merge = loads[s].merges[m];
        merge.render_us[rank] = all > 0  ? us * double(merge.kept[rank] + merge.taken[rank]) / double(all)
                                : m == 0 ? us
                                         : 0;
      }
    }
  }
  if (!measured)
    throw std::runtime_error(costs_.file + ": was not measured for " + std::to_string(ranks) +
                             " ranks; measure it with more --most");
  return loads;
}

}  // namespace brokkr::ranks
