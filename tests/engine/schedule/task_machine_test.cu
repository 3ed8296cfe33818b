// Programs of tasks on CUDA: a paused program continues where it stopped.
#include "pause_check.h"
#include "pause_program.h"

namespace brokkr {
namespace {

template <class Task>
__global__ void run_pauses(const __grid_constant__ pause_test::Plan plan) {
  Warp w;
  pause_program::run<Task>(w, plan, int((blockIdx.x * blockDim.x + threadIdx.x) / 32));
}
__global__ void run_pauses_with_own(const __grid_constant__ pause_test::Plan plan) {
  using Own = pause_program::Own<pause_program::Small>;
  __shared__ Own own;
  for (unsigned i = threadIdx.x; i < sizeof own / sizeof(unsigned); i += blockDim.x)
    reinterpret_cast<unsigned*>(&own)[i] = 0;
  __syncthreads();
  Warp w;
  pause_program::run<pause_program::Small>(w, plan, int((blockIdx.x * blockDim.x + threadIdx.x) / 32), &own);
}
template <class Task>
pause_test::Kernel kernel() {
  return pause_program::kernel_of<Task>({nullptr, reinterpret_cast<const void*>(&run_pauses<Task>)});
}

TEST(CudaTaskMachine, GoesOnAfterPauses) {
  const auto machine = make_cuda_task_machine();
  if (machine == nullptr) GTEST_SKIP() << "no GPU";
  pause_test::check_pauses(*machine, kernel<pause_program::Small>(), machine->warps_per_block, 3);
}

TEST(CudaTaskMachine, TasksThatFindNoRoomAreNotLost) {
  const auto machine = make_cuda_task_machine();
  if (machine == nullptr) GTEST_SKIP() << "no GPU";
  const pause_test::Kernel large = kernel<pause_program::Large>();
  pause_test::check_pauses(*machine, large, machine->warps_per_block, 2);
  pause_test::check_pauses(*machine, large, machine->warps_per_block, 2, pause_test::kFewRecords);
  pause_test::check_pauses(*machine, large, machine->warps_per_block, 2, pause_test::kFewSlots);
}

TEST(CudaTaskMachine, BlocksHaveQueuesInSharedMemory) {
  const auto machine = make_cuda_task_machine();
  if (machine == nullptr) GTEST_SKIP() << "no GPU";
  const pause_test::Kernel own =
      pause_program::kernel_of<pause_program::Small>({nullptr, reinterpret_cast<const void*>(&run_pauses_with_own)});
  pause_test::check_pauses(*machine, own, 2 * machine->warps_per_block, 3);
  pause_test::check_pauses(*machine, own, machine->warps_per_block, 2, pause_test::kFewSlots);
}

}  // namespace
}  // namespace brokkr
