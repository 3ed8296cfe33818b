// The stack of a warp's paths. An entry holds lanes that run until they meet, at an instruction of a frame; entries
// above it hold parts of these lanes that have parted since, whose others wait where those will meet.
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

  // Whether what lanes have just executed changes nothing here: they are at the next instruction, where nobody meets.
  bool passes(const Group& from) const;
  // The same of lanes that have jumped: all of a path went on together, and meet nobody where they are. Then `group`,
  // where they were, is where they are.
  bool goes_on(const ptx::Warp& warp, Group& group);
  // Lanes parted, met or ended. `pc`, `frame`: where those of `lanes` have just been.
  void update(const ptx::Warp& warp, const Group& from);
  // The lanes that are ready of entries that no entry above shares lanes with, the topmost first; at most `most`.
  void choose_paths(const ptx::Warp& warp, uint32_t most, std::vector<Group>& groups) const;
  // Where no path has a lane that is ready: lanes that wait for others, so that these can go on (a warp's collectives).
  void choose_waiting(const ptx::Warp& warp, std::vector<Group>& groups) const;
  // Lanes that wait at a meeting for others.
  void find_waiting(const ptx::Warp& warp, std::vector<Group>& groups) const;
  // Such a group becomes a path of its own, up to the next meeting.
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
  uint32_t ready_;  // lanes that were, when the entries were last looked at
};

// The lanes of a mask that are where its first lane is.
Group group_of(const ptx::Warp& warp, uint32_t lanes);

}  // namespace brokkr::simt
