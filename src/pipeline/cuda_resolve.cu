#include "pipeline/cuda_resolve.h"

#include <cuda_fp16.h>

#include <stdexcept>
#include <string>

#include "scene/frame.h"

namespace brokkr {
namespace {

// Position of a pixel in its 8x8 tile: the bits of x and y in turn.
__device__ uint32_t morton(uint32_t x, uint32_t y) {
  return (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2 | (x & 4) << 2 | (y & 4) << 3;
}

__device__ uint32_t screen_byte(uint32_t half_bits) {
  const float linear = __half2float(__ushort_as_half(static_cast<unsigned short>(half_bits)));
  const float shown = linear > 0 ? fminf(linear, 1.0f) : 0.0f;  // NaN is black
  const float encoded = shown <= 0.0031308f ? shown * 12.92f : 1.055f * powf(shown, 1 / 2.4f) - 0.055f;
  return static_cast<uint32_t>(lroundf(encoded * 255));
}

__global__ void resolve(ResolvePlanes p, cudaSurfaceObject_t surface) {
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= p.target.width || y >= p.target.height) return;
  const uint32_t edge = static_cast<uint32_t>(p.region);
  const uint32_t number =
      p.target.first_region + (p.layer * p.target.regions_y + y / edge) * p.target.regions_x + x / edge;
  const uint32_t tile = (y % edge) / kTile * (edge / kTile) + (x % edge) / kTile;
  const size_t sample =
      size_t(number) * edge * edge + size_t(tile) * kTileSamples + morton(x % kTile, y % kTile);
  const RegionState& state = p.region_state[number];
  const bool cleared = (state.bits & kClearColor) != 0;  // the plane does not hold it yet
  uint32_t low = cleared ? static_cast<uint32_t>(state.color) : p.color[sample];
  if (p.target.format == static_cast<uint32_t>(ColorFormat::rgba16f)) {
    const uint32_t high = cleared ? static_cast<uint32_t>(state.color >> 32) : p.color_high[sample];
    low = screen_byte(low & 0xffff) | screen_byte(low >> 16) << 8 | screen_byte(high & 0xffff) << 16;
  }
  surf2Dwrite(low | 0xff000000u, surface, static_cast<int>(x * sizeof(uint32_t)), static_cast<int>(y));
}

}  // namespace

void resolve_to_surface(const ResolvePlanes& planes, cudaSurfaceObject_t surface, cudaStream_t stream) {
  const dim3 block(32, 8);
  const dim3 grid((planes.target.width + block.x - 1) / block.x,
                  (planes.target.height + block.y - 1) / block.y);
  resolve<<<grid, block, 0, stream>>>(planes, surface);
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess)
    throw std::runtime_error(std::string("CUDA: resolve: ") + cudaGetErrorString(error));
}

}  // namespace brokkr
