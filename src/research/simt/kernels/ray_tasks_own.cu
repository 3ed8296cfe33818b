// µ-kernels in software with queues of each block in its shared memory. They are a separate module, because every block
// of a module holds all its shared variables.
#include "simt/kernels/ray_warps.h"

extern "C" __global__ void ray_tasks_own(const __grid_constant__ brokkr::simt::RayPlan plan) {
  using Own = brokkr::ray_machine::RayOwn;
  __shared__ Own queues;
  for (unsigned i = threadIdx.x; i < sizeof queues / sizeof(unsigned); i += blockDim.x)
    reinterpret_cast<unsigned*>(&queues)[i] = 0;
  __syncthreads();
  brokkr::Warp w;
  brokkr::ray_machine::run_tasks<Told>(w, plan, warp_number(), &queues);
}
