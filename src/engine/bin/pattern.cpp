#include "brokkr/pattern.h"

#include <stdexcept>
#include <string>

#include "bin/pattern_families.h"

namespace brokkr {

void pattern_families::require_range(const char* of, const char* field, int value, int least, int most) {
  if (value >= least && value <= most) return;
  throw std::invalid_argument(std::string(of) + ": " + field + " is " + std::to_string(value) + "; use a value in " +
                              std::to_string(least) + ".." + std::to_string(most));
}

const SavedPattern* saved_pattern(const PatternChoice& choice) {
  const auto* const saved = std::get_if<SavedPatternPointer>(&choice);
  return saved != nullptr ? saved->get() : nullptr;
}

Pattern make_pattern(const PatternChoice& choice, int rasterizers, int bins_x, int bins_y, uint32_t seed) {
  if (const SavedPattern* const saved = saved_pattern(choice)) return saved->pattern;
  namespace make = pattern_families;
  make::require_range("pattern", "rasterizers", rasterizers, 1, kMaxRasterizers);
  make::require_range("pattern", "bins_x", bins_x, 1, kMaxPatternBins);
  make::require_range("pattern", "bins_y", bins_y, 1, kMaxPatternBins);

  const PatternKind kind = std::get<PatternKind>(choice);
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
  }
  throw std::invalid_argument("pattern: kind " + std::to_string(int(kind)) + " does not exist");
}

std::string pattern_name(const PatternChoice& choice) {
  const SavedPattern* const saved = saved_pattern(choice);
  return saved != nullptr ? saved->name : name_of(std::get<PatternKind>(choice));
}

PatternChoice choose_pattern(std::string_view text) {
  std::string known;
  for (const auto& kind : Choices<PatternKind>::all) {
    if (text == kind.name) return kind.value;
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  if (text.find_first_of("./") != std::string_view::npos)
    return std::make_shared<const SavedPattern>(load_pattern(text));
  throw std::invalid_argument("'" + std::string(text) + "' is not one of " + known + ", nor a file");
}

}  // namespace brokkr
