// Settings from environment variables; docs/research/ptx.md explains each.
#pragma once

#include <cstdint>
#include <string>

namespace brokkr::ptx {

struct Settings {
  int multiprocessors = 2;   // BROKKR_PTX_SMS
  int blocks_per_sm = 2;     // BROKKR_PTX_BLOCKS_PER_SM: maximum; shared memory and .minnctapersm may allow fewer
  int cooperative = -1;      // BROKKR_PTX_COOPERATIVE: maximum blocks of a cooperative launch; 0: not supported
  int megahertz = 16;        // BROKKR_PTX_MHZ: reported clock rate, about the interpreter's speed
  int memory_mib = 4096;     // BROKKR_PTX_MEMORY_MIB
  int poison = -1;           // BROKKR_PTX_POISON: byte that fills new memory
  uint64_t seed = 0;         // BROKKR_PTX_SEED: not 0: random groups, warps, slices and lane order
  int threads = 1;           // BROKKR_PTX_THREADS: host threads that share the blocks
  int slice = 256;           // BROKKR_PTX_SLICE: instructions of a warp before the next warp's turn
  uint64_t limit = 0;        // BROKKR_PTX_LIMIT: warp instructions after which a launch fails
  bool synchronous = false;  // BROKKR_PTX_SYNC=1: launches return when they are complete
  bool real_clock = false;   // BROKKR_PTX_CLOCK=1: %globaltimer is the host's; otherwise a nanosecond per instruction
  int held_stores = 0;       // BROKKR_PTX_STORES: maximum stores that a thread holds back (weak memory); 0: none
  bool stale_loads = false;  // BROKKR_PTX_STALE=1: relaxed and weak loads may miss stores (weak memory)
  bool races = false;        // BROKKR_PTX_RACES=1: report unordered accesses, and reads of unwritten shared memory
  int verbose = 0;           // BROKKR_PTX_VERBOSE: 1: a line per launch, 2: every call of the runtime
  bool warn = true;          // BROKKR_PTX_WARN=0: no warnings about doubtful synchronization
  bool touched = false;      // BROKKR_PTX_TOUCHED=1: report the bytes of each allocation that a launch accessed
  int profile = 0;           // BROKKR_PTX_PROFILE=N: report the N most executed instructions after each launch
  // BROKKR_PTX_TEXT: folder to which modules are written; existing files replace the program's modules
  std::string text_folder;
  std::string coverage_folder;  // BROKKR_PTX_COVERAGE: executed lines are written there
};

// Read from the environment once.
const Settings& settings();
// Replaces the settings; call before anything else of the runtime.
void change_settings(const Settings& to);

}  // namespace brokkr::ptx
