// Builds a kd-tree by binned splits of space, and GrUG over it [Steffen12, appendix A]. GrUG splits nodes at planes of
// the grid until no split pays; the remaining nodes are groups of grid cells, each with its own tree.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "trace/structure.h"

namespace brokkr::trace {
namespace {

constexpr int kKdBins = 32;
constexpr uint32_t kKdLeafAim = 3;  // triangles that a leaf may have if no split is cheaper
constexpr float kKdStepCost = 1.0f, kKdTestCost = 1.5f;
constexpr float kEmptyBonus = 0.8f;  // cost factor of a split that cuts off empty space

// Cells low .. high, both inclusive.
struct Cells {
  int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
};

class KdBuilder {
 public:
  KdBuilder(const TraceScene& scene, uint32_t grid, const Budget& budget)
      : scene_(scene), grid_(int(grid)), memory_(budget, "structure") {
    const auto n = uint32_t(scene.triangles.size());
    memory_.hold(n * (sizeof(Box) + sizeof(uint32_t)) + uint64_t(grid) * grid * grid * sizeof(uint32_t));
    boxes_.resize(n);
    std::vector<uint32_t> all(n);
    for (uint32_t i = 0; i < n; ++i) {
      boxes_[i] = bounds_of(scene.triangles[i], scene.tolerance);
      all[i] = i;
    }
    // The number of references may grow to several times the triangles: in a deeper tree, each triangle would lie in
    // too many leaves.
    max_depth_ = std::min(58, int(8 + 1.3 * std::log2(double(n) + 1)));
    const Box space{scene.low, scene.high};
    if (grid_ == 0) {
      s_.kind = StructureKind::kd;
      memory_.make_room(s_.kd, 1);
      s_.kd.emplace_back();
      fill(0, std::move(all), space, 0);
      return;
    }
    s_.kind = StructureKind::grug;
    while ((1u << s_.grid_bits) < grid) ++s_.grid_bits;
    s_.cells.assign(size_t(grid) * grid * grid, 0);
    Cells cells;
    for (int& high : cells.high) high = grid_ - 1;
    group(std::move(all), cells);
  }
  Structure take() { return std::move(s_); }

 private:
  using List = std::vector<uint32_t>;
  struct Plane {
    int axis = -1;
    float at = 0;
    int cell = 0;  // the first cell above the plane, for a split at a plane of the grid
  };
  const TraceScene& scene_;
  int grid_;
  GrowingMemory memory_;
  int max_depth_ = 0;
  std::vector<Box> boxes_;
  Structure s_;

  // The lower plane of cell `cell`, computed exactly as the walk does.
  float grid_plane(int axis, int cell) const {
    return float(cell) * ((scene_.high[axis] - scene_.low[axis]) / float(grid_)) + scene_.low[axis];
  }
  Box box_of(const Cells& cells) const {
    Box box;
    for (int a = 0; a < 3; ++a) {
      box.low[a] = grid_plane(a, cells.low[a]);
      box.high[a] = grid_plane(a, cells.high[a] + 1);
    }
    return box;
  }

  // The best of the planes `plane_at(axis, i)` for i in 1 .. count(axis) - 1, at most kKdBins - 1 of them; axis -1 if a
  // leaf is cheaper.
  template <class Count, class At>
  Plane best_plane(const List& list, const Box& space, Count&& count, At&& plane_at) const {
    Plane best;
    float least = kKdTestCost * float(list.size());
    const float area = space.half_area();
    if (!(area > 0)) return best;
    for (int axis = 0; axis < 3; ++axis) {
      const int n = std::min(count(axis), kKdBins);
      if (n < 2) continue;
      std::array<float, kKdBins + 1> planes{};
      std::array<int, kKdBins + 1> cells{};
      for (int i = 0; i <= n; ++i) {
        cells[size_t(i)] = int(int64_t(i) * count(axis) / n);
        planes[size_t(i)] = plane_at(axis, cells[size_t(i)]);
      }
      // Triangles that begin at or below plane i are on its lower side. Triangles that do not end below it are on its
      // upper side.
      std::array<uint32_t, kKdBins + 2> begins{}, ends{};
      const float first = planes[0], scale = float(n) / (planes[size_t(n)] - planes[0]);
      const auto bin_of = [&](float p) { return std::clamp(int((p - first) * scale), 0, n - 1); };
      for (const uint32_t p : list) {
        int low = bin_of(boxes_[p].low[axis]), high = bin_of(boxes_[p].high[axis]);
        // Finds the exact first plane at or above the triangle's start and the exact last one at or below its end.
        while (low < n && planes[size_t(low)] < boxes_[p].low[axis]) ++low;
        while (low > 0 && planes[size_t(low) - 1] >= boxes_[p].low[axis]) --low;
        while (high < n && planes[size_t(high) + 1] <= boxes_[p].high[axis]) ++high;
        while (high >= 0 && planes[size_t(high)] > boxes_[p].high[axis]) --high;
        ++begins[size_t(low)];     // on the lower side of planes from low on
        ++ends[size_t(high + 1)];  // on the upper side of planes up to high
      }
      uint32_t lower = 0, gone = 0;
      for (int i = 0; i <= n; ++i) {
        lower += begins[size_t(i)];
        gone += ends[size_t(i)];
        if (i == 0 || i == n) continue;
        const uint32_t upper = uint32_t(list.size()) - gone;
        Box a = space, b = space;
        a.high[axis] = b.low[axis] = planes[size_t(i)];
        float cost = kKdStepCost + kKdTestCost * (a.half_area() * float(lower) + b.half_area() * float(upper)) / area;
        if (lower == 0 || upper == 0) cost *= kEmptyBonus;
        if (cost >= least || (lower == list.size() && upper == list.size())) continue;
        least = cost;
        best = {axis, planes[size_t(i)], cells[size_t(i)]};
      }
    }
    return best;
  }
  // A triangle that touches the plane lies on both sides.
  void divide(const List& list, const Plane& plane, List& lower, List& upper) {
    const auto is_lower = [&](uint32_t p) { return boxes_[p].low[plane.axis] <= plane.at; };
    const auto is_upper = [&](uint32_t p) { return boxes_[p].high[plane.axis] >= plane.at; };
    const auto lower_count = size_t(std::count_if(list.begin(), list.end(), is_lower)),
               upper_count = size_t(std::count_if(list.begin(), list.end(), is_upper));
    memory_.hold((lower_count + upper_count) * sizeof(uint32_t));
    lower.reserve(lower_count);
    upper.reserve(upper_count);
    for (const uint32_t p : list) {
      if (is_lower(p)) lower.push_back(p);
      if (is_upper(p)) upper.push_back(p);
    }
  }
  void drop(List& list) {
    memory_.give_back(list.size() * sizeof(uint32_t));
    list = List();
  }

