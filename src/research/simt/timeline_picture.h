// Active lanes over time as a picture, as [Steffen12, Fig. 2.3] shows them.
#pragma once

#include <cstdint>
#include <filesystem>

#include "simt/statistics.h"

namespace brokkr::simt {

// Time runs to the right; each column is divided from below: no warps (white), all warps wait (grey), then the classes
// of lanes from few (red) to all (green).
void write_timeline(const std::filesystem::path& path, const Statistics& s);

}  // namespace brokkr::simt
