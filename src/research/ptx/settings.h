// What the environment asks for; docs/research/ptx.md explains each.
#pragma once

#include <cstdint>
#include <string>

namespace brokkr::ptx {

struct Settings {
  int multiprocessors = 2;      // BROKKR_PTX_SMS
  int blocks_per_sm = 2;        // BROKKR_PTX_BLOCKS_PER_SM: at most, where shared memory and .minnctapersm allow
  int cooperative = -1;         // BROKKR_PTX_COOPERATIVE: blocks of a cooperative launch, at most; 0: there are none
  int megahertz = 16;           // BROKKR_PTX_MHZ: the clock that the device reports, about what is interpreted
  int memory_mib = 4096;        // BROKKR_PTX_MEMORY_MIB
  int poison = -1;              // BROKKR_PTX_POISON: byte that new memory is filled with
  uint64_t seed = 0;            // BROKKR_PTX_SEED: not 0: groups, warps, slices and the order of lanes at random
  int threads = 1;              // BROKKR_PTX_THREADS: of the host, over which blocks are spread
  int slice = 256;              // BROKKR_PTX_SLICE: instructions of a warp before the next has its turn
  uint64_t limit = 0;           // BROKKR_PTX_LIMIT: warp instructions of a launch before it is given up
  bool synchronous = false;     // BROKKR_PTX_SYNC=1: launches return when they are done
  bool real_clock = false;      // BROKKR_PTX_CLOCK=1: %globaltimer is the host's; else a nanosecond an instruction
  int held_stores = 0;          // BROKKR_PTX_STORES: most stores that a thread holds back (weak memory); 0: none
  bool stale_loads = false;     // BROKKR_PTX_STALE=1: relaxed and weak loads may miss stores (weak memory)
  bool races = false;           // BROKKR_PTX_RACES=1: accesses that nothing orders, shared memory that nobody wrote
  int verbose = 0;              // BROKKR_PTX_VERBOSE: 1: a line per launch, 2: every call of the runtime
  bool warn = true;             // BROKKR_PTX_WARN=0: nothing about doubtful synchronisation
  bool touched = false;         // BROKKR_PTX_TOUCHED=1: bytes of each allocation that a launch has touched
  int profile = 0;              // BROKKR_PTX_PROFILE=N: the N instructions that ran most, at the end of each launch
  std::string text_folder;      // BROKKR_PTX_TEXT: modules are written there; those that are there are run instead
  std::string coverage_folder;  // BROKKR_PTX_COVERAGE: which lines ran is written there
};

// Read once.
const Settings& settings();
// For a program that decides itself, before it asks the runtime for anything.
void change_settings(const Settings& to);

}  // namespace brokkr::ptx
