#include "plan/target_squares.h"

#include <cstring>

#include "plan/launch_plan.h"

namespace brokkr {

std::vector<TileWords> words_of_planes(const TargetPlan& plan, const SquarePlanes& memory, uint32_t target,
                                       uint32_t planes) {
  const TargetRecord& t = plan.targets[target];
  const uint64_t first_tile = uint64_t(t.first_region) * uint64_t(plan.region * plan.region) / kTileSamples;
  std::vector<TileWords> list;
  if ((planes & kPlaneColor) != 0) {
    list.push_back({memory.color, kTileSamples});
    if (t.format == uint32_t(ColorFormat::rgba16f)) list.push_back({memory.color_high, kTileSamples});
    for (const PlaneRecord& plane : t.planes) {
      if (plane.words != 0) list.push_back({memory.more_colors, kTileSamples * plane.words, plane.first, first_tile});
    }
  }
  if ((planes & kPlaneDepth) != 0) list.push_back({memory.depth, kTileSamples});
  if ((planes & kPlaneStencil) != 0) list.push_back({memory.stencil, kTileSamples / 4});
  return list;
}

std::vector<uint32_t> tiles_of_rank(const TargetPlan& plan, const OwnedBins& owned, uint32_t rank, uint32_t target) {
  const TargetRecord& t = plan.targets[target];
  const auto edge = uint32_t(plan.region) / kTile, in_region = edge * edge;
  const uint32_t wide = (t.width + kTile - 1) / kTile, high = (t.height + kTile - 1) / kTile;
  std::vector<uint32_t> tiles;
  for (uint32_t layer = 0; layer < t.layers; ++layer) {
    for (uint32_t y = 0; y < high; ++y) {
      const uint32_t row = t.first_region + (layer * t.regions_y + y / edge) * t.regions_x;
      for (uint32_t x = 0; x < wide; ++x) {
        if (owned.owner(target, int(x) * kTile, int(y) * kTile) == rank)
          tiles.push_back((row + x / edge) * in_region + y % edge * edge + x % edge);
      }
    }
  }
  return tiles;
}

size_t LaunchSquares::bytes(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes) {
  size_t words = 0;
  for (const TileWords& plane : words_of_planes(*plan_, planes_, target, planes)) words += plane.of_tile;
  return tiles_of_rank(*plan_, owned, rank, target).size() * words * sizeof(uint32_t);
}

template <class F>
void HostSquares::for_tiles(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, F&& f) const {
  const std::vector<uint32_t> tiles = tiles_of_rank(*plan_, owned, rank, target);
  for (const TileWords& words : words_of_planes(*plan_, planes_, target, planes)) {
    for (const uint32_t tile : tiles)
      f(words.plane + words.first + (tile - words.first_tile) * words.of_tile, size_t(words.of_tile));
  }
}

void HostSquares::pack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, void* to) {
  auto* next = static_cast<uint32_t*>(to);
  for_tiles(owned, rank, target, planes, [&](uint32_t* words, size_t count) {
    std::memcpy(next, words, count * sizeof(uint32_t));
    next += count;
  });
}

void HostSquares::unpack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, const void* from) {
  const auto* next = static_cast<const uint32_t*>(from);
  for_tiles(owned, rank, target, planes, [&](uint32_t* words, size_t count) {
    std::memcpy(words, next, count * sizeof(uint32_t));
    next += count;
  });
}

void* HostSquares::memory(size_t bytes) {
  memory_.resize(bytes);
  return memory_.data();
}

void HostSquares::to_host(const void* memory, void* host, size_t bytes) { std::memcpy(host, memory, bytes); }
void HostSquares::from_host(void* memory, const void* host, size_t bytes) { std::memcpy(memory, host, bytes); }

}  // namespace brokkr
