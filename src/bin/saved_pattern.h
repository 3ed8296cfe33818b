// Patterns in files: what a search found, or a table made by hand.
//
//   { "format": "brokkr pattern", "version": 1, "name": "searched-20", "description": "...",
//     "rasterizers": 20, "width": 20, "height": 20,
//     "owner": [ row 0 from the bottom: 20 numbers of 0 .. 19, row 1, ... ] }
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "bin/pattern.h"

namespace brokkr {

struct SavedPattern {
  std::string name;                 // shown where a kind's name would be; letters, digits, - _ . +
  std::string description;          // where it comes from, one line
  Pattern pattern;                  // of kind PatternKind::saved
  std::filesystem::path file = {};  // that it was loaded from
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
