// The map of tiles that share a processor, and the rule behind it ([FragSniffer, 4, E1], [Kerbl18, Appendix B]).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "brokkr/pattern.h"
#include "probe/drawing.h"

namespace brokkr::probe {

struct TileMap {
  int tile_x = 0, tile_y = 0;  // tile size in pixels
  int columns = 0, rows = 0;   // number of whole tiles that were tested
  int owners = 0;              // number of distinct processors
  bool shared = true;          // false: every tile has its own processor
  double contradicted = 0;     // fraction of repeated pairs whose result differed
  std::vector<int32_t> owner;  // columns * rows, row by row from the bottom; numbered in order of appearance
  int at(int i, int j) const { return owner[size_t(j) * size_t(columns) + size_t(i)]; }
};

// The map of a plane with each pixel's processor. The tile size is the greatest common divisor of the positions at
// which the processor changes; -1 is unknown and never a change. Throws std::runtime_error if no pixel is known.
TileMap map_of_units(std::span<const int32_t> unit, int width, int height);

// The test of pairs of pixels.
enum class PairTest : uint8_t {
  // Points at two pixels take as long as points at one pixel if the same processor draws both, and half as long
  // otherwise [Kerbl18, Appendix B].
  time,
  // Points that alternate between two pixels are written in that order if one processor draws both, one fragment after
  // another. CPU drivers do so; their times are unreliable if other programs run.
  order,
};

// The map determined from pairs of pixels. `shown` is called with the completed fraction, 0 .. 1.
TileMap map_by_pairs(Subject& subject, PairTest test, const std::function<void(double)>& shown);

// Numbers owners in order of appearance, and counts them.
void renumber(TileMap& map);

// The rule behind a map.
struct MapRule {
  int period_x = 0, period_y = 0;  // in tiles; 0: no repetition within half of the tested area
  // Each row (column) is the first one, shifted: owner(i, j) = (i + shifts[j]) mod owners.
  bool by_rows = false, by_columns = false;
  std::vector<int> shifts;
  std::vector<std::string> equal;  // known patterns that equal it, except for the numbering of owners
  std::vector<std::string> moved;  // known patterns that equal it after a shift
};
MapRule rule_of(const TileMap& map);

// "owner(i, j) = (i + N(j)) mod 6, N = {0, 2, 4, 1, 5, 3}", or a description if no such rule fits.
std::string formula(const TileMap& map, const MapRule& rule);

// One period as a pattern, or the whole tested area if there is no period.
Pattern pattern_of(const TileMap& map, const MapRule& rule);

// Finds multiprocessors that share a rasterizer from the pixels that they draw [Kerbl18, Appendix B]. NVIDIA's drivers
// report the multiprocessor of each pixel, but tiles belong to clusters of multiprocessors.

// Replaces each unit of the plane (-1: unknown) by the number of its cluster. Units that draw in the same tile belong
// to one cluster. Tries tiles of 16 x 16 pixels first, which all NVIDIA GPUs have, then other sizes. Returns the plane
// unchanged if no size forms clusters (each unit has its own tiles, or all draw everywhere).
std::vector<int32_t> clusters_of(std::span<const int32_t> unit, int width, int height);

}  // namespace brokkr::probe
