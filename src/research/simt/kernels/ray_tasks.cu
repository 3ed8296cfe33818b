// The ray programs with warp-wide control flow: the path tracer's loop, and µ-kernels in software.
#include "simt/kernels/intrinsics.h"
#include "simt/rays/ray_tasks.h"

namespace {

struct Told {
  static __device__ __forceinline__ void lanes(int n) { brokkr_simt_lanes(n); }
};
__device__ __forceinline__ int warp_number() { return int((blockIdx.x * blockDim.x + threadIdx.x) / 32); }

}  // namespace

extern "C" __global__ void ray_loop(const __grid_constant__ brokkr::simt::RayPlan plan) {
  brokkr::Warp w;
  brokkr::ray_machine::run_loop<Told>(w, plan, warp_number());
}
extern "C" __global__ void ray_tasks(const __grid_constant__ brokkr::simt::RayPlan plan) {
  brokkr::Warp w;
  brokkr::ray_machine::run_tasks<Told>(w, plan, warp_number());
}
// The same with queues of each block in its shared memory.
extern "C" __global__ void ray_tasks_own(const __grid_constant__ brokkr::simt::RayPlan plan) {
  using Own = brokkr::ray_machine::RayOwn;
  __shared__ Own own;
  for (unsigned i = threadIdx.x; i < sizeof own / sizeof(unsigned); i += blockDim.x)
    reinterpret_cast<unsigned*>(&own)[i] = 0;
  __syncthreads();
  brokkr::Warp w;
  brokkr::ray_machine::run_tasks<Told>(w, plan, warp_number(), &own);
}
