// The machine: runs the blocks of a launch, and schedules the turns of their warps, on one or several host threads.
// Each thread has its own blocks; two blocks share only words that are accessed with the host's atomics.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ptx/block.h"
#include "ptx/memory.h"
#include "ptx/program.h"
#include "ptx/races.h"
#include "ptx/settings.h"
#include "ptx/weak.h"

namespace brokkr::ptx {

// Counts executed instructions: the ones that ran most, and the source lines that ran at all.
class Profile {
 public:
  explicit Profile(const Settings& s) : profile_(s.profile), coverage_folder_(s.coverage_folder) {}
  // The counters of a launch, one per instruction; nullptr: not counted.
  uint64_t* begin(const Program& program);
  uint64_t* lanes() { return lanes_.empty() ? nullptr : lanes_.data(); }
  void end(const Launch& launch);  // call after a launch

  // Keeps the last launch's counts for later queries.
  void keep(bool on) { keep_ = on; }
  bool is_kept() const { return keep_; }
  void add(const Profile& other);  // counts of the same launch
  const std::vector<uint64_t>& runs_of_each() const { return counts_; }
  const std::vector<uint64_t>& lanes_of_each() const { return lanes_; }

 private:
  // The lines that all launches of a program have reached.
  struct Coverage {
    explicit Coverage(const Program& program);
    std::vector<std::pair<uint32_t, uint32_t>> lines;  // files and lines with instructions, in order
    std::vector<uint32_t> line_of;                     // per instruction: an index of `lines`, or their number
    std::vector<uint64_t> runs;                        // per instruction
    std::vector<bool> is_reached;                      // per line, and once for instructions without one
  };

  void print(const Launch& launch) const;
  void cover(const Program& program);
  void write(const Program& program, const Coverage& coverage) const;

  const int profile_;
  const std::string coverage_folder_;
  bool keep_ = false;
  std::vector<uint64_t> counts_, lanes_;       // counts of this launch, per instruction
  std::map<const Program*, Coverage> covers_;  // coverage of each program
};

// Functions that a machine provides: brokkr_simt_NAME, declared and not defined in the module.
struct Foreign {
  virtual ~Foreign() = default;
  // Calls the function for one lane; returns its result.
  virtual uint64_t call(Warp& warp, const Instruction& in, uint32_t lane, const uint64_t* arguments) = 0;
};

// The state that the machines of a launch share if it runs on several host threads.
struct Crowd {
  std::atomic<uint64_t> next_block{0}, clock{0};
  std::atomic<bool> stop{false};  // set when one of them has failed
};

// Runs one launch at a time.
class Machine {
 public:
  explicit Machine(const Settings& s) : settings(s), profile_(s) {}
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  void run(const Launch& launch);  // throws Fault

  uint64_t now() const;  // nanoseconds
  uint64_t executed() const { return executed_; }
  void warn(const std::string& what);

  // Reuses memory of blocks and warps that have ended.
  uint32_t* take_stack();
  void give_stack(uint32_t* stack) { stacks_.push_back(stack); }
  void* take(RangeKind kind, size_t bytes, const void* owner);  // throws Fault
  void give(RangeKind kind, size_t bytes, void* memory);

  const Settings settings;
  Random random;
  StoreHistory history;
  bool adversarial = false;
  std::unique_ptr<Races> races;  // nullptr: races are not detected
  // Per instruction of the program: how often it ran, and with how many lanes in total; nullptr: not counted. Coverage
  // needs only the first.
  uint64_t *counts = nullptr, *lane_counts = nullptr;
  Foreign* foreign = nullptr;    // nullptr: foreign functions are rejected
  uint32_t warp_lanes = kLanes;  // lanes of a warp that have threads
  // Enables counting for the next launches; lane counts are those of the last one.
  void count_lanes(bool on) { profile_.keep(on); }
  const Profile& profile() const { return profile_; }
  // Returns true if other host threads run blocks of the same launch.
  bool is_crowded() const { return crowd_ != nullptr; }
  // For a machine that runs the blocks itself: sets what clocks read.
  void set_clock(uint64_t cycles) { executed_ = cycles; }

 private:
  [[noreturn]] void report_deadlock(const std::string& what) const;
  void begin(const Launch& launch);
  bool take_turns(uint64_t& next);  // one turn of each warp; `next`: when the first sleeper wakes
  bool turn(Warp& w, uint64_t& next);
  void run_blocks(const Launch& launch);
  void run_all(const Launch& launch);
  size_t crew_of(const Launch& launch) const;
  void run_crew(const Launch& launch, size_t crew);  // block.cpp
  uint64_t next_block();
  void pass(uint64_t nanoseconds);  // time without an instruction

  std::deque<std::unique_ptr<Block>> blocks_;
  Crowd* crowd_ = nullptr;
  std::vector<std::unique_ptr<Machine>> helpers_;  // for other host threads
  uint64_t started_ = 0, share_ = 0;               // blocks of this launch: started, and the maximum at the same time
  Profile profile_;
  std::vector<uint32_t*> stacks_;
  std::map<std::pair<RangeKind, size_t>, std::vector<void*>> free_;
  uint64_t executed_ = 0, slept_ = 0;
  std::vector<std::string> warned_;
};

}  // namespace brokkr::ptx
