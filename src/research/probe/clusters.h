// Finds multiprocessors that share a rasterizer from where they draw [Kerbl18, Appendix B]: NVIDIA's drivers report
// which multiprocessor draws a pixel, but tiles belong to clusters of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace brokkr::probe {

// Replaces each unit of the plane (-1: unknown) by the number of its cluster: units that draw in the same tile belong
// to one cluster. Tries tiles of 16 x 16 pixels first, which all NVIDIA GPUs have, then others. If none forms clusters
// (each unit has its own tiles, or all draw everywhere), the plane is returned unchanged.
std::vector<int32_t> clusters_of(std::span<const int32_t> unit, int width, int height);

}  // namespace brokkr::probe
