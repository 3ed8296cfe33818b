// Decides whether a branch is better executed by new threads or by the stack [Steffen12, chapter 6].
#pragma once

#include <cstdint>
#include <unordered_map>

namespace brokkr::simt {

// The known costs of a branch before it runs: instructions of its two paths up to their meeting, of the rest of the
// program, and of storing and restoring a thread's state.
struct BranchCost {
  uint32_t path1 = 0, path2 = 0, after = 0, store = 0, restore = 0;
};
struct BranchCount {
  uint32_t warps = 0, threads1 = 0, threads2 = 0;  // waiting at the branch
};

// Issues until all threads are done, by [Steffen12, eq. 6.1] and [Steffen12, eq. 6.2].
uint64_t stack_cost(const BranchCost& cost, const BranchCount& count);
uint64_t spawn_cost(const BranchCost& cost, const BranchCount& count, uint32_t warp);

// The table of a core's branches.
class DivergenceModel {
 public:
  explicit DivergenceModel(uint32_t warp) : warp_(warp) {}
  void arrive(uint32_t pc, const BranchCost& cost, uint32_t threads1, uint32_t threads2);
  // A warp continues. Returns whether its threads spawn, by the counts at the last arrival, so that warps that waited
  // together decide alike. The warp is no longer counted.
  bool leave(uint32_t pc, uint32_t threads1, uint32_t threads2);

 private:
  struct Line {
    BranchCost cost;
    BranchCount count;
    bool spawns = false;
  };
  uint32_t warp_;
  std::unordered_map<uint32_t, Line> lines_;
};

}  // namespace brokkr::simt
