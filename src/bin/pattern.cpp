#include "brokkr/pattern.h"

#include <stdexcept>
#include <string>

#include "bin/pattern_families.h"

namespace brokkr {

const std::vector<PatternInfo>& patterns() {
  static const std::vector<PatternInfo> all{
      {PatternKind::diagonal, "diagonal", "row i shifted by i; the baseline that NVIDIA GPUs use"},
      {PatternKind::z_curve, "z-curve", "Morton code of the bin modulo N"},
      {PatternKind::hilbert, "hilbert", "distance along the Hilbert curve modulo N"},
      {PatternKind::pseudo_random, "pseudo-random", "a uniform random rasterizer per bin (MT19937)"},
      {PatternKind::hierarchical_maximized_distance, "hierarchical-maximized-distance",
       "dart throwing: of 50 random bins the one farthest from the rasterizer's own"},
      {PatternKind::x_shift, "x-shift", "row i shifted by floor(i N / k), k = floor(sqrt N)"},
      {PatternKind::y_shift, "y-shift", "column i shifted by floor(i N / k), k = floor(sqrt N)"},
      {PatternKind::x_shift_offset, "x-shift-offset", "row i shifted by floor(i (N + 1) / k)"},
      {PatternKind::sudoku, "sudoku", "random row shifts, no two alike"},
      {PatternKind::van_der_corput, "van-der-corput",
       "row shifts from the base-2 Van der Corput sequence; the best of the paper"},
      {PatternKind::g80, "g80", "the G80's 6-way map, generalised to N"},
  };
  return all;
}

PatternKind pattern_kind(std::string_view name) {
  std::string known;
  for (const PatternInfo& info : patterns()) {
    if (name == info.name) return info.kind;
    known += known.empty() ? "" : ", ";
    known += info.name;
  }
  throw std::invalid_argument("pattern: \"" + std::string(name) + "\" is unknown; use one of " + known);
}

const char* pattern_name(PatternKind kind) {
  for (const PatternInfo& info : patterns()) {
    if (info.kind == kind) return info.name;
  }
  throw std::invalid_argument("pattern: kind " + std::to_string(int(kind)) + " does not exist");
}

Pattern make_pattern(PatternKind kind, int rasterizers, int bins_x, int bins_y, uint32_t seed) {
  const auto require = [](const char* field, int value, int limit) {
    if (value >= 1 && value <= limit) return;
    throw std::invalid_argument("pattern: " + std::string(field) + " is " + std::to_string(value) +
                                "; use a value in 1.." + std::to_string(limit));
  };
  require("rasterizers", rasterizers, kMaxRasterizers);
  require("bins_x", bins_x, kMaxPatternBins);
  require("bins_y", bins_y, kMaxPatternBins);

  namespace make = pattern_families;
  switch (kind) {
    case PatternKind::diagonal: return make::diagonal(rasterizers);
    case PatternKind::z_curve: return make::z_curve(rasterizers, bins_x, bins_y);
    case PatternKind::hilbert: return make::hilbert(rasterizers, bins_x, bins_y);
    case PatternKind::pseudo_random: return make::pseudo_random(rasterizers, bins_x, bins_y, seed);
    case PatternKind::hierarchical_maximized_distance: return make::hierarchical_maximized_distance(rasterizers, seed);
    case PatternKind::x_shift: return make::x_shift(rasterizers);
    case PatternKind::y_shift: return make::y_shift(rasterizers);
    case PatternKind::x_shift_offset: return make::x_shift_offset(rasterizers);
    case PatternKind::sudoku: return make::sudoku(rasterizers, seed);
    case PatternKind::van_der_corput: return make::van_der_corput(rasterizers);
    case PatternKind::g80: return make::g80(rasterizers);
    case PatternKind::saved: break;
  }
  throw std::invalid_argument("pattern: kind " + std::to_string(int(kind)) + " does not exist");
}

}  // namespace brokkr
