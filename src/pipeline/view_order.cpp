#include "pipeline/view_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace brokkr {
namespace {

constexpr uint32_t kLast = 0xffffffffu;

std::vector<uint32_t> ranks_of_views(const PreparedFrame::Impl& frame, const RenderOptions& o) {
  const size_t views = frame.views.size();
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

// Where a view is drawn: a rectangle of samples of a layer, x1 and y1 excluded.
struct Place {
  uint32_t target, layer, rank;
  int32_t x0, y0, x1, y1;
};

std::vector<Place> places_of_views(const PreparedFrame::Impl& frame, const PhasePlan& plan,
                                   const std::vector<uint32_t>& ranks) {
  std::vector<Place> places;
  for (size_t v = 0; v < frame.views.size(); ++v) {
    places.push_back({frame.views[v].target, frame.views[v].layer, ranks[v], INT32_MAX, INT32_MAX, 0, 0});
  }
  const RunRecord* last = nullptr;
  for (const RunRecord& run : frame.runs) {
    if (run.draw >= plan.draws.size()) break;
    if (last != nullptr && last->draw == run.draw && last->view == run.view) continue;
    last = &run;
    const int32_t* rect = plan.draws[run.draw].rect;
    Place& p = places[run.view];
    p.x0 = std::min(p.x0, rect[0]);
    p.y0 = std::min(p.y0, rect[1]);
    p.x1 = std::max(p.x1, rect[2]);
    p.y1 = std::max(p.y1, rect[3]);
  }
  return places;
}

// Squared, of the region's nearest sample.
uint32_t distance(const RegionRecord& region, int edge, float x, float y) {
  const double dx = std::max({0.0, double(region.x) - x, x - double(region.x + edge)});
  const double dy = std::max({0.0, double(region.y) - y, y - double(region.y + edge)});
  return uint32_t(std::min(dx * dx + dy * dy, 4e9));
}

uint32_t rank_of_region(const RegionRecord& region, int edge, const std::vector<Place>& places) {
  uint32_t rank = kLast;
  for (const Place& p : places) {
    if (p.target != region.target || p.layer != region.layer) continue;
    if (region.x < p.x1 && region.y < p.y1 && region.x + edge > p.x0 && region.y + edge > p.y0) {
      rank = std::min(rank, p.rank);
    }
  }
  return rank;
}

// The tasks in the order of their views' ranks, as far as they lie in one order-free phase.
std::vector<uint32_t> order_of_tasks(const PreparedFrame::Impl& frame, const PhasePlan& plan, const LaunchLayout& l,
                                     const std::vector<uint32_t>& ranks) {
  std::vector<uint32_t> order(l.tasks), rank(l.tasks, kLast);
  std::iota(order.begin(), order.end(), 0u);
  for (uint32_t batch = 0; batch < plan.batches; ++batch) {
    uint32_t& of_task = rank[batch / l.task_batches];
    const uint32_t run = plan.reuse != nullptr ? plan.reuse->batches[batch].run : frame.batch_run[batch];
    of_task = std::min(of_task, ranks[frame.runs[run].view]);
  }
  uint32_t begin = 0;
  for (const PhaseRecord& phase : plan.phases) {
    if (phase.kind == PhaseKind::order_free && phase.end_batch > begin) {
      const uint32_t first = (begin + l.task_batches - 1) / l.task_batches;
      const uint32_t end = phase.end_batch == plan.batches ? l.tasks : phase.end_batch / l.task_batches;
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

void add_view_order(const PreparedFrame::Impl& frame, const PhasePlan& plan, const RenderOptions& o, LaunchLayout& l) {
  if (!has_ranks(o.policy)) return;
  std::vector<uint32_t> rank(size_t(l.rasterizers), kLast);
  const auto each_region = [&](auto&& rank_of) {
    for (size_t r = 0; r < rank.size(); ++r) {
      for (uint32_t i = l.first_own_region[r]; i < l.first_own_region[r + 1]; ++i) {
        rank[r] = std::min(rank[r], rank_of(l.own_regions[i]));
      }
    }
  };
  std::vector<uint32_t> order;
  if (o.policy == Policy::foveated) {
    const uint32_t main = main_target(*frame.frame);
    const Target& target = frame.frame->targets[main];
    const float x = o.fixation ? (*o.fixation)[0] : 0.5f * float(target.width);
    const float y = o.fixation ? (*o.fixation)[1] : 0.5f * float(target.height);
    if (!std::isfinite(x) || !std::isfinite(y))
      throw std::invalid_argument("fixation: the point is not a number; give X,Y in pixels");
    each_region([&](const RegionRecord& g) { return g.target == main ? distance(g, l.region, x, y) : 0u; });
  } else {
    const std::vector<uint32_t> views = ranks_of_views(frame, o);
    const std::vector<Place> places = places_of_views(frame, plan, views);
    each_region([&](const RegionRecord& g) { return rank_of_region(g, l.region, places); });
    order = order_of_tasks(frame, plan, l, views);
  }
  l.first_own_region.insert(l.first_own_region.end(), rank.begin(), rank.end());
  l.first_own_region.insert(l.first_own_region.end(), order.begin(), order.end());
  l.reordered = !order.empty();
}

}  // namespace brokkr
