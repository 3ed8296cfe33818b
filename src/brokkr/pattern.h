// Bin patterns: which rasterizer owns which bin ([Kerbl17, 4], [Kerbl18, chapter 7]).
//
// A pattern tiles the plane of bins. It is data: a table of `width` x `height` rasterizer numbers that the bin stage
// looks up with (x mod width, y mod height), so that every pattern costs the kernel the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr {

inline constexpr int kMaxRasterizers = 4096;
inline constexpr int kMaxPatternBins = 4096;  // per side; no table exceeds 4096 x 4096 entries (32 MiB)

enum class PatternKind : uint8_t {
  diagonal,                         // NVIDIA's: row i shifted by i
  z_curve,                          // Morton code mod N
  hilbert,                          // Hilbert distance mod N
  pseudo_random,                    // MT19937, uniform per bin
  hierarchical_maximized_distance,  // dart throwing, farthest of 50 candidates
  x_shift,                          // row i shifted by floor(i N / k), k = floor(sqrt N)
  y_shift,                          // the same per column
  x_shift_offset,                   // row i shifted by floor(i (N + 1) / k)
  sudoku,                           // distinct random row shifts
  van_der_corput,                   // row shifts from the base-2 Van der Corput sequence
  g80,                              // NVIDIA G80's 6-way map, generalised [FragSniffer]
  saved,                            // a table from a file (saved_pattern.h); no name, make_pattern has none
};

struct Pattern {
  PatternKind kind = PatternKind::diagonal;
  int rasterizers = 1;
  int width = 1, height = 1;            // bins; the pattern repeats after these
  std::vector<uint16_t> owner;          // width * height, row by row from the bottom
  int at(int bin_x, int bin_y) const {  // bins >= 0
    return owner[size_t(bin_y % height) * size_t(width) + size_t(bin_x % width)];
  }
};

// Every pattern's kind, command-line name and a line about it.
struct PatternInfo {
  PatternKind kind;
  const char* name;  // "van-der-corput"
  const char* description;
};
const std::vector<PatternInfo>& patterns();

// Throws std::invalid_argument that lists the known names.
PatternKind pattern_kind(std::string_view name);
const char* pattern_name(PatternKind kind);

// Builds the table for `rasterizers` in 1..4096. Patterns that do not repeat (z-curve, hilbert, pseudo-random) are made
// for at least `bins_x` x `bins_y` bins (1..4096 each). Deterministic for a given seed. Row shifts fill N x N tables
// (x-shift N x k, y-shift k x N); hierarchical maximized distance fills N x N up to N = 128 and beyond that a smaller
// square in which shares differ by at most one bin. Throws std::invalid_argument when out of range.
Pattern make_pattern(PatternKind kind, int rasterizers, int bins_x, int bins_y, uint32_t seed = 1);

// Patterns in files: what a search found, or a table made by hand.
//
//   { "format": "brokkr pattern", "version": 1, "name": "searched-20", "description": "...",
//     "rasterizers": 20, "width": 20, "height": 20,
//     "owner": [ row 0 from the bottom: 20 numbers of 0 .. 19, row 1, ... ] }
struct SavedPattern {
  std::string name;                 // shown where a kind's name would be; letters, digits, - _ . +
  std::string description;          // where it comes from, one line
  Pattern pattern;                  // of kind PatternKind::saved
  std::filesystem::path file = {};  // the file that it was loaded from
};

// Throws std::runtime_error naming file, field and remedy.
SavedPattern load_pattern(const std::filesystem::path& path);

// Throws std::invalid_argument for a table that check_pattern refuses or a name that cannot be saved, and
// std::runtime_error where the file cannot be written.
void save_pattern(const std::filesystem::path& path, const SavedPattern& saved);

// Throws std::invalid_argument naming the field where sizes are out of range, the table has not width * height owners,
// or one of them is no rasterizer.
void check_pattern(const Pattern& pattern);

}  // namespace brokkr
