#include "pipeline/cuda/resolve.h"

#include <stdexcept>
#include <string>

#include "brokkr/frame.h"
#include "raster/region.h"
#include "target/pixel.h"

namespace brokkr {
namespace {

__global__ void resolve(ResolvePlanes p, cudaSurfaceObject_t surface) {
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= p.target.width || y >= p.target.height) return;
  const uint32_t edge = static_cast<uint32_t>(p.region);
  const uint32_t number =
      p.target.first_region + (p.layer * p.target.regions_y + y / edge) * p.target.regions_x + x / edge;
  const Int inside = region_sample(Int(Uint(x % edge)), Int(Uint(y % edge)), lowest_bit(edge));
  const size_t sample = size_t(number) * edge * edge + size_t(inside.v);
  const RegionState& state = p.region_state[number];
  const bool cleared = (state.bits & kClearColor) != 0;  // the clear has not been written to the plane
  uint32_t low = cleared ? static_cast<uint32_t>(state.color) : p.color[sample];
  if (p.target.format == static_cast<uint32_t>(ColorFormat::rgba16f)) {
    const uint32_t high = cleared ? static_cast<uint32_t>(state.color >> 32) : p.color_high[sample];
    low = store_color(static_cast<uint32_t>(ColorFormat::rgba8_srgb), load_color(p.target.format, low, high)).low.v;
  }
  surf2Dwrite(low | 0xff000000u, surface, static_cast<int>(x * sizeof(uint32_t)), static_cast<int>(y));
}

}  // namespace

void resolve_to_surface(const ResolvePlanes& planes, cudaSurfaceObject_t surface, cudaStream_t stream) {
  const dim3 block(32, 8);
  const dim3 grid((planes.target.width + block.x - 1) / block.x, (planes.target.height + block.y - 1) / block.y);
  resolve<<<grid, block, 0, stream>>>(planes, surface);
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: resolve: ") + cudaGetErrorString(error));
}

}  // namespace brokkr
