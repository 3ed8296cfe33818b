#include "pipeline/cuda/squares.h"

#include <algorithm>

#include "plan/launch_plan.h"

namespace brokkr {
namespace {

constexpr unsigned kThreads = 256;
constexpr uint64_t kMaxBlocks = 4096;

// A thread copies words in packed order.
__global__ void copy_tiles(TileWords tiles_of, const uint32_t* tiles, uint64_t words, uint32_t* packed, bool packs) {
  const uint64_t step = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += step) {
    const uint64_t tile = tiles[i / tiles_of.of_tile] - tiles_of.first_tile;
    uint32_t& word = tiles_of.plane[tiles_of.first + tile * tiles_of.of_tile + i % tiles_of.of_tile];
    if (packs)
      packed[i] = word;
    else
      word = packed[i];
  }
}

}  // namespace

CudaSquares::CudaSquares() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
CudaSquares::~CudaSquares() {
  if (!device_is_lost) cudaStreamDestroy(stream_);
}

void CudaSquares::copy(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, uint32_t* packed,
                       bool packs) {
  const std::vector<uint32_t> tiles = tiles_of_rank(*plan_, owned, rank, target);
  if (tiles.empty()) return;
  tiles_.upload(tiles.data(), tiles.size() * sizeof(uint32_t), "squares of a rank");
  for (const TileWords& plane : words_of_planes(*plan_, planes_, target, planes)) {
    const uint64_t words = tiles.size() * uint64_t(plane.of_tile);
    const auto blocks = unsigned(std::min((words + kThreads - 1) / kThreads, kMaxBlocks));
    copy_tiles<<<blocks, kThreads, 0, stream_>>>(plane, tiles_.as<uint32_t>(), words, packed, packs);
    check_cuda(cudaGetLastError(), "squares of a rank");
    packed += words;
  }
  check_cuda(cudaStreamSynchronize(stream_), "squares of a rank");
}

void CudaSquares::pack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, void* to) {
  copy(owned, rank, target, planes, static_cast<uint32_t*>(to), true);
}

void CudaSquares::unpack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, const void* from) {
  copy(owned, rank, target, planes, static_cast<uint32_t*>(const_cast<void*>(from)), false);
}

void* CudaSquares::memory(size_t bytes) {
  if (memory_.bytes() < bytes) {
    memory_ = DeviceBuffer();  // frees the old memory before the new one is allocated
    memory_ = DeviceBuffer(bytes, "squares of ranks");
  }
  return memory_.as<void>();
}

void CudaSquares::to_host(const void* memory, void* host, size_t bytes) {
  download(static_cast<const std::byte*>(memory), bytes, static_cast<std::byte*>(host));
}
void CudaSquares::from_host(void* memory, const void* host, size_t bytes) {
  check_cuda(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice), "squares of ranks");
  finish_transfers("squares of ranks");
  transfers().up += bytes;
}

bool CudaSquares::finished() {
  const cudaError_t state = cudaStreamQuery(stream_);
  if (state == cudaErrorNotReady) return false;
  check_cuda(state, "squares of ranks");
  return true;
}

}  // namespace brokkr
