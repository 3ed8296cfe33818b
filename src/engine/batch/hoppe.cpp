#include <algorithm>
#include <deque>

#include "batch/bucket_queue.h"
#include "batch/predict.h"
#include "batch/reorder.h"
#include "formats/triangle_graph.h"

namespace brokkr {
namespace {

// The largest number of triangles for which a strip is simulated in advance. Without this limit, time would be
// quadratic in the cache's size.
constexpr uint32_t kMaxAhead = 24;

// A FIFO cache that counts its misses. Trials on top of it can be undone at once.
class TrialCache {
 public:
  TrialCache(size_t vertices, uint32_t size) : size_(size), pushed_(vertices, 0), trial_(vertices, {0, 0}) {}
  void use(uint32_t v) {
    if (pushed_[v] == 0 || pushes_ - pushed_[v] >= size_) pushed_[v] = ++pushes_;
  }
  void begin_trial() {
    ++number_;
    trial_pushes_ = pushes_;
  }
  uint32_t try_use(uint32_t v) {
    const uint64_t pushed = trial_[v].number == number_ ? trial_[v].pushed : pushed_[v];
    if (pushed != 0 && trial_pushes_ - pushed < size_) return 0;
    trial_[v] = {number_, ++trial_pushes_};
    return 1;
  }

 private:
  struct Trial {
    uint64_t number, pushed;
  };
  uint64_t size_, pushes_ = 0, trial_pushes_ = 0, number_ = 0;
  std::vector<uint64_t> pushed_;  // number of the push, counted from 1
  std::vector<Trial> trial_;
};

// A triangle of the strip: the strip enters it through edge `entry` and leaves it through edge entry + turn.
struct Place {
  uint32_t triangle = kNoTriangle;
  uint32_t entry = 0, turn = 1;
};

class Strips {
 public:
  Strips(std::span<const uint32_t> indices, uint32_t size)
      : indices_(indices),
        around_(indices),
        neighbors_(edge_neighbors(indices, around_)),
        cache_(around_.vertices(), size),
        ahead_(std::min(size + 5, kMaxAhead)),
        taken_(neighbors_.size(), 0),
        tried_(neighbors_.size(), 0),
        queue_(neighbors_.size(), 7) {}

  std::vector<uint32_t> run() {
    const auto triangles = uint32_t(neighbors_.size());
    for (uint32_t t = triangles; t-- > 0;) queue_.put(t, open_sides(t));
    order_.reserve(triangles);
    while (order_.size() < triangles) {
      Place place = oldest_side();
      if (place.triangle == kNoTriangle) {
        // Starts with the triangle that has the fewest remaining neighbours, so that strips begin at borders.
        place.triangle = queue_.take([&](uint32_t t) { return open_sides(t); });
        place.entry = best_entry(place.triangle);
      }
      grow(place);
    }
    return std::move(order_);
  }

 private:
  std::span<const uint32_t> indices_;
  VertexTriangles around_;
  EdgeNeighbors neighbors_;
  TrialCache cache_;
  uint32_t ahead_;
  std::vector<uint8_t> taken_;
  std::vector<uint64_t> tried_;
  uint64_t trial_ = 0;
  BucketQueue queue_;
  std::deque<Place> sides_;  // places beside the strips drawn so far, oldest first
  std::vector<uint32_t> order_;

