// E1: one quad that covers the window.
#include "probe/experiments.h"

namespace brokkr::probe {
namespace {

constexpr const char* kWaits = "additions wait for each other";

// Experiments with slow pixels at offsets from a tile's corner, each with its own branch.
struct SlowCase {
  const char* what;
  std::vector<glm::ivec2> offsets;
  double paper;
  bool waits = false;
};

ResultOf run_cases(Bench& bench, const std::vector<SlowCase>& cases) {
  ResultOf result;
  for (const SlowCase& each : cases) {
    std::vector<glm::ivec2> pixels;
    for (const glm::ivec2 offset : each.offsets) pixels.push_back(slow_corner(bench.tile) + offset);
    const Drawing drawing = bench.slow_quad(pixels, true, each.waits);
    bench.progress(each.what);
    result.rows.push_back({each.what, each.paper, bench.in_slow(drawing), "T", true, each.waits ? kWaits : ""});
    result.shown = drawing;
  }
  return result;
}

// The number of pixels drawn until all processors wait for a slow one depends on its position among the tiles, so this
// is a mean.
double mean_window(Bench& bench, const Film& undisturbed) {
  double sum = 0;
  int places = 0;
  for (const int column : {1, 3, 5, 6, 8}) {
    for (const int y : {0, 4}) {
      const glm::ivec2 pixel(column * bench.tile % (kWindow / 2), slow_corner(bench.tile).y + y);
      bench.progress("window at column " + std::to_string(column));
      sum += stall_of(bench.subject.draw(bench.slow_quad({pixel}, true)), undisturbed, pixel).drawn;
      ++places;
    }
  }
  return sum / places;
}

}  // namespace

ResultOf all_slow(Bench& bench) {
  Drawing drawing = quads(kWindow);
  drawing.background = bench.subject.costs().background;
  const Film film = bench.subject.draw(drawing);
  const Filling filling = filling_of(film, bench.tile);
  return {{{"part of the first triangle that comes before the second", 1, filling.diagonal, ""},
           {"rows of tiles at a time", 2, filling.rows_at_once, "rows"},
           {"first triangle: rows that turn round (to and fro)", 1, filling.turns[0], ""},
           {"second triangle: rows that turn round", 0, filling.turns[1], ""}},
          drawing};
}

ResultOf one_slow(Bench& bench) {
  const glm::ivec2 pixel = slow_corner(bench.tile);
  const Drawing drawing = bench.slow_quad({pixel}, true);
  const Film film = bench.subject.draw(drawing);
  const Film undisturbed = bench.subject.draw(quads(kWindow));
  const Stall stall = stall_of(film, undisturbed, pixel);
  const BlackRuns runs = black_runs(film, stall, pixel, bench.tile);
  const Group group = group_of(film, pixel);
  ResultOf result{
      {{"cost of the drawing", 1, bench.in_slow(drawing), "T"},
       {"width of a black tile", 16, double(runs.length), "pixels"},
       {"from a black tile to the next", 6, double(runs.distance) / bench.tile, "tiles"},
       {"pixels drawn until all wait", 5000, mean_window(bench, undisturbed), "pixels", true, "mean of ten places"}},
      drawing};
  if (group.pixels > 0) {
    result.rows.push_back({"width of the slow fragment's warp", 8, double(group.width), "pixels"});
    result.rows.push_back({"height of the slow fragment's warp", 4, double(group.height), "pixels"});
  }
  return result;
}

ResultOf two_slow(Bench& bench) {
  const int tile = bench.tile;
  const glm::ivec2 same_owner(bench.period * tile, 0);
  return run_cases(bench, {{"different tiles", {{0, 0}, {tile, 0}}, 1, true},
                           {"tiles i and i + period", {{0, 0}, same_owner}, 2, true},
                           {"the same subtile", {{0, 0}, {1, 0}}, 2, true},
                           {"neighbouring subtiles of a row", {{0, 0}, {8, 0}}, 1, true},
                           {"neighbouring subtiles of a column", {{0, 0}, {0, 4}}, 1.1, true},
                           {"different tiles", {{0, 0}, {tile, 0}}, 1},
                           {"the same subtile", {{0, 0}, {1, 0}}, 2},
                           {"subtiles of different columns", {{0, 0}, {8, 4}}, 1},
                           {"subtiles of the same column", {{0, 0}, {0, 4}}, 2}});
}

ResultOf four_slow(Bench& bench) {
  const int tile = bench.tile;
  return run_cases(bench, {{"four neighbouring tiles", {{0, 0}, {tile, 0}, {2 * tile, 0}, {3 * tile, 0}}, 1},
                           {"the same subtile", {{0, 0}, {1, 0}, {0, 1}, {1, 1}}, 4},
                           {"the same column", {{0, 0}, {0, 4}, {0, 8}, {0, 12}}, 4},
                           {"two in each column", {{0, 0}, {0, 4}, {8, 0}, {8, 4}}, 2},
                           {"two in a subtile of each column", {{0, 0}, {1, 0}, {8, 0}, {9, 0}}, 2}});
}

ResultOf many_slow(Bench& bench) {
  std::vector<glm::ivec2> pixels;
  for (int i = 0; i < 32; ++i) pixels.push_back(slow_corner(bench.tile) + glm::ivec2(i % 8, i / 8));
  const Drawing drawing = bench.slow_quad(pixels, false);
  return {{{"the 32 fragments of a subtile", 1, bench.in_slow(drawing), "T"}}, drawing};
}

}  // namespace brokkr::probe
