// Runs the CUDA tests, or exits with code 77 (skipped) if there is no GPU.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  int devices = 0;
  const cudaError_t found = cudaGetDeviceCount(&devices);
  if (found != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "CUDA tests skipped: %s\n", found == cudaSuccess ? "no GPU" : cudaGetErrorString(found));
    return 77;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
