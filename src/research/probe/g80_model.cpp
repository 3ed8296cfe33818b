#include "probe/g80_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <glm/vec2.hpp>
#include <limits>
#include <numeric>
#include <utility>

#include "probe/drawing.h"

namespace brokkr::probe {

// The G80 model's rasterizer: generates the superfragments of primitives in order.

// 2 x 2 pixels of one primitive.
struct Superfragment {
  int x = 0, y = 0;      // its lower left pixel; both are even
  uint32_t covered = 0;  // bit 2 * row + column: the pixel belongs to the primitive; the others are ghosts
  uint32_t primitive = 0;
};

// Calls `emit` for each primitive's superfragments, tile by tile of `tile` pixels. Triangle coverage is exact in 1/256
// pixel, with the top-left rule.
void rasterize(const Drawing& drawing, int tile, const std::function<void(const Superfragment&)>& emit);

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
             // The left one of a quad's two triangles is filled in alternating directions (E1).
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

namespace {

// Additional cost of a warp, and the rasterizer's cost of a superfragment, in additions: negligible beside slow
// fragments, so that only their order matters.
constexpr double kWarpOverhead = 8, kRasterTime = 0.0625;
// The fraction of a multiprocessor that a warp of dependent additions uses. Two such warps take 1.1 times as long as
// one (E1.3, note 1).
constexpr double kWaitingShare = 0.55;
constexpr double kMinWork = 1e-6;  // less counts as finished, because of rounding

// A plane of slow pixels: 0, or 1 + their index.
class SlowPlane {
 public:
  explicit SlowPlane(const Drawing& drawing) : drawing_(drawing) {
    if (!drawing.slow.empty()) number_.resize(size_t(drawing.width) * size_t(drawing.height));
    for (size_t i = 0; i < drawing.slow.size(); ++i) number_[place(drawing.slow[i].x, drawing.slow[i].y)] = i + 1;
  }
  const SlowPixel* find(int x, int y) const {
    const size_t number = number_.empty() ? 0 : number_[place(x, y)];
    return number == 0 ? nullptr : &drawing_.slow[number - 1];
  }

 private:
  size_t place(int x, int y) const { return size_t(y) * size_t(drawing_.width) + size_t(x); }
  const Drawing& drawing_;
  std::vector<size_t> number_;  // empty without slow pixels
};

struct Warp {
  std::vector<Superfragment> parts;
  int primitives = 0;
  double finished = 0;
};

// The pixels of a superfragment that pass an early test.
uint32_t passing(const Superfragment& part, const Drawing& drawing) {
  uint32_t bits = 0;
  for (int i = 0; i < 4; ++i) {
    const bool star = drawing.stars.at(part.x + (i & 1), part.y + (i >> 1));
    bits |= uint32_t(star == (drawing.mask == Mask::only_stars)) << i;
  }
  return drawing.mask == Mask::none ? 15 : bits;
}

// Branches taken by threads of a warp run one after another, each as long as its longest thread.
double work_of(const Warp& warp, const Drawing& drawing, const SlowPlane& slow) {
  std::array<double, kMaxBranch + 1> longest{};
  for (const Superfragment& part : warp.parts) {
    const uint32_t pass = passing(part, drawing);
    for (int i = 0; i < 4; ++i) {
      if ((pass >> i & 1) == 0) continue;
      const int x = part.x + (i & 1), y = part.y + (i >> 1);
      const SlowPixel* const pixel = x < drawing.width && y < drawing.height ? slow.find(x, y) : nullptr;
      const Stars& stars = drawing.stars;
      if (!pixel && stars.at(x, y)) {
        double& most = longest[stars.branch(x)];
        most = std::max(most, double(stars.cost));
        continue;
      }
      double& most = longest[pixel ? pixel->branch : 0];
      most = std::max(most, double(pixel ? pixel->cost : drawing.background));
    }
  }
  return std::accumulate(longest.begin(), longest.end(), kWarpOverhead);
}

class Multiprocessor {
 public:
  Multiprocessor(int resident, bool waits) : resident_(size_t(resident)), waits_(waits) {}

  // The first time from `time` on at which a warp fits. Warps free their places in order of arrival, so a slow warp
  // blocks those that would follow the warps beside it (E1.3: tiles i and i + 6).
  double room(double time) {
    advance(time);
    while (held_.size() >= resident_) advance(next_end());
    return std::max(time, now_);
  }
  // `time`: as returned by room().
  void take(double time, double work, Warp& warp) {
    advance(time);
    held_.push_back({work, &warp});
  }
  void finish() {
    while (!held_.empty()) advance(next_end());
  }

 private:
  struct Held {
    double left;  // remaining work; 0: finished
    Warp* warp;
  };

