#include "probe/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "bin/pattern_image.h"

namespace brokkr::probe {
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
  std::string text = "x,y,order,time,unit,warp,black\n";
  const auto to = std::back_inserter(text);
  for (int y = 0; y < film.height; ++y) {
    for (int x = 0; x < film.width; ++x) {
      const size_t i = film.at(x, y);
      if (film.order[i] == kNever) continue;
      fmt::format_to(to, "{},{},{},", x, y, film.order[i]);
      if (!film.time.empty()) fmt::format_to(to, "{:.9g}", film.time[i]);
      text += ',';
      if (!film.unit.empty() && film.unit[i] >= 0) fmt::format_to(to, "{}", film.unit[i]);
      text += ',';
      if (!film.warp.empty() && film.warp[i] >= 0) fmt::format_to(to, "{}", film.warp[i]);
      text += black.empty() ? "," : black[i] ? ",1" : ",0";
      text += '\n';
    }
  }
  return text;
}

}  // namespace brokkr::probe
