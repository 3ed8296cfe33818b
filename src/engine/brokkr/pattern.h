// Bin patterns determine which rasterizer owns which bin ([Kerbl17, 4], [Kerbl18, chapter 7]).
//
// A pattern tiles the plane of bins. It is data: a table of `width` x `height` rasterizer numbers that the bin stage
// indexes with (x mod width, y mod height). Therefore every pattern costs the kernel the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "brokkr/choices.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

inline constexpr int kMaxRasterizers = 4096;
inline constexpr int kMaxPatternBins = 4096;  // per side; a table has at most 4096 x 4096 entries (32 MiB)

enum class PatternKind : uint8_t {
  diagonal,
  z_curve,
  hilbert,
  pseudo_random,
  hierarchical_maximized_distance,
  x_shift,
  y_shift,
  x_shift_offset,
  sudoku,
  van_der_corput,
  g80
};
template <>
struct Choices<PatternKind> {
  static constexpr Choice<PatternKind> all[] = {
      {PatternKind::diagonal, "diagonal", "row i shifted by i; the baseline that NVIDIA GPUs use"},
      {PatternKind::z_curve, "z-curve", "Morton code of the bin modulo N"},
      {PatternKind::hilbert, "hilbert", "distance along the Hilbert curve modulo N"},
      {PatternKind::pseudo_random, "pseudo-random", "a uniform random rasterizer per bin (MT19937)"},
      {PatternKind::hierarchical_maximized_distance, "hierarchical-maximized-distance",
       "dart throwing: the farthest of 50 random bins from the rasterizer's others"},
      {PatternKind::x_shift, "x-shift", "row i shifted by floor(i N / k), k = floor(sqrt N)"},
      {PatternKind::y_shift, "y-shift", "column i shifted by floor(i N / k), k = floor(sqrt N)"},
      {PatternKind::x_shift_offset, "x-shift-offset", "row i shifted by floor(i (N + 1) / k)"},
      {PatternKind::sudoku, "sudoku", "random row shifts, all different"},
      {PatternKind::van_der_corput, "van-der-corput",
       "row shifts from the base-2 Van der Corput sequence; the best pattern of the paper"},
      {PatternKind::g80, "g80", "the G80's 6-way map, generalised to N"},
  };
};

struct Pattern {
  int rasterizers = 1;
  int width = 1, height = 1;            // in bins: the period of the pattern
  std::vector<uint16_t> owner;          // width * height, row by row from the bottom
  int at(int bin_x, int bin_y) const {  // bin coordinates, >= 0
    return owner[size_t(bin_y % height) * size_t(width) + size_t(bin_x % width)];
  }
};

// A pattern in a file, which a search found or a person made.
//
//   { "format": "brokkr pattern", "version": 1, "name": "searched-20", "description": "...",
//     "rasterizers": 20, "width": 20, "height": 20,
//     "owner": [ row 0 from the bottom: 20 numbers of 0 .. 19, row 1, ... ] }
struct SavedPattern {
  std::string name;         // shown instead of a kind's name; letters, digits, - _ . +
  std::string description;  // the origin of the pattern, one line
  Pattern pattern;
  std::filesystem::path file = {};  // the file that it was loaded from
};

// Throws std::runtime_error; the message names file, field and remedy.
SavedPattern load_pattern(const std::filesystem::path& path);

// The text of such a file. Throws std::invalid_argument if check_pattern rejects the table or the name is invalid.
std::string pattern_text(const SavedPattern& saved);

// Writes the file. Throws as pattern_text, and std::runtime_error if the file cannot be written.
void save_pattern(const std::filesystem::path& path, const SavedPattern& saved);

// Throws std::invalid_argument if sizes are out of range, if the table does not have width * height owners, or if an
// owner is not a rasterizer number. The message names the field.
void check_pattern(const Pattern& pattern);

// The pattern of a frame. It is a kind, which is generated for the frame's number of rasterizers, or a saved pattern
// (never null), which determines that number.
using SavedPatternPointer = std::shared_ptr<const SavedPattern>;
using PatternChoice = std::variant<PatternKind, SavedPatternPointer>;

// The user-visible name.
std::string pattern_name(const PatternChoice& choice);

// The saved pattern; null if a kind was chosen.
const SavedPattern* saved_pattern(const PatternChoice& choice);

// Finds the kind with this name, or loads the pattern from the file if the text contains a dot or a slash. Throws
// std::invalid_argument with a message that lists the known names, and passes on what load_pattern throws.
PatternChoice choose_pattern(std::string_view text);

// Makes the table for `rasterizers` in 1..4096; a saved pattern is returned unchanged. Patterns that do not repeat
// (z-curve, hilbert, pseudo-random) cover at least `bins_x` x `bins_y` bins (1..4096 each). The result is the same for
// the same seed. Row shifts fill N x N tables (x-shift N x k, y-shift k x N). Hierarchical maximized distance fills N x
// N up to N = 128; for larger N, it fills a smaller square in which shares differ by at most one bin. Throws
// std::invalid_argument for values out of range.
Pattern make_pattern(const PatternChoice& choice, int rasterizers, int bins_x, int bins_y, uint32_t seed = 1);

}  // namespace brokkr
#pragma GCC visibility pop
