#include "probe/parameters.h"

#include <cmath>

namespace brokkr::probe {
namespace {

// If lines lie across the quads' rows, lines one pixel wide take as many times as long as a triangle as quads have
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
  // The total time of all warps one after another, divided by the time that they take together.
  Drawing all = covering_triangle();
  all.background = bench.subject.costs().background;
  Drawing one = points_at({pixel}, 1);
  one.background = all.background;
  const double warps = double(kWindow) * kWindow / found.warp.pixels;
  found.multiprocessors = int(std::lround(warps * bench.subject.cost(one) / bench.subject.cost(all)));
  return found;
}

}  // namespace brokkr::probe
