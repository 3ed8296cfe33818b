// Makes the grids' triangles: the stage between shading and the pipeline's rasterizers, once all grids are known.
//
// A micropolygon is two triangles. If the grids beyond a side have more vertices there, these also become vertices of
// this grid's micropolygons, which then are fans around their centres. So every vertex on a line belongs to the grids
// on both sides, with the same bits, and there are no cracks between them.
#pragma once

#include "reyes/edge_table.h"
#include "reyes/surface.h"

BROKKR_MACHINE_BEGIN
namespace reyes {

// The sides of one grid, for one lane.
class Border {
 public:
  BROKKR_FN Border(const ReyesPlan& plan, const GridRecord& grid)
      : table_(plan), grid_(grid), dice_{grid.shape >> 8 & 15u, grid.shape >> 12 & 15u} {
    for (int side = 0; side < 4; ++side) lines_[side] = line_of(plan, grid.patch, grid.corner, grid.shape, side);
  }
  // Returns true if other grids have more vertices on this side.
  BROKKR_FN bool is_fine(int side) const {
    const uint32_t level = level_of(side), part = start_of(side) >> (uint32_t(kParameterBits) - level);
    const uint32_t node = node_of(lines_[side], level, part);
    if ((table_.marks(lines_[side], node) & kParted) != 0) return true;
    return table_.level_at(lines_[side], node) > level + dice_[side / 2];
  }
  // Calls f(parameter) for each vertex of other grids strictly inside micropolygon `cell` of a side, in ascending
  // order.
  template <class F>
  BROKKR_FN void each_within(int side, uint32_t cell, F&& f) const {
    const uint32_t lowest = level_of(side) + dice_[side / 2];
    const uint32_t first = start_of(side) >> (uint32_t(kParameterBits) - lowest);
    uint32_t level = lowest, number = first + cell;
    for (;;) {
      while (table_.is_parted(lines_[side], level, number)) {
        ++level;
        number *= 2;
      }
      while (level > lowest && (number & 1u) != 0) {
        --level;
        number >>= 1;
      }
      if (level == lowest) return;
      ++number;
      f(number << (uint32_t(kParameterBits) - level));
    }
  }

 private:
  EdgeTable table_;
  const GridRecord& grid_;
  uint32_t dice_[2];
  Line lines_[4];

  BROKKR_FN uint32_t level_of(int side) const { return side < 2 ? grid_.shape & 15u : grid_.shape >> 4 & 15u; }
  BROKKR_FN uint32_t start_of(int side) const { return side < 2 ? grid_.corner & 0xffffu : grid_.corner >> 16; }
};

// Writes the triangles of micropolygons at the sides, for one lane. If kWrites is false, only counts them.
template <bool kWrites>
struct FanWriter {
  const ReyesPlan& plan;
  const GridRecord& grid;
  uint32_t index, point;  // next positions to write

  BROKKR_FN void triangle(uint32_t a, uint32_t b, uint32_t c) {
    if constexpr (kWrites) {
      plan.indices[index] = a;
      plan.indices[index + 1] = b;
      plan.indices[index + 2] = c;
    }
    index += 3;
  }
  BROKKR_FN uint32_t vertex(uint32_t u, uint32_t v) {
    if constexpr (kWrites) plan.parameters[point] = u | v << 16;
    return point++;
  }
};

struct GridShape {
  uint32_t columns, rows;   // micropolygons along u and v
  uint32_t step_u, step_v;  // in parameter units
  BROKKR_FN explicit GridShape(uint32_t shape)
      : columns(1u << (shape >> 8 & 15u)),
        rows(1u << (shape >> 12 & 15u)),
        step_u(kParameterOne >> (shape & 15u) >> (shape >> 8 & 15u)),
        step_v(kParameterOne >> (shape >> 4 & 15u) >> (shape >> 12 & 15u)) {}
};

// Writes the micropolygons at the sides. Call it from one lane.
template <bool kWrites>
BROKKR_FN void write_border(const Border& border, uint32_t fine, FanWriter<kWrites>& out) {
  const GridRecord& grid = out.grid;
  const GridShape shape(grid.shape);
  const uint32_t u0 = grid.corner & 0xffffu, v0 = grid.corner >> 16;
  const auto at = [&](uint32_t i, uint32_t j) { return grid.first_point + j * (shape.columns + 1) + i; };
  for (uint32_t j = 0; j < shape.rows; ++j) {
    for (uint32_t i = 0; i < shape.columns; ++i) {
      if (i > 0 && i + 1 < shape.columns && j > 0 && j + 1 < shape.rows) continue;
      // Counter-clockwise in (u, v): sides v0, u1, v1, u0.
      const bool has[4] = {(fine & 1u) != 0 && j == 0, (fine & 8u) != 0 && i + 1 == shape.columns,
                           (fine & 2u) != 0 && j + 1 == shape.rows, (fine & 4u) != 0 && i == 0};
      constexpr int kSides[4] = {0, 3, 1, 2};
      uint32_t first[4] = {}, count[4] = {}, all = 0;
      for (int k = 0; k < 4; ++k) {
        if (!has[k]) continue;
        const int side = kSides[k];
        first[k] = out.point;
        border.each_within(side, side < 2 ? i : j, [&](uint32_t t) {
          const uint32_t across = side < 2 ? v0 + (side == 1 ? shape.rows * shape.step_v : 0)
                                           : u0 + (side == 3 ? shape.columns * shape.step_u : 0);
          if (side < 2) {
            out.vertex(t, across);
          } else {
            out.vertex(across, t);
          }
        });
        count[k] = out.point - first[k];
        all += count[k];
      }
      const uint32_t corner[4] = {at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)};
      if (all == 0) {
        out.triangle(corner[0], corner[1], corner[2]);
        out.triangle(corner[0], corner[2], corner[3]);
        continue;
      }
      const uint32_t middle =
          out.vertex(u0 + i * shape.step_u + shape.step_u / 2, v0 + j * shape.step_v + shape.step_v / 2);
      for (int k = 0; k < 4; ++k) {
        uint32_t from = corner[k];
        for (uint32_t n = 0; n < count[k]; ++n) {
          const uint32_t to = first[k] + (k < 2 ? n : count[k] - 1 - n);
          out.triangle(middle, from, to);
          from = to;
        }
        out.triangle(middle, from, corner[(k + 1) % 4]);
      }
    }
  }
}

