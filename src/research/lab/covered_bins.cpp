#include "lab/covered_bins.h"

#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "log/text.h"

namespace brokkr::lab {
namespace {

constexpr uint32_t kBinsX = 120, kBinsY = 68;

}  // namespace

[[gnu::noinline]] uint32_t covered_by_table(std::span<const uint32_t> owner, uint32_t bins_x, const BinBox& box,
                                            uint32_t* out) {
  return uint32_t(walk_table(owner.data(), bins_x, box, out) - out);
}

[[gnu::noinline]] uint32_t covered_by_row(std::span<const uint32_t> owner, uint32_t bins_x, uint32_t n,
                                          const BinBox& box, uint32_t* out) {
  return uint32_t(walk_rows(owner.data(), bins_x, n, box, out) - out);
}

[[gnu::noinline]] uint32_t covered_by_offset(uint32_t n, const BinBox& box, uint32_t* out) {
  return uint32_t(walk_shifts(OffsetShift(n), n, box, out) - out);
}
[[gnu::noinline]] uint32_t covered_by_van_der_corput(uint32_t n, const BinBox& box, uint32_t* out) {
  return uint32_t(walk_shifts(VanDerCorputShift(n), n, box, out) - out);
}

Rows measure_covered_bins(bool quick, uint32_t seed) {
  const uint32_t boxes = quick ? 20000 : 200000;
  Rows rows;
  for (const PatternKind kind : {PatternKind::x_shift_offset, PatternKind::van_der_corput}) {
    for (const uint32_t n : {6u, 20u, 60u, 256u, 1024u}) {
      const Pattern pattern = make_pattern(kind, int(n), int(kBinsX), int(kBinsY));
      std::vector<uint32_t> owner;
      for (uint32_t y = 0; y < kBinsY; ++y) {
        for (uint32_t x = 0; x < kBinsX; ++x) owner.push_back(uint32_t(pattern.at(int(x), int(y))));
      }
      for (const uint32_t edge : {1u, 2u, 4u, 8u, 16u}) {
        std::mt19937 random(seed);
        std::vector<BinBox> all(boxes);
        for (BinBox& box : all) {
          box.x0 = uint32_t(random() % (kBinsX - edge + 1));
          box.y0 = uint32_t(random() % (kBinsY - edge + 1));
          box.x1 = box.x0 + edge - 1;
          box.y1 = box.y0 + edge - 1;
        }
        std::vector<uint32_t> out(size_t(edge) * edge);
        const auto add = [&](const char* way, auto&& find) {
          const std::clock_t begin = std::clock();
          for (const BinBox& box : all) find(box);
          const double ns = double(std::clock() - begin) * 1e9 / CLOCKS_PER_SEC / boxes;
          rows.push_back(row(name_of(kind), n, edge, way, boxes, fixed(ns, 2)));
        };
        add("table", [&](const BinBox& box) { covered_by_table(owner, kBinsX, box, out.data()); });
        add("row", [&](const BinBox& box) { covered_by_row(owner, kBinsX, n, box, out.data()); });
        add("closed form", [&](const BinBox& box) {
          return kind == PatternKind::x_shift_offset ? covered_by_offset(n, box, out.data())
                                                     : covered_by_van_der_corput(n, box, out.data());
        });
      }
    }
  }
  return rows;
}

}  // namespace brokkr::lab
