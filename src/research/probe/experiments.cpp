#include "probe/experiments.h"

#include <cmath>

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

Drawing Bench::slow_quad(const std::vector<glm::ivec2>& pixels, bool own_branches, bool waits) const {
  Drawing drawing = quads(kWindow);
  drawing.waits = waits;
  for (size_t i = 0; i < pixels.size(); ++i)
    drawing.slow.push_back({pixels[i].x, pixels[i].y, subject.costs().slow, own_branches ? uint32_t(i + 1) : 1u});
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
      {"E1.2", "One slow fragment: what it holds up", one_slow},
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

}  // namespace brokkr::probe
