// Builds bounding volume hierarchies by binned splits of the centres [Wald07]: binary hierarchies, and eight-wide ones
// that merge levels of a binary one [Wald08].
#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "trace/structure.h"

namespace brokkr::trace {
namespace {

constexpr int kBvhBins = 16;
constexpr int kMaxDepth = 60;  // beyond it, ranges are halved by index, because a ray's stack has 96 entries

// Cost model of binary and of eight-wide trees.
struct BvhCosts {
  uint32_t leaf_aim;  // triangles that a leaf may have if no split is cheaper
  uint32_t at_once;   // triangles that are tested together, at cost 1
  float step;         // cost of visiting a binary node
  float cost_of_tests(uint32_t triangles) const { return float((triangles + at_once - 1) / at_once); }
};
constexpr BvhCosts kCostsOfTwo = {4, 1, 1.0f};
// Three binary levels become one eight-wide level.
constexpr BvhCosts kCostsOfEight = {uint32_t(kWide), uint32_t(kWide), 0.4f};

class BvhBuilder {
 public:
  BvhBuilder(const TraceScene& scene, const BvhCosts& costs, const Budget& budget)
      : costs_(costs), memory_(budget, "structure") {
    // std::stable_partition needs a second list of places.
    memory_.hold(scene.triangles.size() * (2 * sizeof(uint32_t) + sizeof(Box)));
    places_.resize(scene.triangles.size());
    boxes_.resize(scene.triangles.size());
    for (size_t i = 0; i < boxes_.size(); ++i) boxes_[i] = bounds_of(scene.triangles[i], scene.tolerance);
    std::iota(places_.begin(), places_.end(), 0u);
    const Box all = box_of(0, uint32_t(places_.size()));
    memory_.make_room(nodes_, 1);
    nodes_.emplace_back();
    // The root always has two children: the same one twice if one leaf holds everything.
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
  const BvhCosts costs_;
  GrowingMemory memory_;
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
    memory_.make_room(nodes_, 1);
    nodes_.emplace_back();
    set(node, {range.first, middle}, {middle, range.last}, depth + 1);
    return node;
  }
  // Partitions the range and returns the start of its second part; its end if a leaf is cheaper.
  uint32_t split(Range range, const Box& box, int depth) {
    float best = range.size() <= costs_.leaf_aim ? costs_.cost_of_tests(range.size()) : 3e38f;
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
    for (int axis = 0; axis < 3 && depth < kMaxDepth; ++axis) {
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
        above[size_t(bin)] = count == 0 ? 3e38f : sum.half_area() * costs_.cost_of_tests(count);
      }
      sum = Box();
      count = 0;
      for (int bin = 0; bin + 1 < kBvhBins; ++bin) {
        sum.add(boxes[size_t(bin)]);
        count += counts[size_t(bin)];
        if (count == 0 || count == range.size()) continue;
        const float both = sum.half_area() * costs_.cost_of_tests(count) + above[size_t(bin) + 1];
        const float cost = costs_.step + both / box.half_area();
        if (cost < best) {
          best = cost;
          best_axis = axis;
          best_bin = bin;
        }
      }
    }
    const auto begin = places_.begin() + range.first, end = places_.begin() + range.last;
    if (best_axis < 0) {
      if (range.size() <= uint32_t(kMaxBvhLeaf) && depth < kMaxDepth) return range.last;
      if (range.size() <= costs_.leaf_aim) return range.last;
      return range.first + range.size() / 2;  // all centres coincide, so any halves will do
    }
    const auto middle = std::stable_partition(begin, end, [&](uint32_t p) { return bin_of(p, best_axis) <= best_bin; });
    return uint32_t(middle - places_.begin());
  }
};

// Merges levels of a binary tree.
class WideBuilder {
 public:
  WideBuilder(const TraceScene& scene, const Structure& two, const Budget& budget)
      : scene_(scene), two_(two), memory_(budget, "structure") {
    s_.kind = StructureKind::bvh;
    s_.bvh_children = uint32_t(kWide);
    add_node(0, 1);
  }
  Structure take() { return std::move(s_); }

