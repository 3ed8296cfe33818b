#include "inspect/load_map.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace brokkr {

LoadStatistics predict_load(const Statistics& s, const PatternChoice& choice, int rasterizers) {
  if (s.bins_x <= 0 || s.bins_y <= 0 || rasterizers <= 0) return {};
  const Pattern pattern = make_pattern(choice, rasterizers, s.bins_x, s.bins_y);
  return load_statistics(pattern, s.bin_fragments, s.bins_x, s.bins_y);
}

LoadMap load_map(const Statistics& s, const PatternChoice& pattern) {
  LoadMap map;
  if (s.bins_x <= 0 || s.bins_y <= 0 || s.rasterizers <= 0) return map;
  map.bins_x = s.bins_x;
  map.bins_y = s.bins_y;
  map.bins = s.bin_fragments;
  map.fullest = *std::max_element(map.bins.begin(), map.bins.end());
  map.predicted = predict_load(s, pattern, s.rasterizers);
  map.counted = load_statistics(s.rasterizer_fragments);
  if (s.trace.empty()) return map;
  std::vector<uint64_t> busy(size_t(s.rasterizers), 0);
  for (const TraceEvent& e : s.trace) {
    if (Stage(e.stage) == Stage::rasterize && e.argument < busy.size())
      busy[e.argument] += uint64_t(std::llround((e.end_us - e.begin_us) * 1000));
  }
  map.busy = load_statistics(std::move(busy));
  return map;
}

uint32_t heat_color(double share) {
  struct Stop {
    double share, red, green, blue;
  };
  // Luminance increases monotonically.
  constexpr std::array<Stop, 6> kStops = {{{0, 0, 0, 4},
                                           {0.2, 66, 10, 104},
                                           {0.45, 170, 48, 92},
                                           {0.7, 240, 120, 30},
                                           {0.88, 250, 205, 60},
                                           {1, 255, 255, 230}}};
  const double s = share > 0 ? std::min(share, 1.0) : 0.0;
  size_t i = 1;
  while (i + 1 < kStops.size() && kStops[i].share < s) ++i;
  const Stop &a = kStops[i - 1], &b = kStops[i];
  const double t = (s - a.share) / (b.share - a.share);
  const auto mix = [t](double x, double y) { return uint32_t(std::lround(x + (y - x) * t)); };
  return 0xff000000u | mix(a.blue, b.blue) << 16 | mix(a.green, b.green) << 8 | mix(a.red, b.red);
}

}  // namespace brokkr
