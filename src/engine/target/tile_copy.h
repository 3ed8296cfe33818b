// Copies tiles, whose samples are in Morton order, to rows of pixels. The host and the kernels of every instruction set
// use this text. All inline it, so that none runs another's code.
#pragma once

#include <cstddef>

namespace brokkr {

// The Morton index of the pixel at x, y in an 8x8 tile.
[[gnu::always_inline]] constexpr int morton_of(int x, int y) {
  int m = 0;
  for (int bit = 0; bit < 3; ++bit) m |= ((x >> bit) & 1) << (2 * bit) | ((y >> bit) & 1) << (2 * bit + 1);
  return m;
}

// `rows` is the place of the first pixel, and `row` the number of pixels from a row to the next one. The tile's first
// `wide` columns and `high` rows exist.
template <class T>
[[gnu::always_inline]] constexpr void copy_tile_to_rows(const T* __restrict__ tile, T* __restrict__ rows, ptrdiff_t row,
                                                        int wide, int high) {
  if (wide < 8 || high < 8) {
    for (int y = 0; y < high; ++y) {
      for (int x = 0; x < wide; ++x) rows[y * row + x] = tile[morton_of(x, y)];
    }
    return;
  }
  for (int y = 0; y < 8; y += 2) {
    T *const lower = rows + y * row, *const upper = lower + row;
    for (int x = 0; x < 8; x += 2) {  // the four samples of a quad are adjacent
      const T* const quad = tile + morton_of(x, y);
      lower[x] = quad[0];
      lower[x + 1] = quad[1];
      upper[x] = quad[2];
      upper[x + 1] = quad[3];
    }
  }
}

}  // namespace brokkr
