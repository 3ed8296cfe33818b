// E2 to E4: small quads, lines and points.
#include <fmt/format.h>

#include <iterator>

#include "probe/experiments.h"

namespace brokkr::probe {
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

// The number of pixels drawn until all processors wait for a slow one depends on its position among the tiles.
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

}  // namespace brokkr::probe
