// The ray programs with warp-wide control flow: the path tracer's loop, and µ-kernels in software.
#include "simt/kernels/ray_warps.h"

extern "C" __global__ void ray_loop(const __grid_constant__ brokkr::simt::RayPlan plan) {
  brokkr::Warp w;
  brokkr::ray_machine::run_loop<Told>(w, plan, warp_number());
}
extern "C" __global__ void ray_tasks(const __grid_constant__ brokkr::simt::RayPlan plan) {
  brokkr::Warp w;
  brokkr::ray_machine::run_tasks<Told>(w, plan, warp_number());
}
