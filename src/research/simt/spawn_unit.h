// Warps of spawned threads [Steffen12, chapter 5]: threads for the same µ-kernel gather until they fill a warp, or
// until a core has nothing else to do.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace brokkr::simt {

// A thread of a launch, independent of where it runs.
struct ThreadIdentity {
  uint32_t block = 0, thread = 0;
};
struct SpawnedThread {
  uint64_t state = 0;  // the pointer it was spawned with
  ThreadIdentity identity;
  uint32_t slot = 0;  // of its state in spawn memory
};
struct FormedWarp {
  uint32_t pc = 0;
  std::vector<SpawnedThread> threads;
};

// The table of warps being formed, one line per µ-kernel, in the memory that holds their threads.
class SpawnUnit {
 public:
  // `threads` per core, `locations`: number of spawn targets.
  SpawnUnit(uint32_t threads, uint32_t warp, uint32_t locations);
  // Size of the formation memory in threads: twice the maximum content, so that new warps do not overwrite those being
  // read [Steffen12, 5.1.2].
  static uint32_t places(uint32_t threads, uint32_t warp, uint32_t locations);

  // Adds the threads of one spawn instruction. Returns the places where their pointers are stored, as at most two
  // ranges.
  std::vector<uint32_t> spawn(uint32_t pc, const std::vector<SpawnedThread>& threads);
  bool has_warp() const { return !full_.empty(); }
  bool has_part() const { return waiting_ != 0; }
  FormedWarp take();   // the first full warp
  FormedWarp flush();  // the partial warp with the lowest pc

 private:
  struct Line {
    uint32_t first = 0, second = 0;  // places of the next thread and of the next warp
    uint32_t count = 0;
  };
  struct Full {
    uint32_t pc, last;  // place of the last thread
    uint32_t count;
  };
  uint32_t next_free();
  FormedWarp read(const Full& warp);

  uint32_t warp_;
  std::vector<SpawnedThread> memory_;
  std::vector<uint32_t> used_;  // number of threads in each warp's places
  std::map<uint32_t, Line> lines_;
  std::deque<Full> full_;
  uint32_t free_ = 0;
  uint32_t waiting_ = 0;  // threads in all lines
};

}  // namespace brokkr::simt