  void fill(uint32_t node, List list, const Box& space, int depth) {
    s_.depth = std::max(s_.depth, depth);
    Plane plane;
    if (list.size() > kKdLeafAim && depth < max_depth_) {
      plane = best_plane(
          list, space, [](int) { return kKdBins; },
          [&](int axis, int i) {
            return space.low[axis] + (space.high[axis] - space.low[axis]) * (float(i) / float(kKdBins));
          });
    }
    if (plane.axis < 0) {
      if (s_.places.size() + list.size() > 0x3fffffffu)
        throw std::runtime_error("the kd-tree needs more than 2^30 references; use --structure bvh");
      s_.kd[node] = {uint32_t(s_.places.size()), uint32_t(list.size()) << 2 | 3u};
      memory_.make_room(s_.places, list.size());
      s_.places.insert(s_.places.end(), list.begin(), list.end());
      drop(list);
      return;
    }
    const auto child = uint32_t(s_.kd.size());
    memory_.make_room(s_.kd, 2);
    s_.kd.resize(child + 2);
    uint32_t bits;
    static_assert(sizeof bits == sizeof plane.at);
    std::copy_n(reinterpret_cast<const std::byte*>(&plane.at), 4, reinterpret_cast<std::byte*>(&bits));
    s_.kd[node] = {bits, child << 2 | uint32_t(plane.axis)};
    List lower, upper;
    divide(list, plane, lower, upper);
    drop(list);
    Box a = space, b = space;
    a.high[plane.axis] = b.low[plane.axis] = plane.at;
    fill(child, std::move(lower), a, depth + 1);
    fill(child + 1, std::move(upper), b, depth + 1);
  }

  void group(List list, const Cells& cells) {
    const Box space = box_of(cells);
    Plane plane;
    if (!list.empty()) {
      plane = best_plane(
          list, space, [&](int axis) { return cells.high[axis] - cells.low[axis] + 1; },
          [&](int axis, int i) { return grid_plane(axis, cells.low[axis] + i); });
    }
    if (plane.axis >= 0) {
      List lower, upper;
      divide(list, plane, lower, upper);
      drop(list);
      Cells a = cells, b = cells;
      b.low[plane.axis] = cells.low[plane.axis] + plane.cell;
      a.high[plane.axis] = b.low[plane.axis] - 1;
      group(std::move(lower), a);
      group(std::move(upper), b);
      return;
    }
    const auto number = uint32_t(s_.groups.size());
    GrugGroup made{kNone, 0, 0};
    for (int a = 0; a < 3; ++a) {
      made.low |= uint32_t(cells.low[a]) << (10 * a);
      made.high |= uint32_t(cells.high[a]) << (10 * a);
    }
    if (!list.empty()) {
      made.root = uint32_t(s_.kd.size());
      memory_.make_room(s_.kd, 1);
      s_.kd.emplace_back();
      fill(made.root, std::move(list), space, 0);
    }
    memory_.make_room(s_.groups, 1);
    s_.groups.push_back(made);
    for (int z = cells.low[2]; z <= cells.high[2]; ++z) {
      for (int y = cells.low[1]; y <= cells.high[1]; ++y) {
        const size_t row = (size_t(z) * size_t(grid_) + size_t(y)) * size_t(grid_);
        std::fill(s_.cells.begin() + int64_t(row) + cells.low[0], s_.cells.begin() + int64_t(row) + cells.high[0] + 1,
                  number);
      }
    }
  }
};

}  // namespace

uint64_t Structure::tree_bytes() const {
  return places.size() * 4 + bvh.size() * sizeof(BvhNode) + kd.size() * sizeof(KdNode) +
         wide.size() * sizeof(WideNode) + blocks.size() * sizeof(TriangleBlock);
}

uint64_t Structure::memory_bytes() const {
  const auto bytes_of = [](const auto&... list) { return (uint64_t(list.capacity() * sizeof(list[0])) + ...); };
  return bytes_of(places, bvh, wide, blocks, kd, groups, cells);
}

Structure build_kd(const TraceScene& scene, uint32_t grid, const Budget& budget) {
  Structure s = KdBuilder(scene, grid, budget).take();
  s.memory = std::make_shared<HeldMemory>(budget, s.memory_bytes(), "structure");
  return s;
}

Structure build_structure(const TraceScene& scene, StructureKind kind, uint32_t grid, uint32_t children,
                          const Budget& budget) {
  if (kind == StructureKind::bvh) return build_bvh(scene, children, budget);
  return build_kd(scene, kind == StructureKind::grug ? grid : 0, budget);
}

}  // namespace brokkr::trace
