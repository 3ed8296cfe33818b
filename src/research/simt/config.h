// A SIMT machine as data: what is in a file of src/simt/machines.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "simt/policy.h"

namespace brokkr::simt {

struct CacheConfig {
  enum class Kind : uint8_t { none, perfect, sets } kind = Kind::none;
  uint32_t bytes = 0, ways = 0, latency = 0;  // latency: of a hit, beside that of the load itself
};

// Cycles from the issue of an instruction to its result.
struct Latencies {
  uint32_t integer = 1, multiply = 1, floating = 1, special = 1, divide = 1, doubles = 1, control = 1, collective = 1,
           shared = 1, constant = 1, load = 1;  // load: beside what caches and memory add
};

struct MemoryConfig {
  uint32_t channels = 8, bytes_per_cycle = 8, latency = 100;
  uint32_t segment = 32;       // bytes: the least that moves
  uint32_t line = 128;         // bytes that follow each other in one channel, and of a cache's line
  uint32_t banks = 32;         // of the memory on chip
  uint32_t atomic_cycles = 4;  // between two atomics at one address
  bool unit_per_lane = false;  // lanes access memory each by itself: as_mimd says so
  bool instant = false;  // any number of accesses beyond the chip at once: no file says so, with_ideal_memory does
};

struct SpawnConfig {
  uint32_t bytes = 0;         // on chip, of each core; 0: no threads are spawned
  uint32_t state_bytes = 48;  // of each thread
  bool conflicts = true;      // whether its banks make lanes wait
};

struct Config {
  std::string name, source;
  uint32_t mhz = 1000;  // of its clock: only makes seconds of cycles
  uint32_t cores = 1, schedulers = 1, warp = 32;
  uint32_t lanes = 32;  // threads of a warp that are issued in one cycle
  uint32_t threads = 1024, blocks = 8, registers = 16384, shared = 16384;  // of a core
  bool overlap = false;          // several instructions of a warp are under way, held by a scoreboard
  bool greedy = false;           // a scheduler goes on with its warp while it can, then the oldest; else in turn
  bool block_scheduling = true;  // a block begins where all of it fits; else each warp where one fits
  PolicyKind policy = PolicyKind::pdom;
  uint32_t ways = 2;
  Latencies latency;
  CacheConfig l1, l2;
  MemoryConfig memory;
  SpawnConfig spawn;

  uint32_t issue_cycles() const { return (warp + lanes - 1) / lanes; }
};

// Throws std::runtime_error naming file, field and remedy.
Config read_config(std::string_view text, const std::string& name);
// A name of `config_names`, or a file.
Config find_config(const std::string& name_or_file);
std::vector<std::string> config_names();

// The limit that no warp has: threads by themselves on as many lanes. [Steffen12, Fig. 8.1]
Config as_mimd(Config config);
// Warps of half the size on twice the cores. [Steffen12, Fig. 8.4]
Config as_half_warps(Config config);
// No cache misses, and memory that answers at once.
Config with_ideal_memory(Config config);

}  // namespace brokkr::simt
