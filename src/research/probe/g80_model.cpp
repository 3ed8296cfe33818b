#include "probe/g80_model.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <numeric>
#include <utility>

#include "probe/g80_raster.h"

namespace brokkr::probe {
namespace {

// Additional cost of a warp, and the rasterizer's cost of a superfragment, in additions: negligible beside slow
// fragments, so that only their order matters.
constexpr double kWarpOverhead = 8, kRasterTime = 0.0625;
// The fraction of a multiprocessor that a warp of dependent additions uses: two such warps take 1.1 times as long as
// one (E1.3, note 1).
constexpr double kWaitingShare = 0.55;
constexpr double kLeastWork = 1e-6;  // less counts as finished, because of rounding

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

  // The first time from `time` on at which a warp fits. Warps free their place in order of arrival: a slow one blocks
  // those that would follow the warps beside it (E1.3: tiles i and i + 6).
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

  // Calls f for the running warps: all of them in turn, or only the first.
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
        if (each.left > kLeastWork) return;
        each.left = 0;
        each.warp->finished = end;
      });
      while (!held_.empty() && held_.front().left <= 0) held_.pop_front();
      now_ = end;
    }
    if (time <= now_) return;
    const double done = (time - now_) * speed();
    for_running([&](Held& each) { each.left = std::max(each.left - done, kLeastWork); });
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

  // Adds a superfragment. Returns true if it does not fit in the current warp, which must be sent first.
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
