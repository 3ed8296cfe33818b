// Races: two accesses of a word by different threads, one of them a store, that nothing orders. What orders them is
// followed as the PTX memory model has it: barriers of a block, bar.warp.sync, a release and the acquire that reads it,
// fences. Votes and shuffles order nothing. Beside them: reads of shared memory that nobody has written.
//
// Each thread has a view: how far it knows what the threads of every warp have done. A clock of a warp is an epoch,
// which ends where its lanes meet, and within it those lanes that have released something to the reader. Where two
// lanes have, all that each of them does in the epoch counts as known: a race may be missed, none is invented. Of each
// word those accesses are remembered that no later one is ordered behind. So in whatever order threads happen to run, a
// race is missed only where this run's other synchronisation orders the two accesses.
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
  // Of one launch: what comes before and after it is ordered.
  explicit Races(const Program& program) : program_(program) {}

  // How far a warp is known: all accesses of earlier epochs, and in this one those of `lanes` until a step.
  struct Clock {
    uint32_t epoch = 0, lanes = 0, step = 0;
    friend bool operator==(const Clock&, const Clock&) = default;
  };
  using View = std::vector<Clock>;  // of each warp
  struct Who {
    uint32_t warp, lane, pc;
  };

  // Warps that live at the same time have places of their own, which later ones take over.
  uint32_t add_warp(uint32_t block);
  void remove_warp(uint32_t warp) { free_.push_back(warp); }

  // Accesses before they happen; `mode`: Order.
  void load(const Who& who, const uint8_t* at, uint32_t bytes, uint8_t mode);
  void store(const Who& who, const uint8_t* at, const void* value, uint32_t bytes, uint8_t mode);
  void exchange(const Who& who, const uint8_t* at, uint32_t bytes, uint8_t mode);
  void fence(uint32_t warp, uint32_t lane);

  void meet_warp(uint32_t warp, uint32_t lanes);
  // At a barrier of a block whose threads have come together in `joined`.
  void arrive(uint32_t warp, uint32_t lanes, View& joined);
  void depart(uint32_t warp, const View& joined);

  // Nothing of it is written yet.
  void begin_shared(const uint8_t* shared, uint32_t bytes);

  size_t found() const { return reported_.size(); }

 private:
  struct Access {
    uint32_t epoch = 0, step = 0, pc = 0;
    uint32_t lanes = 0;  // of the warp, that have done the same in the epoch
    uint32_t value = 0;  // that each of them stored
    uint16_t warp = 0;
    uint8_t lane = 0;             // the last of them
    uint8_t bytes : 4 = 0;        // of the word
    uint8_t strong : 1 = 0;       // an atomic access
    uint8_t narrow : 1 = 0;       // that is atomic for its block only
    uint8_t one_for_all : 1 = 0;  // lanes stored the same value: who knows one of the stores knows that value
  };
  // None is ordered behind another one; the last is in front.
  using Accesses = std::vector<Access>;
  static constexpr size_t kMostAccesses = 64;  // then the oldest is forgotten
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
    View view;            // of all lanes but those of `parted`
    uint32_t parted = 0;  // lanes that have acquired something of their own since the lanes met
    View own[kLanes];
    uint32_t steps[kLanes] = {};
    std::unique_ptr<View> fenced[kLanes], pending[kLanes];  // at the last fence; to be acquired by the next
  };

  static bool is_same_step(const Access& a, const Access& b) {
    return a.warp == b.warp && a.epoch == b.epoch && a.pc == b.pc;
  }
  static void join(View& view, const View& other);
  static void join(Clock& clock, const Clock& other);

  Word& word_of(uint64_t address);
  Access access_of(const Who& who, uint8_t bytes, uint8_t mode) const;
  const View& view_of(const WarpState& w, uint32_t lane) const;
  View released(WarpState& w, uint32_t warp, uint32_t lane);  // what it has done and knows; its next step begins
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
  std::unordered_map<uint64_t, View> messages_;  // that a release left with a word
  std::set<std::pair<uint32_t, uint32_t>> reported_;
};

}  // namespace brokkr::ptx
