// The situations of [FragSniffer, 5]. Each compares the plain way to draw something with the way that the paper
// advises. The cost of several drawings is their sum.
#include <algorithm>

#include "probe/experiments.h"

namespace brokkr::probe {
namespace {

double cost_of(Bench& bench, const std::vector<Drawing>& passes) {
  double sum = 0;
  for (const Drawing& pass : passes) sum += bench.subject.cost(pass);
  return sum;
}

// The speedup of `advised` over `plain`.
double gain(Bench& bench, const Drawing& plain, const std::vector<Drawing>& advised) {
  return bench.subject.cost(plain) / cost_of(bench, advised);
}

Measurement advice(const std::string& what, std::optional<double> paper, double times, bool explained = true,
                   const char* note = "") {
  return {what, paper, times, "times as fast", explained, note, true};
}

Drawing with_background(Drawing drawing, uint32_t cost) {
  drawing.background = cost;
  return drawing;
}

// 5.1: one call per primitive, or one call for all.
ResultOf many_calls(Bench& bench) {
  Drawing apart = with_background(quads(16), bench.subject.costs().background);
  const Drawing together = apart;
  apart.batches.assign(apart.primitives(), 1);
  return {{advice("one call for all triangles, not one for each", {}, gain(bench, apart, {together}))}, together};
}

// 5.2: shading after visibility is known.
ResultOf small_primitives(Bench& bench) {
  ResultOf result;
  const uint32_t cost = bench.subject.costs().background;
  const Drawing shaded = with_background(covering_triangle(), cost);
  for (const int size : {1, 2, 4}) {
    const std::string name = "quads of " + std::to_string(size) + ": deferred shading";
    bench.progress(name);
    result.rows.push_back(advice(name, 8, gain(bench, with_background(quads(size), cost), {quads(size), shaded}),
                                 size == 1, size == 1 ? "" : "the paper: typically, of 1 to 4"));
  }
  return result;
}

// 5.3: stars in a sky.
constexpr int kApart = 8;  // pixels between stars: at most one star per warp

Drawing sky(Bench& bench, int every, int kinds) {
  Drawing drawing = quads(kWindow);
  drawing.stars = {every, bench.subject.costs().slow / 10, kinds};
  return drawing;
}

// Stars of two kinds, at most one of each per warp. Draws all of the first kind as points, then those of the second.
double kinds_apart(Bench& bench) {
  const Drawing plain = sky(bench, kApart / 2, 2);
  return gain(bench, plain, {star_points(plain.stars, 0), star_points(plain.stars, 1), quads(kWindow)});
}

ResultOf scattered(Bench& bench) {
  const Drawing plain = sky(bench, kApart, 1), rest = quads(kWindow);
  const Drawing points = star_points(plain.stars, 0);
  Drawing stars = plain, others = plain;
  stars.mask = Mask::only_stars;
  others.mask = Mask::all_but_stars;
  // As many pixels as there are stars, side by side.
  Drawing packed = rest;
  for (glm::vec2& v : packed.vertices) v *= 1.0f / kApart;
  packed.background = plain.stars.cost;
  bench.progress("stars of two kinds");
  const double kinds = bench.subject.cost(sky(bench, kApart / 2, 2)) / bench.subject.cost(sky(bench, kApart / 2, 1));
  return {{advice("stars as points, then the sky", 4, gain(bench, plain, {points, rest})),
           advice("masked: only stars, then all but stars", 4, gain(bench, plain, {stars, others}), false,
                  "the paper: should gain as much"),
           advice("stars packed side by side, then the sky", 32, gain(bench, plain, {packed, rest}), false,
                  "the paper: closer to 32"),
           {"stars of two kinds in a warp, over those of one", 2, kinds, "times as long"},
           advice("stars of two kinds as points, one kind after the other", 4, kinds_apart(bench), false,
                  "the paper: as in the case of one kind")},
          plain};
}

// Slow fragments that all belong to one processor, or the same number distributed over processors.
std::vector<glm::ivec2> slow_row(const Bench& bench, int tiles_apart) {
  std::vector<glm::ivec2> pixels;
  for (int i = 0; i < 4; ++i) pixels.push_back(slow_corner(bench.tile) + glm::ivec2(i * tiles_apart * bench.tile, 0));
  return pixels;
}

ResultOf unbalanced(Bench& bench) {
  const int apart = std::min(bench.period, (kWindow * 5 / 8) / bench.tile / 4);
  const Drawing one = bench.slow_quad(slow_row(bench, apart), true), spread = bench.slow_quad(slow_row(bench, 1), true);
  return {{advice("four slow fragments of different processors, not of one", 4, gain(bench, one, {spread}), false,
                  "only those within the FIFO's window wait for each other")},
          one};
}

// 5.5: a silhouette of fragments with different costs in one tile. Either half of it is drawn one tile further and
// copied back, or all of it is drawn as points after the rest.
ResultOf silhouette(Bench& bench) {
  Drawing plain = quads(kWindow), here = plain;
  for (int y = 0; y < 16; ++y) {
    const glm::ivec2 at = slow_corner(bench.tile) + glm::ivec2(y % 2, y);
    const SlowPixel pixel{at.x, at.y, bench.subject.costs().slow / 4, 1 + uint32_t(y % kMaxBranch)};
    plain.slow.push_back(pixel);
    here.slow.push_back(pixel);
    if (y % 2 != 0) here.slow.back().x += bench.tile;
  }
  const Drawing flat = quads(kWindow);
  std::vector<glm::ivec2> pixels;
  for (const SlowPixel& pixel : plain.slow) pixels.emplace_back(pixel.x, pixel.y);
  Drawing points = points_at(pixels, int(pixels.size()));
  points.slow = plain.slow;
  return {{advice("half of a silhouette drawn a tile further, and copied back", {}, gain(bench, plain, {here, flat})),
           advice("a silhouette as points, after the rest", {}, gain(bench, plain, {flat, points}))},
          plain};
}

}  // namespace

std::span<const ExperimentInfo> situations() {
  static constexpr ExperimentInfo all[] = {
      {"5.1", "Many primitives: a call for each", many_calls},
      {"5.2", "Small primitives with an expensive shader", small_primitives},
      {"5.3", "Slow fragments all over the window: stars in a sky", scattered},
      {"5.4", "Slow fragments that belong to one processor", unbalanced},
      {"5.5", "Slow fragments in a line: a silhouette", silhouette},
  };
  return all;
}

}  // namespace brokkr::probe
