// The counts of a timed run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace brokkr::simt {

// Issue slots by use: eight classes of active lanes, as in [Steffen12, Fig. 2.3] (1 to 4, 5 to 8 ...); stalled, because
// all warps wait; idle, because the core has no warps.
constexpr uint32_t kOccupancyClasses = 10, kStalled = 8, kIdle = 9;
using Occupancy = std::array<uint64_t, kOccupancyClasses>;

struct Traffic {
  uint64_t read = 0, written = 0;  // bytes
};

struct Statistics {
  uint64_t cycles = 0;
  uint64_t done = 0;          // items of work, such as rays, if the program counts them
  uint64_t steps = 0;         // issues of a warp: one instruction, or one per way
  uint64_t instructions = 0;  // instructions of warps: one per group of lanes
  uint64_t lanes = 0;         // instructions of threads
  uint64_t worked = 0;        // lanes among them that the program itself does not mask
  // launched threads, spawned threads, and warps of spawned threads
  uint64_t launched = 0, spawned = 0, spawned_warps = 0, flushed_warps = 0;
  uint64_t diverge_pdom = 0, diverge_spawn = 0;  // decisions of the performance model
  uint64_t conflicts = 0;                        // cycles that lanes waited for banks
  uint64_t fixed = 0;                            // threads that the units of fixed hardware took
  uint64_t atomics_waited = 0;
  uint64_t l1_hits = 0, l1_misses = 0, l2_hits = 0, l2_misses = 0;
  Traffic off_chip, spawn;                             // bytes that channels moved; bytes requested from spawn memory
  uint64_t requested_read = 0, requested_written = 0;  // bytes that lanes requested from any memory
  Occupancy occupancy = {};
  std::vector<Occupancy> windows;  // occupancy over time
  uint64_t window_cycles = 0;      // length of a window

  double ipc() const { return cycles == 0 ? 0 : double(lanes) / double(cycles); }
  double rate() const { return cycles == 0 ? 0 : double(done) / double(cycles); }
  // Fraction of active lanes in issued warps.
  double efficiency(uint32_t warp) const { return steps == 0 ? 0 : double(lanes) / double(steps * warp); }
  double work(uint32_t warp) const { return steps == 0 ? 0 : double(worked) / double(steps * warp); }
  void add(const Statistics& next);  // a launch that followed
};

// Windows that grow with the run, so that their number stays bounded.
class Timeline {
 public:
  static constexpr size_t kMaxWindows = 256;
  void count(uint64_t cycle, uint32_t which, uint64_t n = 1);
  void count_range(uint64_t begin, uint64_t end, uint32_t which, uint64_t each_cycle);
  void finish(Statistics& s) const;

 private:
  uint32_t shift_ = 6;  // a window's cycles are a power of two
  std::vector<Occupancy> windows_;
};

constexpr uint32_t occupancy_class(uint32_t lanes) { return (lanes - 1) / 4; }

// The counts of a timed run, by name and as JSON.
struct NamedCount {
  const char* name;
  uint64_t Statistics::*field;
};
inline constexpr NamedCount kCounts[] = {
    {"cycles", &Statistics::cycles},
    {"issues", &Statistics::steps},
    {"warp_instructions", &Statistics::instructions},
    {"thread_instructions", &Statistics::lanes},
    {"done", &Statistics::done},
    {"launched", &Statistics::launched},
    {"spawned", &Statistics::spawned},
    {"spawned_warps", &Statistics::spawned_warps},
    {"flushed_warps", &Statistics::flushed_warps},
    {"diverge_stack", &Statistics::diverge_pdom},
    {"diverge_spawn", &Statistics::diverge_spawn},
    {"bank_conflict_cycles", &Statistics::conflicts},
    {"fixed_threads", &Statistics::fixed},
    {"atomic_wait_cycles", &Statistics::atomics_waited},
    {"l1_hits", &Statistics::l1_hits},
    {"l1_misses", &Statistics::l1_misses},
    {"l2_hits", &Statistics::l2_hits},
    {"l2_misses", &Statistics::l2_misses},
    {"requested_read_bytes", &Statistics::requested_read},
    {"requested_written_bytes", &Statistics::requested_written},
};
inline constexpr const char* kClasses[kOccupancyClasses] = {"lanes_1_4",   "lanes_5_8",   "lanes_9_12",  "lanes_13_16",
                                                            "lanes_17_20", "lanes_21_24", "lanes_25_28", "lanes_29_32",
                                                            "stalled",     "idle"};

// `warp`: lanes per warp.
nlohmann::ordered_json json_of(const Statistics& s, uint32_t warp);

}  // namespace brokkr::simt
