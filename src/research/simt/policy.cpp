#include "simt/policy.h"

#include <algorithm>

#include "simt/path_stack.h"

namespace brokkr::simt {
namespace {

class StackPolicy : public Policy {
 public:
  StackPolicy(const Flow& flow, uint32_t lanes, uint32_t ways) : stack_(flow, lanes), ways_(ways) {}
  // Most instructions move a whole path to one place: the choice is then the previous one, moved.
  void choose(const ptx::Warp& warp, std::vector<Group>& groups) override {
    if (holds_ && warp.ready() == ready_) {
      for (const Group& g : last_) groups.push_back(g);
      return;
    }
    stack_.choose_paths(warp, ways_, groups);
    holds_ = !groups.empty();
    if (groups.empty() && warp.ready() != 0) stack_.choose_waiting(warp, groups);
    last_ = groups;
    ready_ = warp.ready();
  }
  void moved(const ptx::Warp& warp, const Group& group) override {
    Group now = group;
    if (stack_.passes(group)) {
      ++now.pc;
    } else if (!stack_.goes_on(warp, now)) {
      stack_.update(warp, group);
      holds_ = false;
      return;
    }
    for (Group& g : last_) {
      if (g.lanes == group.lanes) g = now;
    }
  }
  void met(const ptx::Warp&) override { holds_ = false; }

 protected:
  PathStack stack_;
  uint32_t ways_;

 private:
  bool holds_ = false;
  uint32_t ready_ = 0;
  std::vector<Group> last_;
};

// Paths at the same place merge: lanes that are an iteration ahead in a loop run with those behind.
void merge(std::vector<Group>& groups) {
  for (size_t i = 0; i < groups.size(); ++i) {
    for (size_t j = groups.size(); --j > i;) {
      if (groups[j].pc != groups[i].pc || groups[j].frame != groups[i].frame) continue;
      groups[i].lanes |= groups[j].lanes;
      groups.erase(groups.begin() + std::ptrdiff_t(j));
    }
  }
}

// Prefers the path that is furthest behind, because all others finally wait for it, and the places with the most lanes;
// among equals, the one nearest to a loop's back edge. Lanes at a loop's head wait for those on their way there, so
// that they iterate together.
class AheadPolicy : public Policy {
 public:
  AheadPolicy(const Flow& flow, uint32_t lanes, uint32_t ways) : flow_(flow), stack_(flow, lanes), ways_(ways) {}
  void choose(const ptx::Warp& warp, std::vector<Group>& groups) override {
    stack_.choose_paths(warp, ptx::kLanes, groups);
    if (groups.empty()) {
      if (warp.ready() != 0) stack_.choose_waiting(warp, groups);
      return;
    }
    std::vector<Group>& waiting = waiting_;
    waiting.clear();
    stack_.find_waiting(warp, waiting);
    groups.insert(groups.end(), waiting.begin(), waiting.end());
    merge(groups);
    const auto is_better = [&](const Group& a, const Group& b) {
      if (flow_.is_head(a.pc) != flow_.is_head(b.pc)) return flow_.is_head(b.pc);
      const int lanes_a = __builtin_popcount(a.lanes), lanes_b = __builtin_popcount(b.lanes);
      return lanes_a != lanes_b ? lanes_a > lanes_b : flow_.to_loop(a.pc) < flow_.to_loop(b.pc);
    };
    std::stable_sort(groups.begin() + 1, groups.end(), is_better);
    if (groups.size() > ways_) groups.resize(ways_);
    for (const Group& w : waiting) {
      const auto takes = [&](const Group& g) { return (g.lanes & w.lanes) != 0; };
      if (std::any_of(groups.begin(), groups.end(), takes)) stack_.work_ahead(warp, w);
    }
  }
  void moved(const ptx::Warp& warp, const Group& group) override {
    Group now = group;
    if (!stack_.passes(group) && !stack_.goes_on(warp, now)) stack_.update(warp, group);
  }

 private:
  const Flow& flow_;
  PathStack stack_;
  uint32_t ways_;
  std::vector<Group> waiting_;
};

class SpatialPolicy : public Policy {
 public:
  SpatialPolicy(const Flow& flow, uint32_t lanes, uint32_t ways) : flow_(flow), ways_(ways) { gather(lanes); }
  void choose(const ptx::Warp& warp, std::vector<Group>& groups) override {
    for (const PathStack& s : parts_) {
      std::vector<Group> own;
      s.choose_paths(warp, 1, own);
      groups.insert(groups.end(), own.begin(), own.end());
    }
    if (!groups.empty() || warp.ready() == 0) return;
    for (const PathStack& s : parts_) {
      if (groups.empty()) s.choose_waiting(warp, groups);
    }
  }
  void moved(const ptx::Warp& warp, const Group& group) override {
    for (PathStack& s : parts_) {
      if (!s.passes(group)) s.update(warp, group);
    }
    if (parts_.size() == 1 && parts_[0].has_parted()) {
      parts_.clear();
      const uint32_t size = ptx::kLanes / ways_;
      for (uint32_t i = 0; i < ways_; ++i) {
        const uint32_t lanes = size >= ptx::kLanes ? ptx::kAllLanes : ((1u << size) - 1) << i * size;
        if ((lanes & warp.live()) == 0) continue;
        parts_.emplace_back(flow_, lanes & warp.live());
        parts_.back().update(warp, group);
      }
    }
  }
  // After a barrier of the block all lanes are together.
  void met(const ptx::Warp& warp) override {
    if (warp.ready() == warp.live() && warp.live() != 0 && group_of(warp, warp.live()).lanes == warp.live())
      gather(warp.live());
  }

 private:
  void gather(uint32_t lanes) {
    parts_.clear();
    parts_.emplace_back(flow_, lanes);
  }
  const Flow& flow_;
  uint32_t ways_;
  std::vector<PathStack> parts_;
};

class IndependentPolicy : public Policy {
 public:
  explicit IndependentPolicy(uint32_t ways) : ways_(ways) {}
  void choose(const ptx::Warp& warp, std::vector<Group>& groups) override {
    for (uint32_t rest = warp.ready(); rest != 0 && groups.size() < ways_;) {
      groups.push_back(group_of(warp, rest));
      rest &= ~groups.back().lanes;
    }
  }
  void moved(const ptx::Warp&, const Group&) override {}

 private:
  uint32_t ways_;
};

}  // namespace

const std::vector<std::string>& policy_names() {
  static const std::vector<std::string> names = {"pdom", "parallel", "ahead", "spatial", "independent"};
  return names;
}

// A single lane cannot diverge.
std::unique_ptr<Policy> make_policy(PolicyKind kind, uint32_t ways, const Flow& flow, uint32_t lanes) {
  if ((lanes & (lanes - 1)) == 0) return std::make_unique<IndependentPolicy>(1);
  switch (kind) {
    case PolicyKind::pdom: return std::make_unique<StackPolicy>(flow, lanes, 1);
    case PolicyKind::parallel: return std::make_unique<StackPolicy>(flow, lanes, ways);
    case PolicyKind::ahead: return std::make_unique<AheadPolicy>(flow, lanes, ways);
    case PolicyKind::spatial: return std::make_unique<SpatialPolicy>(flow, lanes, ways);
    case PolicyKind::independent: return std::make_unique<IndependentPolicy>(ptx::kLanes);
  }
  return nullptr;
}

}  // namespace brokkr::simt
