#include "simt/config.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ptx/warp.h"
#include "simt/flow.h"

namespace brokkr::simt {

// The stack of a warp's paths. An entry holds lanes that run until they meet at an instruction of a frame. Entries
// above it hold those of these lanes that have diverged since; other lanes wait at their meeting.
class PathStack {
 public:
  PathStack(const Flow& flow, uint32_t lanes) : flow_(flow), entries_{{lanes, kNoMeeting, 0}}, ready_(lanes) {}

  // Returns true if the instruction just executed changes nothing here: its lanes are at the next instruction, and no
  // lanes meet there.
  bool passes(const Group& from) const;
  // Like `passes`, for lanes that have jumped: the whole path moved together and meets no other lanes. Updates `group`
  // from their old place to the new one.
  bool goes_on(const ptx::Warp& warp, Group& group);
  // Call it after lanes diverged, met or ended. `from`: the place where its lanes were before.
  void update(const ptx::Warp& warp, const Group& from);
  // The ready lanes of entries that share no lanes with entries above, topmost first, at most `most` groups.
  void choose_paths(const ptx::Warp& warp, uint32_t most, std::vector<Group>& groups) const;
  // If no path has a ready lane: returns lanes that wait for others at a collective of the warp, which must continue
  // first.
  void choose_waiting(const ptx::Warp& warp, std::vector<Group>& groups) const;
  // Finds lanes that wait for others at a meeting.
  void find_waiting(const ptx::Warp& warp, std::vector<Group>& groups) const;
  // Turns such a group into a separate path up to the next meeting.
  void work_ahead(const ptx::Warp& warp, const Group& waiting);
  size_t depth() const { return entries_.size(); }
  bool has_parted() const { return entries_.size() > 1; }

 private:
  struct Entry {
    uint32_t lanes, meeting, frame;
  };
  static uint32_t arrived(const ptx::Warp& warp, const Entry& e);
  uint32_t above(size_t entry) const;  // lanes of all entries above
  void part(const ptx::Warp& warp, size_t entry, const Group& from);
  bool settle_once(const ptx::Warp& warp, const Group& from);
  void drop_doubles();
  void join(const ptx::Warp& warp);

  const Flow& flow_;
  std::vector<Entry> entries_, parts_;
  uint32_t ready_;  // lanes that were ready when the entries were last updated
};

// The lanes of a mask that are at the same place as its first lane.
Group group_of(const ptx::Warp& warp, uint32_t lanes) {
  const uint32_t first = uint32_t(__builtin_ctz(lanes));
  const uint32_t pc = warp.pc_of(first), frame = warp.frame_of(first);
  const bool alone = (lanes & (lanes - 1)) == 0;
  return {pc, frame, alone ? lanes : lanes & warp.lanes_at(pc, frame)};
}

// For a meeting at the function's end, any instruction of a lower frame counts as arrival.
uint32_t PathStack::arrived(const ptx::Warp& warp, const Entry& e) {
  if (e.meeting != kNoMeeting) return e.lanes & warp.lanes_at(e.meeting, e.frame);
  return e.frame == 0 ? 0 : e.lanes & warp.lanes_below(e.frame);
}

uint32_t PathStack::above(size_t entry) const {
  uint32_t lanes = 0;
  for (size_t i = entry + 1; i < entries_.size(); ++i) lanes |= entries_[i].lanes;
  return lanes;
}

// Splits an entry whose lanes are at several places. Lanes that were at `from` meet at the post-dominator; others,
// which have returned to several callers, meet where the whole entry does.
void PathStack::part(const ptx::Warp& warp, size_t entry, const Group& from) {
  const Entry e = entries_[entry];
  uint32_t rest = e.lanes & ~arrived(warp, e);
  const bool branched = (rest & ~from.lanes) == 0;
  const Entry to{0, branched ? flow_.meeting(from.pc) : e.meeting, branched ? from.frame : e.frame};
  parts_.clear();
  while (rest != 0) {
    const Group g = group_of(warp, rest);
    rest &= ~g.lanes;
    Entry piece = to;
    piece.lanes = g.lanes;
    if (arrived(warp, piece) != g.lanes) parts_.push_back(piece);
  }
  // Drop the entry if its parts meet at its own meeting.
  const auto at = entries_.begin() + std::ptrdiff_t(entry);
  if (to.meeting == e.meeting && to.frame == e.frame) {
    entries_.insert(entries_.erase(at), parts_.begin(), parts_.end());
  } else {
    entries_.insert(at + 1, parts_.begin(), parts_.end());
  }
}

// Makes one change to the entries, from the top; returns false if none is needed.
bool PathStack::settle_once(const ptx::Warp& warp, const Group& from) {
  uint32_t over = 0;
  for (size_t i = entries_.size(); i-- > 0;) {
    Entry& e = entries_[i];
    e.lanes &= warp.live();
    const uint32_t there = arrived(warp, e);
    const bool is_path = (e.lanes & over) == 0;
    if (is_path && there == e.lanes) {
      entries_.erase(entries_.begin() + std::ptrdiff_t(i));
      return true;
    }
    const uint32_t rest = e.lanes & ~there;
    if (is_path && group_of(warp, rest).lanes != rest) {
      part(warp, i, from);
      return true;
    }
    over |= e.lanes;
  }
  return false;
}

// If two adjacent entries have the same lanes, the upper one is only an intermediate stop.
void PathStack::drop_doubles() {
  for (size_t i = entries_.size(); i-- > 1;) {
    if (entries_[i].lanes == entries_[i - 1].lanes) entries_.erase(entries_.begin() + std::ptrdiff_t(i));
  }
}

bool PathStack::passes(const Group& from) const {
  if (!flow_.runs_on(from.pc)) return false;
  for (const Entry& e : entries_) {
    if ((e.lanes & from.lanes) != 0 && e.meeting == from.pc + 1 && e.frame == from.frame) return false;
  }
  return true;
}

// The topmost entry of these lanes contains no other lanes. So none diverges, no lower entry matters, and the entry
// ends only at the meeting. Lanes that have stopped waiting since may be anywhere.
bool PathStack::goes_on(const ptx::Warp& warp, Group& group) {
  if ((group.lanes & ~warp.live()) != 0 || (warp.ready() & ~ready_ & ~group.lanes) != 0) return false;
  if (entries_.size() > 1 && flow_.is_collective(group.pc)) return false;
  const auto path =
      std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& e) { return (e.lanes & group.lanes) != 0; });
  if (path == entries_.rend() || path->lanes != group.lanes) return false;
  const Group now = group_of(warp, group.lanes);
  if (now.lanes != group.lanes) return false;
  if (path->meeting == kNoMeeting ? now.frame < path->frame : now.pc == path->meeting && now.frame == path->frame)
    return false;
  group = now;
  ready_ = warp.ready();
  return true;
}

