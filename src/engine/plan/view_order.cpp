// Orders rasterizers and geometry for the policies that have ranks.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "plan/prepare.h"

namespace brokkr {
namespace {

constexpr uint32_t kLast = 0xffffffffu;

std::vector<uint32_t> ranks_of_views(size_t views, const RankKey& o) {
  std::vector<uint32_t> ranks(views, kLast);
  const auto check = [&](size_t given, const char* what) {
    if (given > views) {
      throw std::invalid_argument(std::string(what) + ": " + std::to_string(given) +
                                  " are given, one per view, but the frame has " + std::to_string(views) +
                                  (views == 1 ? " view" : " views") + "; leave the rest out");
    }
  };
  if (o.policy == Policy::priority) {
    check(o.view_priorities.size(), "view-priority");
    for (size_t v = 0; v < o.view_priorities.size(); ++v) ranks[v] = kLast - o.view_priorities[v];
  } else {
    check(o.view_deadlines_ms.size(), "view-deadline");
    for (size_t v = 0; v < o.view_deadlines_ms.size(); ++v) {
      const double ms = o.view_deadlines_ms[v];
      if (!(ms >= 0)) throw std::invalid_argument("view-deadline: " + std::to_string(ms) + " ms is not 0 or more");
      ranks[v] = uint32_t(std::min(ms * 1000.0, 4e9));
    }
  }
  return ranks;
}

// The rectangle of samples that a view draws to in a layer; x1 and y1 are excluded.
struct ViewPlace {
  uint32_t target, layer, rank;
  int32_t x0, y0, x1, y1;
};

std::vector<ViewPlace> places_of_views(const PreparedFrame::Impl& frame, const DrawPlan& plan,
                                       const std::vector<uint32_t>& ranks) {
  std::vector<ViewPlace> places;
  for (size_t v = 0; v < frame.views.size(); ++v) {
    places.push_back({frame.views[v].target, frame.views[v].layer, ranks[v], INT32_MAX, INT32_MAX, 0, 0});
  }
  const RunRecord* last = nullptr;
  for (const RunRecord& run : frame.runs) {
    if (run.draw >= plan.draws.size()) break;
    if (last != nullptr && last->draw == run.draw && last->view == run.view) continue;
    last = &run;
    const int32_t* rect = plan.draws[run.draw].rect;
    ViewPlace& p = places[run.view];
    p.x0 = std::min(p.x0, rect[0]);
    p.y0 = std::min(p.y0, rect[1]);
    p.x1 = std::max(p.x1, rect[2]);
    p.y1 = std::max(p.y1, rect[3]);
  }
  return places;
}

// The squared distance from (x, y) to the region's nearest sample.
uint32_t distance(const RegionRecord& region, int edge, float x, float y) {
  const double dx = std::max({0.0, double(region.x) - x, x - double(region.x + edge)});
  const double dy = std::max({0.0, double(region.y) - y, y - double(region.y + edge)});
  return uint32_t(std::min(dx * dx + dy * dy, 4e9));
}

uint32_t rank_of_region(const RegionRecord& region, int edge, const std::vector<ViewPlace>& places) {
  uint32_t rank = kLast;
  for (const ViewPlace& p : places) {
    if (p.target != region.target || p.layer != region.layer) continue;
    if (region.x < p.x1 && region.y < p.y1 && region.x + edge > p.x0 && region.y + edge > p.y0) {
      rank = std::min(rank, p.rank);
    }
  }
  return rank;
}

// The tasks, sorted by the ranks of their views within each order-free phase.
std::vector<uint32_t> order_of_tasks(const PreparedFrame::Impl& frame, const DrawPlan& draws, const TaskSizes& sizes,
                                     const std::vector<uint32_t>& ranks) {
  std::vector<uint32_t> order(sizes.tasks), rank(sizes.tasks, kLast);
  std::iota(order.begin(), order.end(), 0u);
  for (uint32_t batch = 0; batch < draws.batches; ++batch) {
    uint32_t& task_rank = rank[batch / sizes.task_batches];
    const uint32_t run = draws.reuse != nullptr ? draws.reuse->batches[batch].run : frame.batch_run[batch];
    task_rank = std::min(task_rank, ranks[frame.runs[run].view]);
  }
  uint32_t begin = 0;
  for (const PhaseRecord& phase : draws.phases) {
    if (phase.kind == PhaseKind::order_free && phase.end_batch > begin) {
      const uint32_t first = (begin + sizes.task_batches - 1) / sizes.task_batches;
      const uint32_t end = phase.end_batch == draws.batches ? sizes.tasks : phase.end_batch / sizes.task_batches;
      if (first < end) {
        std::stable_sort(order.begin() + first, order.begin() + end,
                         [&](uint32_t a, uint32_t b) { return rank[a] < rank[b]; });
      }
    }
    begin = std::max(begin, phase.end_batch);
  }
  return order;
}

}  // namespace

void order_views(const PreparedFrame::Impl& frame, const RankKey& key, LaunchPlan& plan) {
  if (!key.policy) return;
  const TargetPlan& t = *plan.targets;
  plan.ranks.assign(size_t(t.rasterizers), kLast);
  const auto each_region = [&](auto&& rank_of) {
    for (size_t r = 0; r < plan.ranks.size(); ++r) {
      for (uint32_t i = t.first_region_of_owner[r]; i < t.first_region_of_owner[r + 1]; ++i) {
        plan.ranks[r] = std::min(plan.ranks[r], rank_of(t.regions_by_owner[i]));
      }
    }
  };
  if (key.policy == Policy::foveated) {
    const uint32_t main = frame.main_target;
    const Target& target = frame.frame->targets[main];
    const float x = key.fixation ? (*key.fixation)[0] : 0.5f * float(target.width);
    const float y = key.fixation ? (*key.fixation)[1] : 0.5f * float(target.height);
    if (!std::isfinite(x) || !std::isfinite(y))
      throw std::invalid_argument("fixation: the point is not a number; give X,Y in pixels");
    each_region([&](const RegionRecord& g) { return g.target == main ? distance(g, t.region, x, y) : 0u; });
  } else {
    const std::vector<uint32_t> views = ranks_of_views(frame.views.size(), key);
    const std::vector<ViewPlace> places = places_of_views(frame, *plan.draws, views);
    each_region([&](const RegionRecord& g) { return rank_of_region(g, t.region, places); });
    plan.task_order = order_of_tasks(frame, *plan.draws, plan.sizes, views);
  }
}

}  // namespace brokkr
