#include "probe/experiments.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace brokkr::probe {

const char* verdict_of(const Measurement& m) {
  if (!m.paper) return "-";
  if (!m.explained) return "?";
  return std::abs(m.value - *m.paper) <= kTolerance * std::abs(*m.paper) ? "agrees" : "differs";
}

const char* advice_of(const Measurement& m) {
  if (!m.is_gain) return "";
  if (m.value >= 1 + kTolerance) return "helps";
  return m.value <= 1 / (1 + kTolerance) ? "harms" : "no help";
}

glm::ivec2 slow_corner(int tile) { return {3 * tile, (kWindow * 5 / 8) / tile * tile}; }

Drawing Bench::slow_quad(const std::vector<glm::ivec2>& pixels, bool separate_branches, bool waits) const {
  Drawing drawing = quads(kWindow);
  drawing.waits = waits;
  for (size_t i = 0; i < pixels.size(); ++i)
    drawing.slow.push_back({pixels[i].x, pixels[i].y, subject.costs().slow, separate_branches ? uint32_t(i + 1) : 1u});
  return drawing;
}

double Bench::in_slow(const Drawing& drawing) {
  if (one_slow_ <= 0) one_slow_ = subject.cost(slow_quad({slow_corner(tile)}, true));
  return subject.cost(drawing) / one_slow_;
}

double Bench::over_reference(Drawing drawing) {
  if (reference_ <= 0) {
    Drawing reference = covering_triangle();
    reference.background = subject.costs().background;
    reference_ = subject.cost(reference);
  }
  drawing.background = subject.costs().background;
  return subject.cost(drawing) / reference_;
}

std::span<const ExperimentInfo> experiments() {
  static constexpr ExperimentInfo all[] = {
      {"E1.1", "A quad over the window, all fragments alike: the order of filling", all_slow},
      {"E1.2", "One slow fragment: the fragments that it delays", one_slow},
      {"E1.3", "Two slow fragments of two branches", two_slow},
      {"E1.4", "Four slow fragments of four branches", four_slow},
      {"E1.5", "32 slow fragments of one branch", many_slow},
      {"E2.1", "Small quads that fill the window", small_quads},
      {"E2.2", "Small quads, one slow fragment", small_quads_slow},
      {"E3.1", "Rows of lines", line_rows},
      {"E3.2", "Stacks of lines", stacked_lines},
      {"E4.1", "Rows of points", rows_of_points},
      {"E4.2", "Squares of points", squares_of_points},
      {"E4.3", "Points apart from each other", points_apart},
      {"E4.4", "All points on one pixel", points_on_one},
      {"E4.5", "All points on six pixels, of six processors", points_on_six},
  };
  return all;
}

// E2 to E4: small quads, lines and points.

namespace {

struct SizeCase {
  int size;
  double paper;
  bool explained;
};

constexpr double kBig = 1.5 / 1.17;        // for all larger quads; the paper explains only 8 x 8
constexpr double kBigMoved = 1.85 / 1.17;  // shifted by a pixel
constexpr double kSecond = 1 / 1.17;       // a second of the paper relative to its reference

// Notes for numbers that the paper does not explain.
constexpr const char* kWhy = "the paper asks why";
constexpr const char* kGuess = "the paper's guess: the others starve";
constexpr const char* kRoughly = "the paper: roughly no change, and not why this much";

// `open`: the note for rows that the paper does not explain.
template <class Make>
void add_sizes(Bench& bench, ResultOf& result, const char* what, const char* open,
               std::initializer_list<SizeCase> cases, Make&& make) {
  for (const SizeCase& each : cases) {
    const std::string name = fmt::format(fmt::runtime(what), each.size);
    bench.progress(name);
    result.rows.push_back(
        {name, each.paper, bench.over_reference(make(each.size)), "ref", each.explained, each.explained ? "" : open});
  }
}

// The number of pixels drawn until all processors wait for a slow one. It depends on the slow pixel's position among
// the tiles.
double window_of(Bench& bench, Drawing drawing) {
  const Film undisturbed = bench.subject.draw(drawing);
  double sum = 0;
  const int columns[] = {1, 3, 5, 8};
  for (const int column : columns) {
    const glm::ivec2 pixel(column * bench.tile % (kWindow / 2), slow_corner(bench.tile).y);
    drawing.slow = {{pixel.x, pixel.y, bench.subject.costs().slow, 1}};
    sum += stall_of(bench.subject.draw(drawing), undisturbed, pixel).drawn;
  }
  return sum / double(std::size(columns));
}

double points_over_rows(Bench& bench, const Drawing& drawing) {
  const double rows = bench.over_reference(point_rows());
  const double parts = double(drawing.primitives()) / (double(kWindow) * kWindow);
  return bench.over_reference(drawing) / rows / parts;
}

}  // namespace

