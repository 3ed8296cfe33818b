// Draws active lanes over time, like [Steffen12, Fig. 2.3].
#pragma once

#include <cstdint>
#include <filesystem>

#include "simt/statistics.h"

namespace brokkr::simt {

// Time runs to the right. Each column shows from the bottom: no warps (white), all warps wait (grey), then the classes
// of lanes from few (red) to all (green).
void write_timeline(const std::filesystem::path& path, const Statistics& s);

}  // namespace brokkr::simt
