#include "simt/divergence_model.h"

namespace brokkr::simt {

uint64_t stack_cost(const BranchCost& cost, const BranchCount& count) {
  return uint64_t(count.warps) * (uint64_t(cost.path1) + cost.path2 + cost.after);
}

// Threads are spawned twice: at the start of their path, and where the paths meet.
uint64_t spawn_cost(const BranchCost& cost, const BranchCount& count, uint32_t warp) {
  const auto warps_of = [&](uint32_t threads) { return uint64_t((threads + warp - 1) / warp); };
  const uint64_t one = warps_of(count.threads1), two = warps_of(count.threads2);
  const uint64_t paths = one * (uint64_t(cost.path1) + cost.after) + two * (uint64_t(cost.path2) + cost.after);
  const uint64_t out = uint64_t(count.warps) * cost.store + (one + two) * cost.restore;
  const uint64_t back = (one + two) * (uint64_t(cost.store) + cost.restore);
  return paths + out + back;
}

void DivergenceModel::arrive(uint32_t pc, const BranchCost& cost, uint32_t threads1, uint32_t threads2) {
  Line& line = lines_[pc];
  line.cost = cost;
  ++line.count.warps;
  line.count.threads1 += threads1;
  line.count.threads2 += threads2;
  line.spawns = spawn_cost(line.cost, line.count, warp_) < stack_cost(line.cost, line.count);
}

bool DivergenceModel::leave(uint32_t pc, uint32_t threads1, uint32_t threads2) {
  Line& line = lines_[pc];
  --line.count.warps;
  line.count.threads1 -= threads1;
  line.count.threads2 -= threads2;
  return line.spawns;
}

}  // namespace brokkr::simt
