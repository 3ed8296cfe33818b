#include "simt/path_stack.h"

#include <algorithm>

namespace brokkr::simt {

Group group_of(const ptx::Warp& warp, uint32_t lanes) {
  const uint32_t first = uint32_t(__builtin_ctz(lanes));
  const uint32_t pc = warp.pc_of(first), frame = warp.frame_of(first);
  const bool alone = (lanes & (lanes - 1)) == 0;
  return {pc, frame, alone ? lanes : lanes & warp.lanes_at(pc, frame)};
}

// A meeting at the function's end is any instruction of a lower frame.
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
  // The entry itself is unnecessary if its parts meet at its own meeting.
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

// These lanes' topmost entry contains no other lanes: none diverges, no lower entry matters, and it ends only at the
// meeting. Lanes that have stopped waiting since may be anywhere.
bool PathStack::goes_on(const ptx::Warp& warp, Group& group) {
  if ((group.lanes & ~warp.live()) != 0 || (warp.ready() & ~ready_ & ~group.lanes) != 0) return false;
  if (entries_.size() > 1 && flow_.is_collective(group.pc)) return false;
  const auto own =
      std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& e) { return (e.lanes & group.lanes) != 0; });
  if (own == entries_.rend() || own->lanes != group.lanes) return false;
  const Group now = group_of(warp, group.lanes);
  if (now.lanes != group.lanes) return false;
  if (own->meeting == kNoMeeting ? now.frame < own->frame : now.pc == own->meeting && now.frame == own->frame)
    return false;
  group = now;
  ready_ = warp.ready();
  return true;
}

// Lanes that have met at a collective of the warp form one path again, as on hardware with such instructions: no lane
// waits elsewhere.
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
    const uint32_t own = entries_[i].lanes & ~over & warp.ready();
    if ((entries_[i].lanes & over) != 0 && own != 0) groups.push_back(group_of(warp, own));
    over |= entries_[i].lanes;
  }
}

// [Steffen12, Fig. 4.6]: three entries: the old one, which joins all lanes at the next meeting; the lanes that go
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

}  // namespace brokkr::simt