  bool is_open(uint32_t t) const { return t != kNoTriangle && !taken_[t]; }
  uint32_t open_sides(uint32_t t) const {
    uint32_t open = 0;
    for (const uint32_t n : neighbors_[t]) open += is_open(n);
    return open;
  }
  // Returns an edge without a remaining neighbour, so that the strip can leave through both other edges.
  uint32_t best_entry(uint32_t t) const {
    for (uint32_t e = 0; e < 3; ++e) {
      if (!is_open(neighbors_[t][e])) return e;
    }
    return 0;
  }
  uint32_t entry_of(uint32_t entered, uint32_t neighbor) const {
    const auto& n = neighbors_[entered];
    return n[0] == neighbor ? 0 : n[1] == neighbor ? 1 : 2;
  }
  // The next place of the strip; `side` receives the triangle beside it. A strip turns to the side with fewer remaining
  // neighbours, next to the triangles that are already drawn. If both sides are equal, it zigzags.
  Place next(const Place& place, bool trying, Place* side) const {
    const auto free = [&](uint32_t t) { return is_open(t) && !(trying && tried_[t] == trial_); };
    uint32_t turn = place.turn;
    uint32_t ahead = neighbors_[place.triangle][(place.entry + turn) % 3];
    const uint32_t other = neighbors_[place.triangle][(place.entry + 3 - turn) % 3];
    if (free(other) && (!free(ahead) || open_sides(other) < open_sides(ahead))) {
      turn = 3 - turn;
      ahead = other;
    }
    if (side != nullptr) {
      const uint32_t beside = neighbors_[place.triangle][(place.entry + 3 - turn) % 3];
      if (is_open(beside)) *side = {beside, entry_of(beside, place.triangle), 3 - turn};
    }
    if (!free(ahead)) return {};
    return {ahead, entry_of(ahead, place.triangle), 3 - turn};
  }

  // The oldest place beside the strips whose triangle remains.
  Place oldest_side() {
    while (!sides_.empty() && !is_open(sides_.front().triangle)) sides_.pop_front();
    return sides_.empty() ? Place{} : sides_.front();
  }

  // The number of further triangles that the strip gets before a new one starts at its side. It is the number with the
  // fewest misses over the next `ahead_` triangles.
  uint32_t best_length(const Place& start) {
    const Place side = oldest_side();
    if (side.triangle == kNoTriangle) return ahead_;
    uint32_t best = 0;
    float best_rate = 0;
    for (uint32_t length = 0; length <= ahead_; ++length) {
      ++trial_;
      cache_.begin_trial();
      uint32_t misses = 0, drawn = 0;
      Place place = start;
      const auto draw = [&] {
        for (size_t i = 0; i < 3; ++i) misses += cache_.try_use(indices_[size_t(place.triangle) * 3 + i]);
        tried_[place.triangle] = trial_;
        ++drawn;
        place = next(place, true, nullptr);
      };
      while (drawn < length && place.triangle != kNoTriangle) draw();
      const bool ended = drawn < length;
      place = tried_[side.triangle] == trial_ ? Place{} : side;
      while (drawn < ahead_ && place.triangle != kNoTriangle) draw();
      const float rate = drawn > 0 ? float(misses) / float(drawn) : 4.0f;
      if (length == 0 || rate < best_rate - 1e-6f) {
        best = length;
        best_rate = rate;
      }
      if (ended) break;
    }
    return best;
  }

  void grow(Place place) {
    uint32_t left = 1;  // the first triangle is always drawn
    while (place.triangle != kNoTriangle) {
      if (left == 0) {
        left = best_length(place);
        if (left == 0) {
          sides_.push_back(place);  // the part that is cut off counts as a side
          break;
        }
      }
      take(place.triangle);
      --left;
      Place side;
      const Place following = next(place, false, &side);
      if (side.triangle != kNoTriangle) sides_.push_back(side);
      place = following;
    }
  }

  void take(uint32_t t) {
    taken_[t] = 1;
    queue_.remove(t);
    order_.push_back(t);
    for (size_t i = 0; i < 3; ++i) cache_.use(indices_[size_t(t) * 3 + i]);
    for (const uint32_t n : neighbors_[t]) {
      if (is_open(n)) queue_.put(n, open_sides(n));
    }
  }
};

}  // namespace

std::vector<uint32_t> hoppe_order(std::span<const uint32_t> indices, uint32_t cache_size) {
  if (indices.empty()) return {};
  return Strips(indices, cache_size).run();
}

}  // namespace brokkr
