// Parts of the ray programs with warp-wide control flow.
#pragma once

#include "simt/kernels/intrinsics.h"
#include "simt/rays/ray_tasks.h"

struct Told {
  static __device__ __forceinline__ void lanes(int n) { brokkr_simt_lanes(n); }
};
__device__ __forceinline__ int warp_number() { return int((blockIdx.x * blockDim.x + threadIdx.x) / 32); }
