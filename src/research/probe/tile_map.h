// Which tiles of the window share a processor, and the rule behind it ([FragSniffer, 4, E1], [Kerbl18, Appendix B]).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "brokkr/pattern.h"
#include "probe/subject.h"

namespace brokkr::probe {

struct TileMap {
  int tile_x = 0, tile_y = 0;  // pixels
  int columns = 0, rows = 0;   // of whole tiles that were looked at
  int owners = 0;              // processors that were told apart
  bool shared = true;          // false: no two tiles have the same processor
  double contradicted = 0;     // of pairs that were asked for a second time, the part that said something else
  std::vector<int32_t> owner;  // columns * rows, row by row from the bottom; numbered as they appear
  int at(int i, int j) const { return owner[size_t(j) * size_t(columns) + size_t(i)]; }
};

// The map of a plane that says for each pixel which processor drew it. A tile is what all places at which the processor
// changes are multiples of; -1 is no place of any. Throws std::runtime_error where no pixel is known.
TileMap map_of_units(std::span<const int32_t> unit, int width, int height);

// How pairs of pixels are told apart.
enum class PairTest : uint8_t {
  // Points at two pixels take as long as points at one where the same processor draws both, and half as long where it
  // does not [Kerbl18, Appendix B].
  time,
  // Points at two pixels in turn are written in turn where one processor draws both, one fragment after another. So do
  // drivers of the CPU, whose times say little where other programs run.
  order,
};

// The map by pairs of pixels (map_by_pairs.cpp). `shown` is called with the part that is done, 0 .. 1.
TileMap map_by_pairs(Subject& subject, PairTest test, const std::function<void(double)>& shown);

// Numbers owners as they appear, and counts them.
void renumber(TileMap& map);

// The rule of a map.
struct MapRule {
  int period_x = 0, period_y = 0;  // tiles; 0: it does not repeat within half of what was looked at
  // Where each row (column) is the first one moved on: owner(i, j) = (i + shifts[j]) mod owners.
  bool by_rows = false, by_columns = false;
  std::vector<int> shifts;
  std::vector<std::string> equal;  // known patterns that it equals but for the numbers of the owners
  std::vector<std::string> moved;  // those that it equals when they are moved
};
MapRule rule_of(const TileMap& map);

// "owner(i, j) = (i + N(j)) mod 6, N = {0, 2, 4, 1, 5, 3}", or what stands in its place.
std::string formula(const TileMap& map, const MapRule& rule);

// One period as a pattern, or all that was looked at where there is none.
Pattern pattern_of(const TileMap& map, const MapRule& rule);

}  // namespace brokkr::probe