  // Calls f for the running warps: for all if they run in turn, otherwise only for the first.
  template <class F>
  void for_running(F&& f) {
    for (Held& each : held_) {
      if (each.left <= 0) continue;
      f(each);
      if (!waits_) break;
    }
  }
  double speed() {
    double running = 0;
    for_running([&](const Held&) { ++running; });
    return waits_ ? std::min(1.0, 1.0 / (kWaitingShare * running)) : 1.0;
  }
  // The remaining work of the running warp that ends first.
  double least_left() {
    double least = std::numeric_limits<double>::infinity();
    for_running([&](const Held& each) { least = std::min(least, each.left); });
    return least;
  }
  double next_end() { return now_ + least_left() / speed(); }
  void advance(double time) {
    while (!held_.empty() && next_end() <= time) {
      const double end = next_end(), least = least_left();
      for_running([&](Held& each) {
        each.left -= least;
        if (each.left > kMinWork) return;
        each.left = 0;
        each.warp->finished = end;
      });
      while (!held_.empty() && held_.front().left <= 0) held_.pop_front();
      now_ = end;
    }
    if (time <= now_) return;
    const double done = (time - now_) * speed();
    for_running([&](Held& each) { each.left = std::max(each.left - done, kMinWork); });
    now_ = time;
  }

  size_t resident_;
  bool waits_;
  double now_ = 0;
  std::deque<Held> held_;
};

// A texture processor: the warp being assembled, the FIFO, and its multiprocessors.
class TextureProcessor {
 public:
  TextureProcessor(const G80Options& options, bool waits)
      : options_(options), multiprocessors_(size_t(options.multiprocessors), Multiprocessor(options.resident, waits)) {}

  // Returns true if a superfragment does not fit into the current warp, which must then be sent first.
  bool is_full(const Superfragment& part) const {
    if (assembled_.parts.size() >= size_t(options_.superfragments)) return true;
    return !assembled_.parts.empty() && assembled_.parts.back().primitive != part.primitive &&
           assembled_.primitives >= options_.primitives;
  }
  void add(const Superfragment& part) {
    if (assembled_.parts.empty() || assembled_.parts.back().primitive != part.primitive) ++assembled_.primitives;
    assembled_.parts.push_back(part);
  }
  // Sends the assembled warp to the FIFO, at `time` or when there is room. Returns that time.
  double send(double time, const Drawing& drawing, const SlowPlane& slow, std::deque<Warp>& all) {
    if (assembled_.parts.empty()) return time;
    Warp& warp = all.emplace_back(std::exchange(assembled_, {}));
    if (left_fifo_.size() >= size_t(options_.fifo)) {
      time = std::max(time, left_fifo_.front());
      left_fifo_.pop_front();
    }
    Multiprocessor& next = multiprocessors_[sent_++ % multiprocessors_.size()];
    last_left_ = next.room(std::max(time, last_left_));
    left_fifo_.push_back(last_left_);
    next.take(last_left_, work_of(warp, drawing, slow), warp);
    return time;
  }
  void finish() {
    for (Multiprocessor& each : multiprocessors_) each.finish();
  }

 private:
  const G80Options& options_;
  Warp assembled_;
  std::deque<double> left_fifo_;  // times at which the last `fifo` warps left
  double last_left_ = 0;
  size_t sent_ = 0;
  std::vector<Multiprocessor> multiprocessors_;
};

// Records when the warps' pixels were written. Warps are in sending order.
void write_pixels(const std::deque<Warp>& warps, Film& film) {
  std::vector<const Warp*> sorted;
  for (const Warp& warp : warps) sorted.push_back(&warp);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Warp* a, const Warp* b) { return a->finished < b->finished; });
  uint32_t rank = 0;
  for (const Warp* warp : sorted) {
    for (const Superfragment& part : warp->parts) {
      for (int i = 0; i < 4; ++i) {
        if ((part.covered >> i & 1) == 0) continue;
        const size_t at = film.at(part.x + (i & 1), part.y + (i >> 1));
        film.order[at] = rank++;
        film.time[at] = warp->finished;
      }
    }
    film.cost = warp->finished;
  }
}

// All warps of a drawing in sending order.
std::deque<Warp> run(const Drawing& drawing, const G80Options& options) {
  check_drawing(drawing);
  const SlowPlane slow(drawing);
  std::vector<TextureProcessor> processors(size_t(options.processors), TextureProcessor(options, drawing.waits));
  std::deque<Warp> warps;
  double time = 0;
  rasterize(drawing, options.tile, [&](Superfragment part) {
    part.covered &= passing(part, drawing);
    if (part.covered == 0) return;
    const int i = part.x / options.tile, j = part.y / options.tile;
    const int shift = options.shifts[size_t(j) % options.shifts.size()];
    TextureProcessor& owner = processors[size_t((i + shift) % options.processors)];
    time += kRasterTime;
    if (owner.is_full(part)) time = owner.send(time, drawing, slow, warps);
    owner.add(part);
  });
  for (TextureProcessor& each : processors) time = each.send(time, drawing, slow, warps);
  for (TextureProcessor& each : processors) each.finish();
  return warps;
}

}  // namespace

double G80Model::cost(const Drawing& drawing) {
  double last = 0;
  for (const Warp& warp : run(drawing, options_)) last = std::max(last, warp.finished);
  return last;
}

Film G80Model::draw(const Drawing& drawing) {
  const std::deque<Warp> warps = run(drawing, options_);
  const size_t pixels = size_t(drawing.width) * size_t(drawing.height);
  Film film{.width = drawing.width, .height = drawing.height};
  film.order.assign(pixels, kNever);
  film.time.assign(pixels, 0);
  write_pixels(warps, film);
  return film;
}

}  // namespace brokkr::probe
