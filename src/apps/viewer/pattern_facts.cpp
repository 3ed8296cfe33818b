#include "viewer/pattern_facts.h"

#include <algorithm>

#include "bin/pattern_image.h"
#include "viewer/looks.h"

namespace brokkr::viewer {

std::vector<std::string> pattern_hints(const Rendered& frame) {
  const Statistics& s = frame.result.statistics;
  std::vector<std::string> hints;
  if (s.bin <= 0 || s.rasterizers <= 0) return hints;
  const auto bins = uint64_t((frame.width + s.bin - 1) / s.bin) * uint64_t((frame.height + s.bin - 1) / s.bin);
  const auto rasterizers = uint64_t(s.rasterizers);
  if (rasterizers == 1) {
    hints.emplace_back("One rasterizer draws all bins: every pattern is the same.");
  } else if (rasterizers >= bins) {
    hints.push_back(counted(rasterizers, "rasterizer") + " for " + counted(bins, "bin") +
                    ": each bin has its own rasterizer under every pattern. K sets 20, as in the paper.");
  }
  if (frame.settings.options.ownership == Ownership::stealing)
    hints.emplace_back(
        "Idle blocks steal work, which evens out the loads: times hardly differ. K makes ownership static.");
  return hints;
}

void draw_load_bars(ImDrawList& list, ImVec2 top_left, ImVec2 size, std::span<const uint64_t> load, double mean) {
  list.AddRectFilled(top_left, {top_left.x + size.x, top_left.y + size.y}, kPlotGround);
  if (load.empty()) return;
  const double top = double(std::max<uint64_t>(1, *std::max_element(load.begin(), load.end())));
  const size_t count = load.size(), columns = std::min(count, size_t(std::max(1.0f, size.x / 2)));
  const float step = size.x / float(columns), gap = step > 4 ? 1.0f : 0.0f;
  for (size_t c = 0; c < columns; ++c) {
    size_t highest = c * count / columns;
    for (size_t i = highest; i < (c + 1) * count / columns; ++i) {
      if (load[i] > load[highest]) highest = i;
    }
    const float y = float(double(load[highest]) / top) * size.y;
    list.AddRectFilled({top_left.x + float(c) * step, top_left.y + size.y - y},
                       {top_left.x + float(c + 1) * step - gap, top_left.y + size.y}, rasterizer_color(int(highest)));
  }
  const float y = top_left.y + size.y - float(mean / top) * size.y;
  list.AddLine({top_left.x, y}, {top_left.x + size.x, y}, IM_COL32(255, 255, 255, 220), 1.5f);
}

}  // namespace brokkr::viewer
