// The stack of a warp's paths. An entry holds lanes that run until they meet at an instruction of a frame. Entries
// above it hold parts of these lanes that have diverged since; other lanes wait at their meeting.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/warp.h"
#include "simt/flow.h"
#include "simt/policy.h"

namespace brokkr::simt {

class PathStack {
 public:
  PathStack(const Flow& flow, uint32_t lanes) : flow_(flow), entries_{{lanes, kNoMeeting, 0}}, ready_(lanes) {}

  // Whether the instruction just executed changes nothing here: its lanes are at the next instruction, and no lanes
  // meet there.
  bool passes(const Group& from) const;
  // The same for lanes that have jumped: the whole path moved together and meets no other lanes. `group`, their old
  // place, is updated to the new one.
  bool goes_on(const ptx::Warp& warp, Group& group);
  // Call after lanes diverged, met or ended. `pc`, `frame`: where the lanes of `lanes` were before.
  void update(const ptx::Warp& warp, const Group& from);
  // The ready lanes of entries that share no lanes with entries above, topmost first, at most `most` groups.
  void choose_paths(const ptx::Warp& warp, uint32_t most, std::vector<Group>& groups) const;
  // If no path has a ready lane: lanes that wait for others at a warp's collective, which must continue first.
  void choose_waiting(const ptx::Warp& warp, std::vector<Group>& groups) const;
  // Lanes that wait at a meeting for others.
  void find_waiting(const ptx::Warp& warp, std::vector<Group>& groups) const;
  // Makes such a group a separate path up to the next meeting.
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
Group group_of(const ptx::Warp& warp, uint32_t lanes);

}  // namespace brokkr::simt
