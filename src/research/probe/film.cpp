#include "probe/film.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "bin/pattern_image.h"
#include "log/text.h"

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
  // Skip the part where the triangle is about as wide as high, which does not show its direction.
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
  // Use the row at the tile's upper edge: in the slow pixel's own row, fragments before it are drawn.
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

namespace {

constexpr uint32_t kBlack = 0xff000000u, kRed = 0xff2020c0u, kWhite = 0xffffffffu;

// From dark blue through violet and orange to yellow.
uint32_t color_of_rank(double t) {
  constexpr std::array<std::array<double, 3>, 4> kStops = {
      {{30, 30, 110}, {140, 40, 140}, {235, 110, 60}, {250, 235, 120}}};
  const double at = std::clamp(t, 0.0, 1.0) * 3;
  const auto low = size_t(std::min(at, 2.0));
  uint32_t color = kBlack;
  for (size_t c = 0; c < 3; ++c)
    color |= uint32_t(std::lround(std::lerp(kStops[low][c], kStops[low + 1][c], at - double(low)))) << (8 * c);
  return color;
}

}  // namespace

double ranks_of(const Film& film) {
  uint32_t last = 0;
  for (const uint32_t rank : film.order) last = rank == kNever ? last : std::max(last, rank);
  return double(last) + 1;
}

std::vector<uint32_t> film_picture(const Film& film, double part) {
  const double all = ranks_of(film);
  std::vector<uint32_t> pixels(film.order.size(), kBlack);
  for (size_t i = 0; i < pixels.size(); ++i) {
    const double t = double(film.order[i]) / all;
    if (film.order[i] != kNever && t < part) pixels[i] = color_of_rank(t);
  }
  return pixels;
}

std::vector<uint32_t> stall_picture(const Film& film, const Stall& stall, std::span<const glm::ivec2> slow,
                                    double ranks) {
  const double all = ranks > 0 ? ranks : std::max(1.0, double(stall.now));
  std::vector<uint32_t> pixels(film.order.size(), kBlack);
  for (size_t i = 0; i < pixels.size(); ++i) {
    if (stall.black[i]) pixels[i] = kRed;
    if (film.order[i] < stall.now) pixels[i] = color_of_rank(double(film.order[i]) / all);
  }
  for (const glm::ivec2 pixel : slow) {
    for (int y = std::max(0, pixel.y - 1); y <= std::min(film.height - 1, pixel.y + 1); ++y) {
      for (int x = std::max(0, pixel.x - 1); x <= std::min(film.width - 1, pixel.x + 1); ++x)
        pixels[film.at(x, y)] = kWhite;
    }
  }
  return pixels;
}

WarpPicture warp_picture(const Film& film, glm::ivec2 pixel, int zoom) {
  constexpr int kLined = 4;  // smaller pixels have no separating lines
  if (film.time.empty()) return {};
  const double when = film.time[film.at(pixel.x, pixel.y)];
  const int left = std::clamp(pixel.x - kWarpWindow / 2, 0, std::max(0, film.width - kWarpWindow));
  const int low = std::clamp(pixel.y - kWarpWindow / 2, 0, std::max(0, film.height - kWarpWindow));
  const int wide = std::min(kWarpWindow, film.width), high = std::min(kWarpWindow, film.height);
  const double all = ranks_of(film);
  WarpPicture picture{wide * zoom, high * zoom,
                      std::vector<uint32_t>(size_t(wide * zoom) * size_t(high * zoom), kBlack)};
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      if (zoom >= kLined && (x % zoom == 0 || y % zoom == 0)) continue;
      const glm::ivec2 shown(left + x / zoom, low + y / zoom);
      const size_t at = film.at(shown.x, shown.y);
      if (film.order[at] == kNever) continue;
      uint32_t& color = picture.pixels[size_t(y) * size_t(picture.width) + size_t(x)];
      color = shown == pixel ? kRed : film.time[at] == when ? kWhite : color_of_rank(double(film.order[at]) / all);
    }
  }
  return picture;
}

std::vector<uint32_t> map_picture(const TileMap& map, int width, int height) {
  constexpr int kLined = 8;  // smaller tiles have no separating lines
  const int edge_x = map.tile_x >= kLined ? map.tile_x : 0, edge_y = map.tile_y >= kLined ? map.tile_y : 0;
  std::vector<uint32_t> pixels(size_t(width) * size_t(height), kBlack);
  for (int y = 0; y < std::min(height, map.rows * map.tile_y); ++y) {
    for (int x = 0; x < std::min(width, map.columns * map.tile_x); ++x) {
      const int owner = map.at(x / map.tile_x, y / map.tile_y);
      if ((edge_x > 0 && x % edge_x == 0) || (edge_y > 0 && y % edge_y == 0)) continue;
      if (owner >= 0) pixels[size_t(y) * size_t(width) + size_t(x)] = rasterizer_color(owner % kMaxRasterizers);
    }
  }
  return pixels;
}

std::string pixels_csv(const Film& film, const std::vector<bool>& black) {
  std::string text = csv_row(std::vector<std::string>{"x", "y", "order", "time", "unit", "warp", "black"});
  for (int y = 0; y < film.height; ++y) {
    for (int x = 0; x < film.width; ++x) {
      const size_t i = film.at(x, y);
      if (film.order[i] == kNever) continue;
      std::vector<std::string> cells = {std::to_string(x), std::to_string(y), std::to_string(film.order[i])};
      cells.push_back(film.time.empty() ? "" : fmt::format("{:.9g}", film.time[i]));
      cells.push_back(film.unit.empty() || film.unit[i] < 0 ? "" : std::to_string(film.unit[i]));
      cells.push_back(film.warp.empty() || film.warp[i] < 0 ? "" : std::to_string(film.warp[i]));
      cells.push_back(black.empty() ? "" : black[i] ? "1" : "0");
      text += csv_row(cells);
    }
  }
  return text;
}

double Watched::stall_part() const { return film.order.empty() ? 0 : stall.now / ranks_of(film); }

std::vector<uint32_t> Watched::picture(double part) const {
  const double all = ranks_of(film);
  const auto now = uint32_t(all * part);
  if (slow.empty() || now > stall.now) return film_picture(film, part);
  return stall_picture(film, stall_of(film, undisturbed, slow, now), slow, all);
}

Watched watch(Subject& subject, const Drawing& drawing) {
  Watched watched{.film = subject.draw(drawing)};
  if (drawing.slow.empty() || watched.film.order.empty()) return watched;
  Drawing quick = drawing;
  quick.slow.clear();
  watched.undisturbed = subject.draw(quick);
  for (const SlowPixel& pixel : drawing.slow) {
    if (watched.film.order[watched.film.at(pixel.x, pixel.y)] != kNever) watched.slow.emplace_back(pixel.x, pixel.y);
  }
  if (!watched.slow.empty()) watched.stall = stall_of(watched.film, watched.undisturbed, watched.slow);
  return watched;
}

}  // namespace brokkr::probe