ResultOf small_quads(Bench& bench) {
  ResultOf result;
  const auto raster = [](int size) { return quads(size); };
  const auto moved = [](int size) { return quads(size, 1); };
  const auto blocks = [](int size) { return quads(size, 0, FillOrder::tiles); };
  add_sizes(bench, result, "quads of {0} x {0}", kWhy,
            {{64, kBig, false},
             {32, kBig, false},
             {16, kBig, false},
             {8, kBig, true},
             {4, 6.78 * kSecond, false},
             {1, 9.96 * kSecond, true}},
            raster);
  add_sizes(bench, result, "quads of {0} x {0}, tile by tile", kWhy, {{8, kBig, true}}, blocks);
  add_sizes(bench, result, "quads of {0} x {0}, moved by a pixel", kWhy,
            {{64, kBigMoved, false},
             {32, kBigMoved, false},
             {16, kBigMoved, false},
             {8, kBigMoved, true},
             {4, 7.82 * kSecond, false}},
            moved);
  bench.progress("a strip");
  result.rows.push_back({"quads of 16 x 16 as a strip, over those of triangles", 1,
                         bench.over_reference(strip(16)) / bench.over_reference(quads(16)), "quads"});
  result.shown = quads(8);
  return result;
}

ResultOf small_quads_slow(Bench& bench) {
  ResultOf result;
  const glm::ivec2 pixel = slow_corner(bench.tile);
  const auto add = [&](const std::string& name, const Drawing& drawing) {
    bench.progress(name);
    result.rows.push_back({name,
                           {},
                           window_of(bench, drawing),
                           "pixels",
                           true,
                           "drawn until all wait, mean of four places; the paper: fewer for smaller ones"});
  };
  for (const int size : {kWindow, 64, 16, 8, 4, 1}) add(fmt::format("quads of {0} x {0}", size), quads(size));
  add("points", point_rows());
  result.shown = quads(8);
  result.shown->slow = {{pixel.x, pixel.y, bench.subject.costs().slow, 1}};
  return result;
}

ResultOf line_rows(Bench& bench) {
  ResultOf result;
  add_sizes(bench, result, "lines of {}", "",
            {{512, 2, true}, {32, 2, true}, {16, 2, true}, {8, 2, true}, {4, 2, true}, {2, 4.5, true}, {1, 9, true}},
            [](int size) { return lines(size); });
  result.shown = lines(512);
  return result;
}

ResultOf stacked_lines(Bench& bench) {
  ResultOf result;
  add_sizes(bench, result, "stacks of {} lines", kGuess,
            {{256, 2, true},
             {128, 2, true},
             {64, 2 * 1.08, false},
             {16, 2 * 1.18, false},
             {8, 2 * 1.18, false},
             {4, 2 * 1.18, false},
             {2, 4.5, true},
             {1, 9, true}},
            [](int size) { return line_stacks(size); });
  result.shown = line_stacks(16);
  return result;
}

ResultOf rows_of_points(Bench& bench) {
  Drawing drawing = point_rows();
  ResultOf result{{{"points, row by row", 8, bench.over_reference(drawing), "ref"}}, drawing};
  const glm::ivec2 pixel = slow_corner(bench.tile);
  drawing.slow = {{pixel.x, pixel.y, bench.subject.costs().slow, 1}};
  const Group group = group_of(bench.subject.draw(drawing), pixel);
  if (group.pixels > 0) {
    result.rows.push_back({"width of the slow point's warp", 4, double(group.width), "pixels"});
    result.rows.push_back({"height of the slow point's warp", 1, double(group.height), "pixels"});
  }
  result.shown = drawing;
  return result;
}

