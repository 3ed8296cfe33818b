
#include <algorithm>
#include <cmath>

#include "geometry/triangle_store.h"
#include "plan/prepare.h"

namespace brokkr {
namespace {

// The budget of the bound: vertices read per vertex of the frame, and runs. A run is a pair of a draw's instance and a
// view. Every camera move tests all runs again. A frame that exceeds the budget is treated as one that clips.
constexpr uint64_t kMaxLooks = 4;
constexpr size_t kMaxRuns = 1024;

// The relative rounding error of a plane distance, as a fraction of the sum of its terms' magnitudes. A position passes
// through two single-precision matrix products, which make at most about 20 roundings of 2^-24 of that sum.
constexpr double kMargin = 1e-4;

// A linear function of clip coordinates that is negative outside of a plane (clip_distance, geometry/setup.h).
struct Plane {
  double x = 0, y = 0, z = 0, w = 0;
};

std::vector<Plane> planes_of(const DrawRecord& draw) {
  const double low = double(kGuardMin) + double(kGuardMargin), high = double(kGuardMax) - double(kGuardMargin);
  const double sx = double(draw.scale[0]), sy = double(draw.scale[1]);
  const double ox = double(draw.offset[0]), oy = double(draw.offset[1]);
  std::vector<Plane> planes = {
      {0, 0, 0, 1}, {sx, 0, 0, ox - low}, {-sx, 0, 0, high - ox}, {0, sy, 0, oy - low}, {0, -sy, 0, high - oy}};
  if (!(draw.bits & kDrawDepthClamp)) {
    planes.push_back({0, 0, 1, draw.bits & kDrawZeroToOne ? 0.0 : 1.0});
    planes.push_back({0, 0, -1, 1});
  }
  return planes;
}

// The transform of one run. Clip coordinates are linear functions of x, y, z, w, row by row; `size` holds the sums of
// the absolute values of their terms.
struct ClipRows {
  double value[4][4] = {}, size[4][4] = {};
};

ClipRows rows_of(const PreparedFrame::Impl& f, const RunRecord& run, const DrawRecord& draw) {
  ClipRows rows;
  if (!(draw.bits & kDrawTransform)) {
    for (int i = 0; i < 4; ++i) rows.value[i][i] = rows.size[i][i] = 1;
    return rows;
  }
  const float* const view = f.views[run.view].view_projection;
  const float* const model = &f.frame->models[draw.first_instance + run.instance][0][0];
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      for (int k = 0; k < 4; ++k) {
        const double term = double(view[4 * k + row]) * double(model[4 * column + k]);
        rows.value[row][column] += term;
        rows.size[row][column] += std::abs(term);
      }
    }
  }
  return rows;
}

bool is_inside(const ClipRows& rows, const Plane& plane, const PositionBox& box, bool transformed) {
  const double of_row[4] = {plane.x, plane.y, plane.z, plane.w};
  double least = 0, size = 0;
  for (int column = 0; column < 4; ++column) {
    double factor = 0, factor_size = 0;
    for (int row = 0; row < 4; ++row) {
      factor += of_row[row] * rows.value[row][column];
      factor_size += std::abs(of_row[row]) * rows.size[row][column];
    }
    const bool one = transformed && column == 3;  // positions in object space have no w of their own
    const double low = one ? 1 : double(box.low[column]), high = one ? 1 : double(box.high[column]);
    least += std::min(factor * low, factor * high);
    size += factor_size * std::max(std::abs(low), std::abs(high));
  }
  return least > kMargin * size;  // false if positions are not finite
}

// Returns, for each draw record, the number of vertices that it reads over all its instances.
std::vector<uint64_t> vertices_of(const PreparedFrame::Impl& f) {
  std::vector<uint64_t> vertices(f.draws.size());
  for (const RunRecord& run : f.runs) {
    const DrawRecord& draw = f.draws[run.draw];
    const uint64_t instances = draw.bits & kDrawTransform ? 1 : uint64_t(run.instance) + 1;
    vertices[run.draw] = std::max(vertices[run.draw], instances * draw.vertex_count);
  }
  return vertices;
}

PositionBox box_of(const PreparedFrame::Impl& f, size_t draw, uint64_t vertices) {
  const glm::vec4* const first = f.positions().data() + f.draws[draw].first_vertex;
  PositionBox box{{INFINITY, INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
  bool finite = true;
  for (uint64_t v = 0; v < vertices; ++v) {
    for (int c = 0; c < 4; ++c) {
      const float coordinate = first[v][c];
      finite &= std::isfinite(coordinate);
      box.low[c] = std::min(box.low[c], coordinate);
      box.high[c] = std::max(box.high[c], coordinate);
    }
  }
  if (!finite) box.low[0] = NAN;  // makes every comparison with the box false
  return box;
}

}  // namespace

std::vector<PositionBox> position_boxes(const PreparedFrame::Impl& f) {
  const std::vector<uint64_t> vertices = vertices_of(f);
  uint64_t looks = 0;
  for (const uint64_t n : vertices) looks += n;
  std::vector<PositionBox> boxes;
  if (looks > kMaxLooks * f.positions().size() || f.runs.size() > kMaxRuns) return boxes;
  boxes.reserve(f.draws.size());
  for (size_t d = 0; d < f.draws.size(); ++d) boxes.push_back(box_of(f, d, vertices[d]));
  return boxes;
}

void update_boxes(PreparedFrame::Impl& f, uint64_t first, uint64_t end) {
  if (f.boxes.empty()) return;
  const std::vector<uint64_t> vertices = vertices_of(f);
  for (size_t d = 0; d < f.draws.size(); ++d) {
    const uint64_t begin = f.draws[d].first_vertex;
    if (begin < end && first < begin + vertices[d]) f.boxes[d] = box_of(f, d, vertices[d]);
  }
}

bool is_inside(const PreparedFrame::Impl& f) {
  if (f.boxes.empty()) return false;
  return std::all_of(f.runs.begin(), f.runs.end(), [&](const RunRecord& run) {
    const DrawRecord& draw = f.draws[run.draw];
    const bool transformed = (draw.bits & kDrawTransform) != 0;
    const ClipRows rows = rows_of(f, run, draw);
    const std::vector<Plane> planes = planes_of(draw);
    return std::all_of(planes.begin(), planes.end(),
                       [&](const Plane& p) { return is_inside(rows, p, f.boxes[run.draw], transformed); });
  });
}

}  // namespace brokkr
