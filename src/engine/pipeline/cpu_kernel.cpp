// The pipeline compiled for one instruction set of the CPU, or for the emulated machine (BROKKR_ISA).
#include "pipeline/kernel.h"

#include "pipeline/cpu_kernel.h"

BROKKR_MACHINE_BEGIN

static void run_warp(const CpuLaunch& launch, int block, int warp) {
  Block<BlockShared> b;
  b.index = block;
  b.blocks = launch.blocks;
  b.warps = launch.warps;
  b.warp.index = warp;
  b.shared = reinterpret_cast<BlockShared*>(launch.shared + size_t(block) * launch.shared_stride);
  // The barrier follows the block's storage; the host has zeroed both.
  b.barrier = reinterpret_cast<Barrier*>(launch.shared + size_t(block) * launch.shared_stride + launch.shared_stride -
                                         sizeof(Barrier));
  if (block == 0 && warp == 0) b.warp.turn = launch.turn;
  run_pipeline(b, *launch.data);
}

extern const CpuKernel kernel;
const CpuKernel kernel = {kWidth, kMaxWarps, sizeof(BlockShared) + 2 * sizeof(Barrier), &run_warp};

BROKKR_MACHINE_END
