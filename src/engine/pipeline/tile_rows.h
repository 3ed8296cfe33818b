// Walks the tiles of targets in rows: the pipeline's planes hold 8x8 tiles in Morton order (target/target_tables.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "plan/launch_plan.h"
#include "target/target_tables.h"
#include "target/tile_copy.h"

namespace brokkr {

// The Morton index in an 8x8 tile, by row and column.
constexpr std::array<uint8_t, 64> morton_table() {
  std::array<uint8_t, 64> table{};
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) table[size_t(y) * 8 + size_t(x)] = uint8_t(morton_of(x, y));
  }
  return table;
}
inline constexpr std::array<uint8_t, 64> kMorton = morton_table();

// One row of 8x8 tiles in one layer: a thread's unit of work.
struct TileRow {
  const TargetPlan& plan;
  const TargetRecord& target;
  uint32_t layer, y;  // first row of pixels

  uint32_t rows() const { return std::min(8u, target.height - y); }

  // Calls copy(first column, first sample in the planes, columns, region) for every tile.
  template <class F>
  void for_tiles(F&& copy) const {
    const uint32_t edge = uint32_t(plan.region);
    const uint32_t of_sample = uint32_t(std::max(plan.shown_sample, 0)) * target.sample_regions;
    const uint32_t first_region =
        target.first_region + of_sample + (layer * target.regions_y + y / edge) * target.regions_x;
    for (uint32_t x = 0; x < target.width; x += 8) {
      const uint32_t region = first_region + x / edge, wide = std::min(8u, target.width - x);
      const size_t tile = (y % edge) / 8 * (edge / 8) + (x % edge) / 8;
      copy(x, (size_t(region) * edge * edge) + tile * 64, wide, region);
    }
  }

  // Calls copy(pixel in the layer, sample in the planes, row, pixels in the row, region) for every row of every tile;
  // kMorton[8 * row + i] is the offset of pixel i's sample.
  template <class F>
  void for_rows(F&& copy) const {
    for_tiles([&](uint32_t x, size_t sample, uint32_t wide, uint32_t region) {
      for (uint32_t row = 0; row < rows(); ++row) copy(size_t(y + row) * target.width + x, sample, row, wide, region);
    });
  }

  // The column of a pixel that for_rows names.
  uint32_t column(size_t pixel, uint32_t row) const { return uint32_t(pixel - size_t(y + row) * target.width); }

  // Copies the plane's samples, or `cleared(region)` if a clear of `bit` is pending. `at_pixel(x, y)` is the address of
  // the pixel's value; the pixels to its right follow there. Leaves out regions whose states have a bit of `done`.
  template <class T, class Place, class Cleared>
  void gather_to(const T* plane, const RegionState* states, uint32_t bit, Place&& at_pixel, Cleared&& cleared,
                 uint32_t done = 0) const {
    const uint32_t high = rows();
    for_tiles([&](uint32_t x, size_t sample, uint32_t wide, uint32_t region) {
      if (states != nullptr && (states[region].bits & done) != 0) return;
      if (states != nullptr && (states[region].bits & bit) != 0) {
        const T value = T(cleared(states[region]));
        for (uint32_t row = 0; row < high; ++row) std::fill_n(at_pixel(x, y + row), wide, value);
        return;
      }
      T* const pixels = at_pixel(x, y);
      const ptrdiff_t row = high > 1 ? at_pixel(x, y + 1) - pixels : 0;
      copy_tile_to_rows(plane + sample, pixels, row, int(wide), int(high));
    });
  }

  template <class T, class Cleared>
  void gather(const T* plane, T* out, const RegionState* states, uint32_t bit, Cleared&& cleared) const {
    const auto place = [&](uint32_t x, uint32_t row) { return out + size_t(row) * target.width + x; };
    gather_to(plane, states, bit, place, cleared);
  }
};

}  // namespace brokkr