// Micropolygons of a grid: columns x rows of them, starting at (first, first).
struct InnerPart {
  uint32_t first, columns, rows;

  BROKKR_FN uint32_t indices() const { return columns * rows * 6; }
};
// Writes two triangles for each of these micropolygons, with the whole warp, to the indices from `index` on.
BROKKR_FN void write_inner(Warp& w, const ReyesPlan& plan, const GridRecord& grid, const InnerPart& part,
                           uint32_t index) {
  const auto [first, columns, rows] = part;
  const uint32_t stride = GridShape(grid.shape).columns + 1;
  for (uint32_t k0 = 0; k0 < columns * rows; k0 += uint32_t(kWidth)) {
    const Uint k = as_uint(w.lane()) + Uint(k0);
    const Mask m = k < Uint(columns * rows);
    const Uint row = k / Uint(columns), column = k - row * Uint(columns);
    const Uint a = Uint(grid.first_point) + (row + first) * stride + column + first, b = a + 1u, d = a + stride,
               c = d + 1u;
    const Uint corners[6] = {a, b, c, a, c, d};
    for (int n = 0; n < 6; ++n) w.scatter(plan.indices, as_int(k * 6u + index) + n, corners[n], m);
  }
}

// Writes one grid's triangles and its additional vertices.
BROKKR_FN void stitch_grid(Warp& w, const ReyesPlan& plan, uint32_t number) {
  GridRecord grid = plan.grids[number];
  const GridShape shape(grid.shape);
  const Border border(plan, grid);
  const uint32_t fine = w.uniform([&]() -> uint32_t {
    uint32_t sides = 0;
    for (int side = 0; side < 4; ++side) sides |= border.is_fine(side) ? 1u << side : 0u;
    return sides;
  });
  const auto within = [&](uint32_t count) { return fine == 0 ? count : count > 2 ? count - 2 : 0; };
  const InnerPart inner{fine == 0 ? 0u : 1u, within(shape.columns), within(shape.rows)};
  uint32_t indices = inner.indices(), points = 0;
  if (fine != 0) {
    const uint64_t counted = w.uniform([&]() -> uint64_t {
      FanWriter<false> count{plan, grid, 0, 0};
      write_border(border, fine, count);
      return uint64_t(count.index) << 32 | count.point;
    });
    indices += uint32_t(counted >> 32);
    points = uint32_t(counted);
  }
  const uint64_t places = w.uniform([&]() -> uint64_t {
    ReyesCounts& counts = *plan.counts;
    const uint32_t index = device_atomic<uint32_t>(counts.indices).fetch_add(indices, kRelaxed);
    const uint32_t point = points == 0 ? 0 : device_atomic<uint32_t>(counts.points).fetch_add(points, kRelaxed);
    if (fine != 0) device_atomic<uint32_t>(counts.stitched).fetch_add(1, kRelaxed);
    if (uint64_t(index) + indices > plan.index_capacity || uint64_t(point) + points > plan.point_capacity) {
      device_atomic<uint32_t>(counts.lost).fetch_add(1, kRelaxed);
      return ~uint64_t(0);
    }
    plan.grids[number].first_index = index;
    plan.grids[number].indices = indices;
    return uint64_t(index) << 32 | point;
  });
  if (places == ~uint64_t(0)) return;
  const uint32_t index = uint32_t(places >> 32), point = uint32_t(places);
  write_inner(w, plan, grid, inner, index);
  if (fine == 0) return;
  w.once([&] {
    FanWriter<true> writer{plan, grid, index + inner.indices(), point};
    write_border(border, fine, writer);
  });
  w.sync();
  for (uint32_t k = 0; k < points; k += uint32_t(kWidth)) {
    const Mask m = w.first_lanes(int(points - k));
    const Uint at = w.load(plan.parameters + point + k, m);
    write_points(w, plan, {grid.patch, at & 0xffffu, at >> 16}, grid.shape, w.lane() + int(point + k), m);
  }
}

BROKKR_FN void run_stitching(Warp& w, const ReyesPlan& plan, int) {
  for (;;) {
    const uint32_t number = w.uniform([&]() -> uint32_t {
      if (system_atomic<uint32_t>(*plan.abort).load(kRelaxed) != 0) return ~0u;
      return device_atomic<uint32_t>(plan.counts->next).fetch_add(1, kRelaxed);
    });
    const uint32_t grids = w.uniform([&]() -> uint32_t { return plan.counts->grids; });
    if (number >= grids) return;
    stitch_grid(w, plan, number);
  }
}

}  // namespace reyes
BROKKR_MACHINE_END