ResultOf squares_of_points(Bench& bench) {
  ResultOf result;
  // The paper gives the last of four growing numbers, and guesses that processors starve.
  add_sizes(bench, result, "squares of {0} x {0} points", kGuess,
            {{16, 8 * 1.83, false}, {8, 8, true}, {2, 8, true}, {1, 8, true}},
            [](int size) { return point_squares(size); });
  for (const int size : {32, 64, 128}) {
    const std::string name = fmt::format("squares of {0} x {0} points", size);
    bench.progress(name);
    result.rows.push_back({name,
                           {},
                           bench.over_reference(point_squares(size)),
                           "ref",
                           false,
                           "the paper: more the smaller they are, down to 16"});
  }
  result.shown = point_squares(16);
  return result;
}

ResultOf points_apart(Bench& bench) {
  constexpr struct {
    int step;
    double paper;
    bool explained;
  } kCases[] = {{2, 0.97, true},  {3, 1.08, true}, {4, 1, true},     {5, 1.05, true},
                {7, 1.16, false}, {8, 1.1, true},  {16, 1.35, false}};
  ResultOf result;
  for (const auto& each : kCases) {
    const std::string name = fmt::format("a point every {} pixels", each.step);
    bench.progress(name);
    result.rows.push_back({name, each.paper, points_over_rows(bench, spaced_points(each.step)), "rows of points",
                           each.explained, each.explained ? "cost of a point" : kRoughly});
  }
  result.shown = spaced_points(4);
  return result;
}

ResultOf points_on_one(Bench& bench) {
  const Drawing drawing = points_at({slow_corner(bench.tile)}, kWindow * kWindow);
  return {{{"all points on one pixel", 6.1, points_over_rows(bench, drawing), "rows of points"}}, drawing};
}

ResultOf points_on_six(Bench& bench) {
  std::vector<glm::ivec2> pixels;
  for (int i = 0; i < bench.period; ++i) pixels.push_back(slow_corner(bench.tile) + glm::ivec2(i * bench.tile, 0));
  const Drawing drawing = points_at(pixels, kWindow * kWindow);
  return {{{"all points on pixels of every processor", 1, points_over_rows(bench, drawing), "rows of points"}},
          drawing};
}

// E1: one quad that covers the window.

namespace {

constexpr const char* kWaits = "additions wait for each other";

// Experiments with slow pixels at given offsets from a tile's corner, each with its own branch.
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

// The mean number of pixels drawn until all processors wait for a slow one; it depends on the slow pixel's position
// among the tiles.
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

namespace {

// If lines lie across the quads' rows, lines one pixel wide take as many times longer than a triangle as quads have
// rows.
int rows_of_quads(Bench& bench, bool upright) {
  Drawing drawing = lines(kWindow);
  if (upright) {
    for (glm::vec2& vertex : drawing.vertices) vertex = {vertex.y, vertex.x};
  }
  return int(std::lround(bench.over_reference(drawing)));
}

}  // namespace

Parameters find_parameters(Bench& bench) {
  Parameters found;
  const glm::ivec2 pixel = slow_corner(bench.tile);
  const Drawing slow = bench.slow_quad({pixel}, true);
  found.warp = group_of(bench.subject.draw(slow), pixel);
  found.quad_y = rows_of_quads(bench, false);
  found.quad_x = rows_of_quads(bench, true);
  found.window = stall_of(bench.subject.draw(slow), bench.subject.draw(quads(kWindow)), pixel).drawn;
  if (found.warp.pixels == 0) return found;
  found.points_in_warp = found.warp.pixels / bench.over_reference(point_rows());
  // Divide the total time of all warps run one after another by the time that they take together.
  Drawing all = covering_triangle();
  all.background = bench.subject.costs().background;
  Drawing one = points_at({pixel}, 1);
  one.background = all.background;
  const double warps = double(kWindow) * kWindow / found.warp.pixels;
  found.multiprocessors = int(std::lround(warps * bench.subject.cost(one) / bench.subject.cost(all)));
  return found;
}

}  // namespace brokkr::probe
