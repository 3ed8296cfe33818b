// The same operations on the same numbers as geometry/vertex.h and setup.h, and in the same order: what those cull is
// culled here, and a box here is the box there. Where the pipeline clips, the box is made of the clipped triangle in
// double precision, with a margin for the pipeline's roundings.
#include "ranks/project.h"

#include <array>
#include <bit>
#include <cmath>

#include "geometry/constants.h"

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

// Whether some corner is beyond near, far or the guard band; a little early for the latter.
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

// Of a triangle that is not clipped: as set_up has it.
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
  const auto low = [](const int64_t(&v)[3]) { return int32_t((std::min({v[0], v[1], v[2]}) + 127) >> 8); };
  const auto high = [](const int64_t(&v)[3]) { return int32_t((std::max({v[0], v[1], v[2]}) - 128) >> 8); };
  return within(draw, {low(x), low(y), high(x), high(y)});
}

// A convex polygon in clip space: a triangle that two planes cut.
struct Polygon {
  std::array<std::array<double, 4>, 5> corner;
  size_t corners = 0;
};

// What lies within the plane, of which `distance` is not below -slack.
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

// Of a triangle that is clipped. A corner that the pipeline computes is off by a few 2^-24 of the largest coordinate;
// so the planes are moved out by more than that, and the box grows by what it can be on the screen.
ScreenBox clipped_box(const DrawRecord& draw, const Corners& tri) {
  Polygon polygon;
  double largest = 0;
  for (const Corner& c : tri) {
    polygon.corner[polygon.corners++] = {double(c.x), double(c.y), double(c.z), double(c.w)};
    for (const double v : polygon.corner[polygon.corners - 1]) largest = std::max(largest, std::abs(v));
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

}  // namespace brokkr::ranks
