// Multiprocessors that share a rasterizer, told from where they draw [Kerbl18, Appendix B]: NVIDIA's drivers say which
// multiprocessor draws a pixel, and its tiles belong to clusters of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace brokkr::probe {

// The plane of units (-1: not known) with the number of its cluster in place of each: units that draw in the same tile
// are of one cluster. Tiles of 16 x 16 pixels are tried first, which all of NVIDIA's have, then others. Where none
// gives clusters (each unit has tiles of its own, or all draw everywhere), the plane is as it was.
std::vector<int32_t> clusters_of(std::span<const int32_t> unit, int width, int height);

}  // namespace brokkr::probe
