// The description of a SIMT machine, as in the files of src/research/simt/machines.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/warp.h"
#include "simt/flow.h"

namespace brokkr::simt {

// The reconvergence policies determine which lanes of a warp execute together.
//
// Each lane's program counter is authoritative (ptx::Warp); a policy only selects the lanes that issue in one step. So
// a program's results do not depend on it.
enum class PolicyKind : uint8_t {
  pdom,      // a stack of paths; the top one runs until it meets the others at the post-dominator
  parallel,  // entries of that stack without common lanes run at the same time [Steffen12, Alg. 1]
  ahead,     // like parallel, but lanes that wait at a meeting go on to the next one, loops first [Steffen12, 4.2.1.2]
  spatial,   // lanes in equal groups with a stack each [Steffen12, 4.2.1.3]
  independent,  // each lane alone: the upper bound for a warp
};
const std::vector<std::string>& policy_names();  // indexed by PolicyKind

// Lanes at the same place.
struct Group {
  uint32_t pc = 0, frame = 0, lanes = 0;
};

class Policy {
 public:
  virtual ~Policy() = default;
  // Selects the groups of the next step: at different places, and at most as many as there are ways. Empty if no lane
  // is ready.
  virtual void choose(const ptx::Warp& warp, std::vector<Group>& groups) = 0;
  // Call it after the lanes of a group have executed the instruction at its pc.
  virtual void moved(const ptx::Warp& warp, const Group& group) = 0;
  // Call it after lanes have met at a barrier of the block.
  virtual void met(const ptx::Warp&) {}
};

std::unique_ptr<Policy> make_policy(PolicyKind kind, uint32_t ways, const Flow& flow, uint32_t lanes);

struct CacheConfig {
  enum class Kind : uint8_t { none, perfect, sets } kind = Kind::none;
  uint32_t bytes = 0, ways = 0, latency = 0;  // latency: of a hit, in addition to the load's own
};

// Cycles from an instruction's issue to its result.
struct Latencies {
  uint32_t integer = 1, multiply = 1, floating = 1, special = 1, divide = 1, doubles = 1, control = 1, collective = 1,
           shared = 1, constant = 1, load = 1;  // load: in addition to the time of caches and memory
};

struct MemoryConfig {
  uint32_t channels = 8, bytes_per_cycle = 8, latency = 100;
  uint32_t segment = 32;       // bytes: the smallest transfer
  uint32_t line = 128;         // consecutive bytes in one channel; also a cache line
  uint32_t banks = 32;         // banks of the on-chip memory
  uint32_t atomic_cycles = 4;  // between two atomics at the same address
  bool unit_per_lane = false;  // each lane accesses memory independently: set by as_mimd
  bool instant = false;        // any number of off-chip accesses at once; only with_ideal_memory sets it
};

struct SpawnConfig {
  uint32_t bytes = 0;         // on chip, per core; 0: threads cannot be spawned
  uint32_t state_bytes = 48;  // per thread
  bool conflicts = true;      // bank conflicts delay lanes
};

// A pipelined unit of fixed hardware that takes a thread per cycle, as GrUG's [Steffen12, Table A.1].
struct FixedConfig {
  // cycles from a thread's entry to its result; 0: there is no unit, and its functions are software
  uint32_t depth = 0;
};

struct Config {
  std::string name, source;
  uint32_t mhz = 1000;  // clock rate: only converts cycles to seconds
  uint32_t cores = 1, schedulers = 1, warp = 32;
  uint32_t lanes = 32;                                                     // threads of a warp that issue in one cycle
  uint32_t threads = 1024, blocks = 8, registers = 16384, shared = 16384;  // per core
  bool overlap = false;  // several instructions of a warp are in flight, guarded by a scoreboard
  // a scheduler stays with its warp while it can issue, then takes the oldest; otherwise round robin
  bool greedy = false;
  bool block_scheduling = true;  // a block starts when all of it fits; otherwise each warp starts when it fits
  PolicyKind policy = PolicyKind::pdom;
  uint32_t ways = 2;
  Latencies latency;
  CacheConfig l1, l2;
  MemoryConfig memory;
  SpawnConfig spawn;
  FixedConfig fixed;

  uint32_t issue_cycles() const { return (warp + lanes - 1) / lanes; }
};

// Throws std::runtime_error that names file, field and remedy.
Config read_config(std::string_view text, const std::string& name);
// `name_or_file`: a name of `config_names`, or a file.
Config find_config(const std::string& name_or_file);
std::vector<std::string> config_names();

// The upper bound without warps: independent threads on as many lanes. [Steffen12, Fig. 8.1]
Config as_mimd(Config config);
// Warps of half the size on twice as many cores. [Steffen12, Fig. 8.4]
Config as_half_warps(Config config);
// The machine with only `cores` of its cores, and with their share of its channels and bytes per cycle, rounded.
Config with_cores(Config config, uint32_t cores);
// The machine without cache misses, with memory that answers immediately.
Config with_ideal_memory(Config config);

}  // namespace brokkr::simt
