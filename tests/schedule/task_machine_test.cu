// Programs of tasks on CUDA: what is paused goes on where it was.
#include "pause_check.h"
#include "pause_program.h"

namespace brokkr {
namespace {

__global__ void run_pauses(const __grid_constant__ pause_test::Plan plan) {
  Warp w;
  pause_program::run(w, plan, int((blockIdx.x * blockDim.x + threadIdx.x) / 32));
}

TEST(CudaTaskMachine, GoesOnAfterPauses) {
  const auto machine = make_cuda_task_machine();
  if (machine == nullptr) GTEST_SKIP() << "no GPU";
  const pause_test::Kernel kernel = pause_program::kernel_of({nullptr, reinterpret_cast<const void*>(&run_pauses)});
  pause_test::check_pauses(*machine, kernel, machine->warps_per_block, 3);
}

}  // namespace
}  // namespace brokkr
