// Detects races: two unordered accesses of a word by different threads, at least one of them a store. Order follows the
// PTX memory model: barriers of a block, bar.warp.sync, fences, and a release with the acquire that reads it. Votes and
// shuffles order nothing. Also detects reads of shared memory that was never written.
//
// Each thread has a view, which records how much it knows of the actions of every warp's threads. A warp's clock counts
// epochs, which end where its lanes meet. Within an epoch, the clock holds the lanes that have released something to
// the reader. If two lanes have, everything that each of them does in the epoch counts as known; so a race may be
// missed, but none is reported falsely. For each word, the detector keeps the accesses after which no later access is
// ordered. So in any order of threads, it misses a race only if other synchronization in this run orders the two
// accesses.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/program.h"

namespace brokkr::ptx {

class Races {
 public:
  // For one launch: earlier and later launches are ordered.
  explicit Races(const Program& program) : program_(program) {}

  // The known accesses of a warp: all of earlier epochs, and in this epoch those of `lanes` up to a step.
  struct Clock {
    uint32_t epoch = 0, lanes = 0, step = 0;
    friend bool operator==(const Clock&, const Clock&) = default;
  };
  using View = std::vector<Clock>;  // one per warp
  struct Who {
    uint32_t warp, lane, pc;
  };

  // Warps that live at the same time have separate entries, which later warps reuse.
  uint32_t add_warp(uint32_t block);
  void remove_warp(uint32_t warp) { free_.push_back(warp); }

  // Call these before an access; `mode`: Order.
  void load(const Who& who, const uint8_t* at, uint32_t bytes, uint8_t mode);
  void store(const Who& who, const uint8_t* at, const void* value, uint32_t bytes, uint8_t mode);
  void exchange(const Who& who, const uint8_t* at, uint32_t bytes, uint8_t mode);
  void fence(uint32_t warp, uint32_t lane);

  void meet_warp(uint32_t warp, uint32_t lanes);
  // Call these at a barrier of a block; `joined` is the combined view of its threads.
  void arrive(uint32_t warp, uint32_t lanes, View& joined);
  void depart(uint32_t warp, const View& joined);

  // Marks the memory as not written.
  void begin_shared(const uint8_t* shared, uint32_t bytes);

  size_t found() const { return reported_.size(); }

 private:
  struct Access {
    uint32_t epoch = 0, step = 0, pc = 0;
    uint32_t lanes = 0;  // lanes of the warp with the same access in this epoch
    uint32_t value = 0;  // value that each of them stored
    uint16_t warp = 0;
    uint8_t lane = 0;             // the last of them
    uint8_t bytes : 4 = 0;        // bytes of the word
    uint8_t strong : 1 = 0;       // an atomic access
    uint8_t narrow : 1 = 0;       // atomic only within its block
    uint8_t one_for_all : 1 = 0;  // lanes stored the same value, so knowing one store is enough
  };
  // No access in the list is ordered after another; the latest comes first.
  using Accesses = std::vector<Access>;
  static constexpr size_t kMaxAccesses = 64;  // the oldest access beyond this number is dropped
  struct Word {
    Accesses stores, loads;
    uint8_t written = 0;  // bytes of shared memory
    bool is_shared = false;
  };
  static constexpr uint32_t kPageWords = 1024;
  struct Page {
    Word words[kPageWords];
  };
  struct WarpState {
    uint32_t block = 0, epoch = 1;
    View view;            // view of all lanes except `parted`
    uint32_t parted = 0;  // lanes that have acquired something separately since all lanes met
    View lane_views[kLanes];
    uint32_t steps[kLanes] = {};
    std::unique_ptr<View> fenced[kLanes], pending[kLanes];  // at the last fence; to be acquired by the next one
  };

  static bool is_same_step(const Access& a, const Access& b) {
    return a.warp == b.warp && a.epoch == b.epoch && a.pc == b.pc;
  }
  static void join(View& view, const View& other);
  static void join(Clock& clock, const Clock& other);

  Word& word_of(uint64_t address);
  Access access_of(const Who& who, uint8_t bytes, uint8_t mode) const;
  const View& view_of(const WarpState& w, uint32_t lane) const;
  View released(WarpState& w, uint32_t warp, uint32_t lane);  // the lane's actions and knowledge; starts its next step
  void acquire(WarpState& w, uint32_t lane, const View& message);
  bool is_ordered(const Access& before, const Access& now) const;
  void check(const Access& before, const Access& now, uint64_t address);
  enum class Does { loads, stores, exchanges };
  void touch(const Who& who, const uint8_t* at, const void* value, uint32_t bytes, uint8_t mode, Does does);
  void keep(Accesses& known, const Access& now) const;
  void read_message(const Who& who, const uint8_t* at, uint8_t mode);
  void write_message(const Who& who, const uint8_t* at, uint8_t mode, bool keep);
  void report(uint32_t pc, uint32_t other, const std::string& what);
  std::string describe(const Access& a) const;

  const Program& program_;
  std::vector<WarpState> warps_;
  std::vector<uint32_t> free_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t last_number_ = ~uint64_t(0);
  Page* last_page_ = nullptr;
  std::unordered_map<uint64_t, View> messages_;  // views that releases left with words
  std::set<std::pair<uint32_t, uint32_t>> reported_;
};

}  // namespace brokkr::ptx
