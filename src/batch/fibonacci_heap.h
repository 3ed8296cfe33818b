// A Fibonacci heap, largest priority first: [Kerbl18, 6.3] keeps the triangles in one. It is measured beside the bucket
// queue that the optimizer uses (bucket_queue.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace brokkr {

class FibonacciHeap {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  // Items 0 .. items - 1, none of them inside.
  explicit FibonacciHeap(size_t items) : nodes_(items) {}

  bool empty() const { return top_ == kNone; }
  uint32_t top() const { return top_; }
  int64_t priority(uint32_t item) const { return nodes_[item].priority; }

  void insert(uint32_t item, int64_t priority) {
    nodes_[item] = Node{};
    nodes_[item].priority = priority;
    add_root(item);
  }

  void take_top() {
    const uint32_t gone = top_;
    free_children(gone);
    const uint32_t next = nodes_[gone].right;
    unlink(gone);
    top_ = next == gone ? kNone : next;
    if (top_ != kNone) consolidate();
  }

  // Constant time on average where it rises; where it falls, an item loses its children and goes back to the roots, and
  // the largest is looked for anew if it was that.
  void change(uint32_t item, int64_t priority) {
    Node& n = nodes_[item];
    const bool falls = priority < n.priority;
    n.priority = priority;
    if (falls) {
      free_children(item);
      if (n.parent != kNone) cut(item);
      if (top_ == item) consolidate();
      return;
    }
    const uint32_t parent = n.parent;
    if (parent != kNone && priority > nodes_[parent].priority) cut(item);
    if (priority > nodes_[top_].priority) top_ = item;
  }

 private:
  struct Node {
    int64_t priority = 0;
    uint32_t parent = kNone, child = kNone, left = kNone, right = kNone;
    uint32_t degree = 0;
    bool marked = false;
  };
  std::vector<Node> nodes_;
  std::vector<uint32_t> roots_;
  uint32_t top_ = kNone;

  void link_beside(uint32_t item, uint32_t other) {
    Node &n = nodes_[item], &o = nodes_[other];
    n.left = other;
    n.right = o.right;
    nodes_[o.right].left = item;
    o.right = item;
  }
  void unlink(uint32_t item) {
    const Node& n = nodes_[item];
    nodes_[n.left].right = n.right;
    nodes_[n.right].left = n.left;
  }
  void add_root(uint32_t item) {
    nodes_[item].parent = kNone;
    if (top_ == kNone) {
      nodes_[item].left = nodes_[item].right = top_ = item;
      return;
    }
    link_beside(item, top_);
    if (nodes_[item].priority > nodes_[top_].priority) top_ = item;
  }
  void leave_parent(uint32_t item) {
    Node& parent = nodes_[nodes_[item].parent];
    if (parent.child == item) parent.child = nodes_[item].right == item ? kNone : nodes_[item].right;
    --parent.degree;
    unlink(item);
    nodes_[item].marked = false;
    add_root(item);
  }
  void cut(uint32_t item) {
    for (uint32_t parent = nodes_[item].parent; parent != kNone; parent = nodes_[item].parent) {
      leave_parent(item);
      if (nodes_[parent].parent == kNone) return;
      if (!nodes_[parent].marked) {
        nodes_[parent].marked = true;
        return;
      }
      item = parent;
    }
  }
  void free_children(uint32_t item) {
    while (nodes_[item].child != kNone) leave_parent(nodes_[item].child);
  }
  void consolidate() {
    roots_.clear();
    for (uint32_t r = top_;;) {
      roots_.push_back(r);
      r = nodes_[r].right;
      if (r == top_) break;
    }
    std::array<uint32_t, 64> of_degree;
    of_degree.fill(kNone);
    for (uint32_t root : roots_) {
      uint32_t degree = nodes_[root].degree;
      while (of_degree[degree] != kNone) {
        uint32_t other = of_degree[degree];
        of_degree[degree] = kNone;
        if (nodes_[other].priority > nodes_[root].priority) std::swap(root, other);
        unlink(other);
        Node &parent = nodes_[root], &child = nodes_[other];
        child.parent = root;
        child.marked = false;
        if (parent.child == kNone) {
          child.left = child.right = parent.child = other;
        } else {
          link_beside(other, parent.child);
        }
        degree = ++parent.degree;
      }
      of_degree[degree] = root;
    }
    top_ = kNone;
    for (const uint32_t root : of_degree) {
      if (root != kNone && (top_ == kNone || nodes_[root].priority > nodes_[top_].priority)) top_ = root;
    }
  }
};

}  // namespace brokkr
