#include "probe/g80_raster.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace brokkr::probe {
namespace {

using Emit = std::function<void(const Superfragment&)>;

constexpr int64_t kOne = 256;  // subpixels per pixel

// Twice the area of (a, b, p) in squared subpixels, minus one for edges that do not own the points on them.
struct Edge {
  int64_t a = 0, b = 0, c = 0;

  Edge(glm::i64vec2 from, glm::i64vec2 to) : a(from.y - to.y), b(to.x - from.x) {
    c = -(a * from.x + b * from.y);
    const bool owns = a > 0 || (a == 0 && b < 0);  // left or top edge
    if (!owns) --c;
  }
  // Coverage of a pixel's centre.
  bool covers(int x, int y) const { return a * (x * kOne + kOne / 2) + b * (y * kOne + kOne / 2) + c >= 0; }
  // Coverage of any pixel centre in x0 .. x1, y0 .. y1.
  bool reaches(int x0, int y0, int x1, int y1) const { return covers(a > 0 ? x1 : x0, b > 0 ? y1 : y0); }
};

struct Triangle {
  std::array<Edge, 3> edges;
  int x0, y0, x1, y1;  // bounds of its pixels
  bool in_turns;       // rows alternate between left-to-right and right-to-left

  bool reaches(int left, int low, int right, int high) const {
    return std::all_of(edges.begin(), edges.end(), [&](const Edge& e) { return e.reaches(left, low, right, high); });
  }
  uint32_t covered(int x, int y) const {
    uint32_t bits = 0;
    for (int i = 0; i < 4; ++i) {
      const int px = x + (i & 1), py = y + (i >> 1);
      const bool inside = px >= x0 && px <= x1 && py >= y0 && py <= y1 &&
                          std::all_of(edges.begin(), edges.end(), [&](const Edge& e) { return e.covers(px, py); });
      bits |= uint32_t(inside) << i;
    }
    return bits;
  }
};

Triangle set_up(const Drawing& drawing, const glm::vec2* vertices) {
  std::array<glm::i64vec2, 3> v;
  for (size_t i = 0; i < 3; ++i) v[i] = {std::llround(vertices[i].x * kOne), std::llround(vertices[i].y * kOne)};
  const int64_t area = (v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[1].y - v[0].y) * (v[2].x - v[0].x);
  if (area < 0) std::swap(v[1], v[2]);
  const auto [left, right] = std::minmax({v[0].x, v[1].x, v[2].x});
  const auto [low, high] = std::minmax({v[0].y, v[1].y, v[2].y});
  const auto pixel = [](int64_t part, int most) { return int(std::clamp<int64_t>(part >> 8, 0, most)); };
  Triangle t{{Edge(v[0], v[1]), Edge(v[1], v[2]), Edge(v[2], v[0])},
             pixel(left, drawing.width - 1),
             pixel(low, drawing.height - 1),
             pixel(right, drawing.width - 1),
             pixel(high, drawing.height - 1),
             // The left one of a quad's two triangles is drawn like this (E1).
             2 * (v[0].x + v[1].x + v[2].x) < 3 * (left + right)};
  if (area == 0) t.x1 = t.x0 - 1;
  return t;
}

// Emits a tile's superfragments in its 8 x 4 subtiles: two columns, row by row.
void emit_tile(const Triangle& t, int tile_x, int tile_y, int tile, uint32_t primitive, const Emit& emit) {
  const int wide = std::min(8, tile), high = std::min(4, tile);
  for (int low = tile_y; low < tile_y + tile; low += high) {
    for (int left = tile_x; left < tile_x + tile; left += wide) {
      if (!t.reaches(left, low, left + wide - 1, low + high - 1)) continue;
      for (int y = low; y < low + high; y += 2) {
        for (int x = left; x < left + wide; x += 2) {
          const uint32_t covered = t.covered(x, y);
          if (covered != 0) emit({x, y, covered, primitive});
        }
      }
    }
  }
}

void emit_triangle(const Triangle& t, int tile, uint32_t primitive, const Emit& emit) {
  if (t.x1 < t.x0) return;
  const int first = t.x0 / tile, last = t.x1 / tile, tall = 2 * tile;
  bool from_right = false;
  for (int low = t.y0 / tall * tall; low <= t.y1; low += tall) {
    for (int i = first; i <= last; ++i) {
      const int x = (from_right ? first + last - i : i) * tile;
      for (int y = low; y < low + tall; y += tile) {
        if (t.reaches(x, y, x + tile - 1, y + tile - 1)) emit_tile(t, x, y, tile, primitive, emit);
      }
    }
    from_right = t.in_turns && !from_right;
  }
}

// Collects the pixels that a line or a point covers in one row, from left to right, into superfragments.
class Gatherer {
 public:
  Gatherer(const Drawing& drawing, uint32_t primitive, const Emit& emit) : drawing_(drawing), emit_(emit) {
    now_.primitive = primitive;
  }
  ~Gatherer() { flush(); }
  Gatherer(const Gatherer&) = delete;
  Gatherer& operator=(const Gatherer&) = delete;

  void add(int x, int y) {
    if (x < 0 || y < 0 || x >= drawing_.width || y >= drawing_.height) return;
    if ((x & ~1) != now_.x || (y & ~1) != now_.y) flush();
    now_.x = x & ~1;
    now_.y = y & ~1;
    now_.covered |= 1u << (2 * (y & 1) + (x & 1));
  }

 private:
  void flush() {
    if (now_.covered != 0) emit_(now_);
    now_.covered = 0;
  }
  const Drawing& drawing_;
  const Emit& emit_;
  Superfragment now_;
};

// The pixels along the major axis whose centres lie between the ends.
void emit_line(const Drawing& drawing, glm::vec2 a, glm::vec2 b, uint32_t primitive, const Emit& emit) {
  Gatherer pixels(drawing, primitive, emit);
  const bool steep = std::abs(b.y - a.y) > std::abs(b.x - a.x);
  if (steep) {
    std::swap(a.x, a.y);
    std::swap(b.x, b.y);
  }
  if (a.x > b.x) std::swap(a, b);
  const float slope = b.x > a.x ? (b.y - a.y) / (b.x - a.x) : 0;
  for (int i = int(std::ceil(a.x - 0.5f)); float(i) + 0.5f < b.x; ++i) {
    const int j = int(std::floor(a.y + slope * (float(i) + 0.5f - a.x)));
    pixels.add(steep ? j : i, steep ? i : j);
  }
}

}  // namespace

void rasterize(const Drawing& drawing, int tile, const Emit& emit) {
  const size_t step = drawing.vertices_of_primitive();
  for (size_t i = 0; i < drawing.primitives(); ++i) {
    const glm::vec2* v = drawing.vertices.data() + i * step;
    switch (drawing.kind) {
      case PrimitiveKind::triangles:
      case PrimitiveKind::strip: emit_triangle(set_up(drawing, v), tile, uint32_t(i), emit); break;
      case PrimitiveKind::lines: emit_line(drawing, v[0], v[1], uint32_t(i), emit); break;
      case PrimitiveKind::points:
        Gatherer(drawing, uint32_t(i), emit).add(int(std::floor(v[0].x)), int(std::floor(v[0].y)));
    }
  }
}

}  // namespace brokkr::probe