// Lanes that have met at a collective of the warp form one path again, as on hardware with such instructions, because
// no lane waits elsewhere.
void PathStack::join(const ptx::Warp& warp) {
  uint32_t all = 0;
  for (const Entry& e : entries_) all |= e.lanes;
  all &= warp.live();
  if (all != 0 && group_of(warp, all).lanes == all) entries_ = {{all, kNoMeeting, 0}};
}

void PathStack::update(const ptx::Warp& warp, const Group& from) {
  if (entries_.size() > 1 && flow_.is_collective(from.pc)) join(warp);
  while (settle_once(warp, from)) {
  }
  ready_ = warp.ready();
}

void PathStack::choose_paths(const ptx::Warp& warp, uint32_t most, std::vector<Group>& groups) const {
  uint32_t over = 0;
  for (size_t i = entries_.size(); i-- > 0 && groups.size() < most;) {
    const Entry& e = entries_[i];
    const uint32_t can = e.lanes & ~over & warp.ready() & ~arrived(warp, e);
    if ((e.lanes & over) == 0 && can != 0) groups.push_back(group_of(warp, can));
    over |= e.lanes;
  }
}

void PathStack::choose_waiting(const ptx::Warp& warp, std::vector<Group>& groups) const {
  for (size_t i = entries_.size(); i-- > 0;) {
    const uint32_t can = entries_[i].lanes & warp.ready();
    if (can == 0) continue;
    groups.push_back(group_of(warp, can));
    return;
  }
}

void PathStack::find_waiting(const ptx::Warp& warp, std::vector<Group>& groups) const {
  uint32_t over = 0;
  for (size_t i = entries_.size(); i-- > 0;) {
    const uint32_t lanes = entries_[i].lanes & ~over & warp.ready();
    if ((entries_[i].lanes & over) != 0 && lanes != 0) groups.push_back(group_of(warp, lanes));
    over |= entries_[i].lanes;
  }
}

// The three entries of [Steffen12, Fig. 4.6]: the old one, which joins all lanes at the next meeting; the lanes that go
// ahead; and the lanes behind.
void PathStack::work_ahead(const ptx::Warp& warp, const Group& waiting) {
  size_t i = entries_.size() - 1;
  while ((entries_[i].lanes & waiting.lanes) == 0) --i;
  const Entry e = entries_[i];
  const Entry ahead{waiting.lanes, flow_.meeting(waiting.pc), waiting.frame};
  const Entry behind{e.lanes & ~waiting.lanes, ahead.meeting, ahead.frame};
  auto at = entries_.begin() + std::ptrdiff_t(i);
  if (ahead.meeting == e.meeting && ahead.frame == e.frame) {
    at = entries_.erase(at);
  } else {
    ++at;
  }
  entries_.insert(at, {ahead, behind});
  drop_doubles();
  // They may already be at the next meeting.
  update(warp, {});
}

namespace {

class StackPolicy : public Policy {
 public:
  StackPolicy(const Flow& flow, uint32_t lanes, uint32_t ways) : stack_(flow, lanes), ways_(ways) {}
  // Most instructions move a whole path to one place; then the previous choice stays valid at the new place.
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

// Merges paths at the same place: lanes that are an iteration ahead in a loop run together with those behind.
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
      std::vector<Group> first;
      s.choose_paths(warp, 1, first);
      groups.insert(groups.end(), first.begin(), first.end());
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
