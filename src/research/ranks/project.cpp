// Repeats the operations of geometry/vertex.h and setup.h on the same numbers in the same order, so that it culls the
// same primitives and computes the same boxes. If the pipeline clips a triangle, its box is computed from the clipped
// triangle in double precision, with a margin for the pipeline's rounding.

#include "ranks/project.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include "geometry/triangle_store.h"
#include "ranks/costs.h"

namespace brokkr::ranks {
namespace {

struct Corner {
  float x, y, z, w;
};
using Corners = std::array<Corner, 3>;

float near_distance(const DrawRecord& draw, const Corner& c) {
  return (draw.bits & kDrawDepthClamp) != 0 ? c.w : (draw.bits & kDrawZeroToOne) != 0 ? c.z : c.z + c.w;
}
float far_distance(const DrawRecord& draw, const Corner& c) {
  return (draw.bits & kDrawDepthClamp) != 0 ? c.w : c.w - c.z;
}

template <class Test>
bool all_corners(const Corners& tri, Test&& test) {
  return test(tri[0]) && test(tri[1]) && test(tri[2]);
}

bool outside_view(const DrawRecord& draw, const Corners& tri) {
  const auto finite = [](const Corner& c) {
    return std::isfinite(c.x) && std::isfinite(c.y) && std::isfinite(c.z) && std::isfinite(c.w);
  };
  return all_corners(tri, [](const Corner& c) { return c.x < -c.w; }) ||
         all_corners(tri, [](const Corner& c) { return c.x > c.w; }) ||
         all_corners(tri, [](const Corner& c) { return c.y < -c.w; }) ||
         all_corners(tri, [](const Corner& c) { return c.y > c.w; }) || !all_corners(tri, finite) ||
         all_corners(tri, [&](const Corner& c) { return near_distance(draw, c) < 0; }) ||
         all_corners(tri, [&](const Corner& c) { return far_distance(draw, c) < 0; });
}

// Returns true if some corner is beyond near, far or the guard band; for the guard band, slightly early.
bool needs_clipping(const DrawRecord& draw, const Corners& tri) {
  return !all_corners(tri, [&](const Corner& c) {
    const float x = c.x * draw.scale[0] + c.w * draw.offset[0], y = c.y * draw.scale[1] + c.w * draw.offset[1];
    const float low = (kGuardMin + 2 * kGuardMargin) * c.w, high = (kGuardMax - 2 * kGuardMargin) * c.w;
    return c.w > 0 && near_distance(draw, c) >= 0 && far_distance(draw, c) >= 0 && x > low && x < high && y > low &&
           y < high;
  });
}

ScreenBox within(const DrawRecord& draw, ScreenBox box) {
  return {std::max(box.min_x, draw.rect[0]), std::max(box.min_y, draw.rect[1]), std::min(box.max_x, draw.rect[2] - 1),
          std::min(box.max_y, draw.rect[3] - 1)};
}

int32_t snap(float at) {
  return int32_t(std::lrint(std::min(std::max(at * 256.0f, kGuardMin * 256.0f), kGuardMax * 256.0f)));
}

// The box of an unclipped triangle, as set_up computes it.
ScreenBox exact_box(const DrawRecord& draw, const Corners& tri) {
  int64_t x[3], y[3];
  for (size_t i = 0; i < 3; ++i) {
    const float inverse = 1.0f / tri[i].w;
    x[i] = snap((tri[i].x * inverse) * draw.scale[0] + draw.offset[0]);
    y[i] = snap((tri[i].y * inverse) * draw.scale[1] + draw.offset[1]);
  }
  const int64_t area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
  const bool front = (draw.bits & kDrawFrontClockwise) != 0 ? area < 0 : area > 0;
  if (area == 0 || ((draw.bits & kDrawCullFront) != 0 && front) || ((draw.bits & kDrawCullBack) != 0 && !front))
    return {};
  const auto low = [](const int64_t(&at)[3]) { return int32_t((std::min({at[0], at[1], at[2]}) + 127) >> 8); };
  const auto high = [](const int64_t(&at)[3]) { return int32_t((std::max({at[0], at[1], at[2]}) - 128) >> 8); };
  return within(draw, {low(x), low(y), high(x), high(y)});
}

// A convex polygon in clip space: a triangle that two planes cut.
struct Polygon {
  std::array<std::array<double, 4>, 5> corner;
  size_t corners = 0;
};

// The part of the polygon inside the plane, where `distance` is at least -slack.
template <class Distance>
Polygon cut(const Polygon& from, double slack, Distance&& distance) {
  Polygon to;
  for (size_t i = 0; i < from.corners; ++i) {
    const auto &a = from.corner[i], &b = from.corner[(i + 1) % from.corners];
    const double da = distance(a) + slack, db = distance(b) + slack;
    if (da >= 0) to.corner[to.corners++] = a;
    if ((da >= 0) == (db >= 0)) continue;
    auto& c = to.corner[to.corners++];
    for (size_t k = 0; k < 4; ++k) c[k] = a[k] + da / (da - db) * (b[k] - a[k]);
  }
  return to;
}

// The box of a clipped triangle. The pipeline's corners have an error of a few 2^-24 of the largest coordinate. So the
// planes are moved outwards by more than that, and the box grows by the corresponding error on the screen.
ScreenBox clipped_box(const DrawRecord& draw, const Corners& tri) {
  Polygon polygon;
  double largest = 0;
  for (const Corner& c : tri) {
    polygon.corner[polygon.corners++] = {double(c.x), double(c.y), double(c.z), double(c.w)};
    for (const double value : polygon.corner[polygon.corners - 1]) largest = std::max(largest, std::abs(value));
  }
  const double slack = 0x1p-20 * largest;
  const bool clamp = (draw.bits & kDrawDepthClamp) != 0, half = (draw.bits & kDrawZeroToOne) != 0;
  polygon = cut(polygon, slack, [&](const auto& c) { return clamp ? c[3] : half ? c[2] : c[2] + c[3]; });
  polygon = cut(polygon, slack, [&](const auto& c) { return clamp ? c[3] : c[3] - c[2]; });
  if (polygon.corners == 0) return {};
  double least_w = INFINITY, most = 1;
  for (size_t i = 0; i < polygon.corners; ++i) least_w = std::min(least_w, polygon.corner[i][3]);
  const ScreenBox all = within(draw, {0, 0, 1 << 20, 1 << 20});
  if (!(least_w > 0x1p-12 * largest)) return all;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, margin = 0;
  for (size_t i = 0; i < polygon.corners; ++i) {
    for (size_t k = 0; k < 2; ++k) {
      const double at = polygon.corner[i][k] / polygon.corner[i][3];
      most = std::max(most, std::abs(at));
      low[k] = std::min(low[k], at * double(draw.scale[k]) + double(draw.offset[k]));
      high[k] = std::max(high[k], at * double(draw.scale[k]) + double(draw.offset[k]));
      margin = std::max(margin, std::abs(double(draw.scale[k])));
    }
  }
  margin = 1 + margin * (1 + most) * 2 * slack / least_w;
  const auto pixel = [](double at) { return int32_t(std::floor(std::min(std::max(at, -1e6), 1e6))); };
  return within(draw,
                {pixel(low[0] - margin), pixel(low[1] - margin), pixel(high[0] + margin), pixel(high[1] + margin)});
}

}  // namespace

Projector::Projector(const PreparedFrame::Impl& frame, const GivenDraws& whole, const OwnedBins& owners)
    : frame_(frame), whole_(whole), owners_(owners) {
  const int ranks = owners.pattern.rasterizers;
  everybody_ = ranks >= 64 ? ~uint64_t(0) : (uint64_t(1) << ranks) - 1;
}

Projector::OpenRun Projector::open(size_t number) const {
  const RunRecord& record = whole_.runs()[number];
  OpenRun run;
  run.draw = &whole_.draws()[record.draw];
  run.first_primitive = record.first_batch * kBatchTriangles;
  const ViewRecord& view = frame_.views[record.view];
  run.target = view.target;
  const glm::vec4* const positions = frame_.positions().data() + run.draw->first_vertex;
  run.positions = &positions->x;
  if ((run.draw->bits & kDrawTransform) == 0) {
    run.positions += size_t(record.instance) * run.draw->vertex_count * 4;
    return run;
  }
  const float* const a = view.view_projection;
  const float* const b = &frame_.frame->models[run.draw->first_instance + record.instance][0][0];
  for (int column = 0; column < 16; column += 4) {
    for (int row = 0; row < 4; ++row) {
      run.clip[column + row] = ((a[row] * b[column] + a[4 + row] * b[column + 1]) + a[8 + row] * b[column + 2]) +
                               a[12 + row] * b[column + 3];
    }
  }
  return run;
}

ScreenBox Projector::box_of(const OpenRun& run, uint32_t triangle) const {
  const DrawRecord& draw = *run.draw;
  uint32_t element[3];
  triangle_elements(draw.assembly, triangle, element);
  Corners tri;
  for (size_t i = 0; i < 3; ++i) {
    const uint32_t vertex =
        (draw.bits & kDrawIndexed) != 0 ? whole_.indices()[draw.first_index + element[i]] : element[i];
    const float* const at = run.positions + size_t(vertex) * 4;
    const float x = at[0], y = at[1], z = at[2];
    if ((draw.bits & kDrawTransform) == 0) {
      tri[i] = {x, y, z, at[3]};
      continue;
    }
    const auto row = [&](const float* clip) { return ((clip[0] * x + clip[4] * y) + clip[8] * z) + clip[12]; };
    tri[i] = {row(run.clip), row(run.clip + 1), row(run.clip + 2), row(run.clip + 3)};
  }
  if (outside_view(draw, tri)) return {};
  return needs_clipping(draw, tri) ? clipped_box(draw, tri) : exact_box(draw, tri);
}

uint64_t Projector::ranks_of(uint32_t target, const ScreenBox& box) const {
  if (box.empty()) return 0;
  uint64_t mask = 0;
  const int bin = owners_.bin;
  for (int y = box.min_y / bin; y <= box.max_y / bin; ++y) {
    for (int x = box.min_x / bin; x <= box.max_x / bin; ++x) {
      mask |= uint64_t(1) << owners_.owner(target, x * bin, y * bin);
      if (mask == everybody_) return mask;
    }
  }
  return mask;
}

void Projector::project(const Merge& merge, uint64_t begin, uint64_t end, IdsByRank& ids) const {
  for_boxes(merge, begin, end, [&](uint32_t primitive, uint32_t target, const ScreenBox& box) {
    for (uint64_t mask = ranks_of(target, box); mask != 0; mask &= mask - 1)
      ids[size_t(std::countr_zero(mask))].push_back(primitive);
  });
}

namespace {

// Number of primitives that a thread projects at a time: about 50 microseconds.
constexpr uint64_t kPart = 1024;

}  // namespace

Distribution::Distribution(Talk& talk, const Projector& projector, int workers, bool runahead)
    : talk_(talk), projector_(projector), workers_(std::max(1, workers)), runahead_(runahead) {}

// Projects this rank's share of the merge. While threads project, this thread makes progress with messages.
IdsByRank Distribution::project(const Merge& merge, DistributionCounts& counts) {
  const Clock::time_point begin = Clock::now();
  const auto ranks = size_t(talk_.size());
  const Share share = share_of(merge, talk_.rank(), talk_.size());
  counts.projected += share.end - share.begin;
  const uint64_t parts = (share.end - share.begin + kPart - 1) / kPart;
  std::vector<IdsByRank> ids_of_part(parts, IdsByRank(ranks));
  std::atomic<uint64_t> next = 0;
  const auto project_part = [&](uint64_t part) {
    const uint64_t first = share.begin + part * kPart;
    projector_.project(merge, first, std::min(first + kPart, share.end), ids_of_part[part]);
  };
  const std::function<void(int)> work = [&](int) {
    for (uint64_t part; (part = next.fetch_add(1, std::memory_order_relaxed)) < parts;) project_part(part);
  };
  if (parts > 1 && workers_ > 1) {
    pool_.start(int(std::min<uint64_t>(uint64_t(workers_), parts)), work);
    while (!pool_.wait(0.2)) talk_.transport().progress();
  } else {
    for (uint64_t part = 0; part < parts; ++part) {
      project_part(part);
      talk_.transport().progress();
    }
  }
  IdsByRank ids(ranks);
  for (const IdsByRank& part : ids_of_part) {
    for (size_t r = 0; r < ranks; ++r) ids[r].insert(ids[r].end(), part[r].begin(), part[r].end());
  }
  counts.project_ms += ms_since(begin);
  return ids;
}

void Distribution::send(IdsByRank& ids, DistributionCounts& counts) {
  for (int to = 0; to < talk_.size(); ++to) {
    std::vector<uint32_t>& list = ids[size_t(to)];
    if (to == talk_.rank()) {
      waiting_ids_.push_back(std::move(list));
      continue;
    }
    list.push_back(kLastTriangle);
    Message message;
    append<uint32_t>(message, list);
    counts.id_bytes += message.size();
    talk_.send(to, Channel::ids, std::move(message));
  }
}

void Distribution::append_ids(int from, const std::vector<uint32_t>& ids, DistributionCounts& counts) {
  counts.taken_from[size_t(from)] += ids.size();
  given_.insert(given_.end(), ids.begin(), ids.end());
}

// Receives the ids of the oldest merge in progress, rank by rank, so that they are in the order of the draws.
void Distribution::take(DistributionCounts& counts) {
  const Clock::time_point begin = Clock::now();
  for (int from = 0; from < talk_.size(); ++from) {
    if (from == talk_.rank()) {
      append_ids(from, waiting_ids_.front(), counts);
      continue;
    }
    const Message message = talk_.receive(from, Channel::ids);
    std::vector<uint32_t> ids(message.size() / sizeof(uint32_t));
    std::memcpy(ids.data(), message.data(), ids.size() * sizeof(uint32_t));
    if (ids.empty() || ids.back() != kLastTriangle)
      throw std::runtime_error("rank " + std::to_string(from) + " sent ids without their end");
    ids.pop_back();
    append_ids(from, ids, counts);
  }
  waiting_ids_.erase(waiting_ids_.begin());
  counts.wait_ms += ms_since(begin);
}

std::vector<uint32_t> Distribution::run(const std::vector<Merge>& merges, DistributionCounts& counts) {
  counts.taken_from.resize(size_t(talk_.size()));
  given_.clear();
  for (const Merge& merge : merges) {
    IdsByRank ids = project(merge, counts);
    // At most one merge is ahead of the one that all ranks have.
    if (!waiting_ids_.empty()) take(counts);
    send(ids, counts);
    if (!runahead_) take(counts);
  }
  while (!waiting_ids_.empty()) take(counts);
  talk_.flush();
  counts.merges += merges.size();
  return std::move(given_);
}

namespace {

// The maximum load divided by the mean.
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
