#include "probe/film.h"

#include <algorithm>
#include <cmath>

namespace brokkr::probe {
namespace {

// The quad's first triangle lies above the diagonal from the lower left corner.
bool in_first(int x, int y) { return y > x; }

// The correlation of column and order for a triangle's pixels in rows y0 .. y1 - 1: 1 from left to right, -1 from right
// to left.
double direction(const Film& film, int y0, int y1, bool first) {
  double n = 0, sx = 0, sr = 0, sxx = 0, srr = 0, sxr = 0;
  for (int y = y0; y < y1; ++y) {
    for (int x = 0; x < film.width; ++x) {
      const uint32_t rank = film.order[film.at(x, y)];
      if (in_first(x, y) != first || rank == kNever) continue;
      const double r = rank;
      ++n;
      sx += x;
      sr += r;
      sxx += double(x) * x;
      srr += r * r;
      sxr += x * r;
    }
  }
  const double spread = (n * sxx - sx * sx) * (n * srr - sr * sr);
  return spread > 0 ? (n * sxr - sx * sr) / std::sqrt(spread) : 0;
}

double turns_of(const Film& film, int tall, bool first) {
  int steps = 0, turns = 0;
  double before = 0;
  // The part of a triangle that is about as wide as high does not show its direction.
  const int begin = first ? 2 * tall : 0, end = first ? film.height : film.height - 2 * tall;
  for (int y = begin; y + tall <= end; y += tall) {
    const double now = direction(film, y, y + tall, first);
    if (before != 0 && now != 0) {
      ++steps;
      turns += before * now < 0;
    }
    before = now;
  }
  return steps == 0 ? 0 : double(turns) / steps;
}

double rows_begun(const Film& film, int tile) {
  std::vector<uint32_t> lowest;
  for (int y = 0; y < tile; ++y) {
    for (int x = 0; x < film.width; ++x) {
      if (!in_first(x, y)) lowest.push_back(film.order[film.at(x, y)]);
    }
  }
  std::nth_element(lowest.begin(), lowest.begin() + ptrdiff_t(lowest.size() / 2), lowest.end());
  const uint32_t half = lowest[lowest.size() / 2];
  int begun = 0;
  for (int low = 0; low + tile <= film.height; low += tile) {
    bool any = false;
    for (int y = low; y < low + tile && !any; ++y) {
      for (int x = 0; x < film.width && !any; ++x) any = !in_first(x, y) && film.order[film.at(x, y)] <= half;
    }
    begun += any;
  }
  return begun;
}

}  // namespace

Group group_of(const Film& film, glm::ivec2 pixel) {
  if (film.time.empty()) return {};
  const double when = film.time[film.at(pixel.x, pixel.y)];
  Group group;
  int left = film.width, right = -1, low = film.height, high = -1;
  for (int y = 0; y < film.height; ++y) {
    for (int x = 0; x < film.width; ++x) {
      const size_t at = film.at(x, y);
      if (film.order[at] == kNever || film.time[at] != when) continue;
      ++group.pixels;
      left = std::min(left, x);
      right = std::max(right, x);
      low = std::min(low, y);
      high = std::max(high, y);
    }
  }
  group.width = right - left + 1;
  group.height = high - low + 1;
  return group;
}

Stall stall_of(const Film& film, const Film& undisturbed, std::span<const glm::ivec2> slow, uint32_t now) {
  const auto early = [&](size_t i) { return film.order[i] != kNever && film.order[i] < now; };
  uint32_t first = kNever, last = 0;
  for (const glm::ivec2 pixel : slow) first = std::min(first, undisturbed.order[film.at(pixel.x, pixel.y)]);
  Stall stall{.now = now, .black = std::vector<bool>(film.order.size(), false)};
  for (size_t i = 0; i < film.order.size(); ++i) {
    if (!early(i) || undisturbed.order[i] == kNever) continue;
    last = std::max(last, undisturbed.order[i]);
    stall.drawn += undisturbed.order[i] > first;
  }
  for (size_t i = 0; i < film.order.size(); ++i) {
    stall.black[i] = !early(i) && undisturbed.order[i] < last && undisturbed.order[i] >= first;
  }
  return stall;
}

Stall stall_of(const Film& film, const Film& undisturbed, std::span<const glm::ivec2> slow) {
  uint32_t now = kNever;
  for (const glm::ivec2 pixel : slow) now = std::min(now, film.order[film.at(pixel.x, pixel.y)]);
  return stall_of(film, undisturbed, slow, now == kNever ? 0 : now);
}

BlackRuns black_runs(const Film& film, const Stall& stall, glm::ivec2 slow, int tile) {
  std::vector<int> begins, ends;
  // Uses the row at the tile's upper edge, because in the slow tile itself fragments before the slow one are drawn.
  const int y = slow.y / tile * tile + tile - 1;
  for (int x = slow.x / tile * tile; x < film.width; ++x) {
    const bool black = stall.black[film.at(x, y)], before = x > slow.x / tile * tile && stall.black[film.at(x - 1, y)];
    if (black && !before) begins.push_back(x);
    if (!black && before) ends.push_back(x);
  }
  if (begins.size() < 2 || ends.size() < 2) return {};
  return {ends[1] - begins[1], begins[1] / tile * tile - begins[0] / tile * tile};
}

Filling filling_of(const Film& film, int tile) {
  Filling filling;
  size_t first = 0, early = 0;
  const size_t half = film.order.size() / 2;
  for (int y = 0; y < film.height; ++y) {
    for (int x = 0; x < film.width; ++x) {
      if (!in_first(x, y)) continue;
      ++first;
      early += film.order[film.at(x, y)] < half;
    }
  }
  filling.diagonal = double(early) / double(first);
  filling.rows_at_once = rows_begun(film, tile);
  for (const bool second : {false, true})
    filling.turns[second] = turns_of(film, tile * int(filling.rows_at_once), !second);
  return filling;
}

}  // namespace brokkr::probe