 private:
  struct Child {
    uint32_t number;
    Box box;
    bool is_leaf() const { return (number & kBvhLeaf) != 0; }
  };
  const TraceScene& scene_;
  const Structure& two_;
  GrowingMemory memory_;
  Structure s_;

  static Box box_of(const float (&low)[3], const float (&high)[3]) {
    return {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
  }
  // The children of a wide node. Starting from a binary node, the largest child is repeatedly replaced by its own
  // children, up to eight.
  std::vector<Child> children_of(uint32_t node) const {
    std::vector<Child> children;
    const auto open = [&](const BvhNode& n, size_t place) {
      children[place] = {n.child[0], box_of(n.low0, n.high0)};
      children.push_back({n.child[1], box_of(n.low1, n.high1)});
    };
    children.emplace_back();
    open(two_.bvh[node], 0);
    while (children.size() < size_t(kWide)) {
      const auto size = [](const Child& c) { return c.is_leaf() ? -1.0f : c.box.half_area(); };
      const auto largest = std::max_element(children.begin(), children.end(),
                                            [&](const Child& a, const Child& b) { return size(a) < size(b); });
      if (largest->is_leaf()) break;
      open(two_.bvh[largest->number], size_t(largest - children.begin()));
    }
    return children;
  }
  uint32_t add_node(uint32_t binary_node, int depth) {
    const auto number = uint32_t(s_.wide.size());
    WideNode node;
    const std::vector<Child> children = children_of(binary_node);
    for (size_t k = 0; k < size_t(kWide); ++k) {
      const Box box = k < children.size() ? children[k].box : Box();
      for (int axis = 0; axis < 3; ++axis) {
        node.planes[2 * axis][k] = box.low[axis];
        node.planes[2 * axis + 1][k] = box.high[axis];
      }
      node.child[k] = kNone;
    }
    memory_.make_room(s_.wide, 1);
    s_.wide.push_back(node);
    s_.depth = std::max(s_.depth, depth);
    for (size_t k = 0; k < children.size(); ++k) {
      const uint32_t child =
          children[k].is_leaf() ? add_block(children[k].number) : add_node(children[k].number, depth + 1);
      s_.wide[number].child[k] = child;
    }
    return number;
  }
  uint32_t add_block(uint32_t leaf) {
    const uint32_t count = (leaf >> 27) & 15u, first = leaf & 0x7ffffffu;
    std::vector<uint32_t> primitives(two_.places.begin() + first, two_.places.begin() + first + count);
    std::sort(primitives.begin(), primitives.end());
    TriangleBlock block{};
    std::fill(std::begin(block.primitive), std::end(block.primitive), kNone);
    for (size_t k = 0; k < primitives.size(); ++k) {
      const TriangleRecord& t = scene_.triangles[primitives[k]];
      for (int a = 0; a < 3; ++a) {
        block.words[a][k] = t.corner[a];
        block.words[3 + a][k] = t.edge1[a];
        block.words[6 + a][k] = t.edge2[a];
      }
      block.primitive[k] = primitives[k];
    }
    memory_.make_room(s_.blocks, 1);
    s_.blocks.push_back(block);
    return kBvhLeaf | (count << 27) | uint32_t(s_.blocks.size() - 1);
  }
};

}  // namespace

Structure build_bvh(const TraceScene& scene, uint32_t children, const Budget& budget) {
  const auto counted = [&](Structure s) {
    s.memory = std::make_shared<HeldMemory>(budget, s.memory_bytes(), "structure");
    return s;
  };
  Structure two = counted(BvhBuilder(scene, children == 2 ? kCostsOfTwo : kCostsOfEight, budget).take());
  if (children == 2) return two;
  return counted(WideBuilder(scene, two, budget).take());
}

}  // namespace brokkr::trace
