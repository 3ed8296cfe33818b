// A tree of bounding volumes by binned splits of the centres [Wald07].
#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "trace/structure.h"

namespace brokkr::trace {
namespace {

constexpr int kBvhBins = 16;
constexpr uint32_t kBvhLeafAim = 4;  // triangles that a leaf may have where no split is better
constexpr int kMostDepth = 60;       // then halves are split by their number: the stack of a ray has 96 entries
constexpr float kBvhStepCost = 1.0f, kBvhTestCost = 1.0f;

class BvhBuilder {
 public:
  explicit BvhBuilder(const TraceScene& scene) : places_(scene.triangles.size()), boxes_(scene.triangles.size()) {
    for (size_t i = 0; i < boxes_.size(); ++i) boxes_[i] = bounds_of(scene.triangles[i], scene.tolerance);
    std::iota(places_.begin(), places_.end(), 0u);
    const Box all = box_of(0, uint32_t(places_.size()));
    nodes_.emplace_back();
    // The root has two children always: the same one twice where one leaf holds everything.
    const Range whole{0, uint32_t(places_.size())};
    const uint32_t middle = split(whole, all, 0);
    const bool is_leaf = middle == whole.first || middle == whole.last;
    set(0, is_leaf ? whole : Range{whole.first, middle}, is_leaf ? whole : Range{middle, whole.last}, 1);
  }
  Structure take() {
    Structure s;
    s.kind = StructureKind::bvh;
    s.places = std::move(places_);
    s.bvh = std::move(nodes_);
    s.depth = depth_;
    return s;
  }

 private:
  struct Range {
    uint32_t first, last;
    uint32_t size() const { return last - first; }
  };
  std::vector<uint32_t> places_;
  std::vector<Box> boxes_;
  std::vector<BvhNode> nodes_;
  int depth_ = 0;

  Box box_of(uint32_t first, uint32_t last) const {
    Box box;
    for (uint32_t i = first; i < last; ++i) box.add(boxes_[places_[i]]);
    return box;
  }
  glm::vec3 center(uint32_t primitive) const { return 0.5f * (boxes_[primitive].low + boxes_[primitive].high); }

  void set(uint32_t node, Range a, Range b, int depth) {
    const Box boxes[2] = {box_of(a.first, a.last), box_of(b.first, b.last)};
    for (int k = 0; k < 3; ++k) {
      nodes_[node].low0[k] = boxes[0].low[k];
      nodes_[node].high0[k] = boxes[0].high[k];
      nodes_[node].low1[k] = boxes[1].low[k];
      nodes_[node].high1[k] = boxes[1].high[k];
    }
    const uint32_t child0 = build(a, boxes[0], depth), child1 = build(b, boxes[1], depth);
    nodes_[node].child[0] = child0;
    nodes_[node].child[1] = child1;
  }
  uint32_t build(Range range, const Box& box, int depth) {
    depth_ = std::max(depth_, depth);
    const uint32_t middle = range.size() <= 1 ? range.first : split(range, box, depth);
    if (middle == range.first || middle == range.last) return kBvhLeaf | (range.size() << 27) | range.first;
    const auto node = uint32_t(nodes_.size());
    nodes_.emplace_back();
    set(node, {range.first, middle}, {middle, range.last}, depth + 1);
    return node;
  }
  // Orders the range and returns where its second part begins; its end where a leaf is better.
  uint32_t split(Range range, const Box& box, int depth) {
    float best = range.size() <= kBvhLeafAim ? kBvhTestCost * float(range.size()) : 3e38f;
    int best_axis = -1, best_bin = 0;
    glm::vec3 low(3e38f), high(-3e38f);
    for (uint32_t i = range.first; i < range.last; ++i) {
      low = glm::min(low, center(places_[i]));
      high = glm::max(high, center(places_[i]));
    }
    const auto bin_of = [&](uint32_t primitive, int axis) {
      const float part = (center(primitive)[axis] - low[axis]) / (high[axis] - low[axis]);
      return std::clamp(int(part * kBvhBins), 0, kBvhBins - 1);
    };
    for (int axis = 0; axis < 3 && depth < kMostDepth; ++axis) {
      if (!(high[axis] > low[axis])) continue;
      std::array<Box, kBvhBins> boxes;
      std::array<uint32_t, kBvhBins> counts{};
      for (uint32_t i = range.first; i < range.last; ++i) {
        const int bin = bin_of(places_[i], axis);
        boxes[size_t(bin)].add(boxes_[places_[i]]);
        ++counts[size_t(bin)];
      }
      std::array<float, kBvhBins> above{};
      Box sum;
      uint32_t count = 0;
      for (int bin = kBvhBins - 1; bin > 0; --bin) {
        sum.add(boxes[size_t(bin)]);
        count += counts[size_t(bin)];
        above[size_t(bin)] = count == 0 ? 3e38f : sum.half_area() * float(count);
      }
      sum = Box();
      count = 0;
      for (int bin = 0; bin + 1 < kBvhBins; ++bin) {
        sum.add(boxes[size_t(bin)]);
        count += counts[size_t(bin)];
        if (count == 0 || count == range.size()) continue;
        const float both = sum.half_area() * float(count) + above[size_t(bin) + 1];
        const float cost = kBvhStepCost + kBvhTestCost * both / box.half_area();
        if (cost < best) {
          best = cost;
          best_axis = axis;
          best_bin = bin;
        }
      }
    }
    const auto begin = places_.begin() + range.first, end = places_.begin() + range.last;
    if (best_axis < 0) {
      if (range.size() <= uint32_t(kMostBvhLeaf) && depth < kMostDepth) return range.last;
      if (range.size() <= kBvhLeafAim) return range.last;
      return range.first + range.size() / 2;  // all centres are one: any halves do
    }
    const auto middle = std::stable_partition(begin, end, [&](uint32_t p) { return bin_of(p, best_axis) <= best_bin; });
    return uint32_t(middle - places_.begin());
  }
};

}  // namespace

Structure build_bvh(const TraceScene& scene) { return BvhBuilder(scene).take(); }

}  // namespace brokkr::trace
