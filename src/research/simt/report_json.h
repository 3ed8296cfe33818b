// The counts of a timed run, by name and as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "simt/statistics.h"

namespace brokkr::simt {

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
