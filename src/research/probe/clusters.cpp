#include "probe/clusters.h"

#include <algorithm>
#include <map>

namespace brokkr::probe {
namespace {

constexpr int kTileSizes[] = {16, 32, 8, 64, 4};

// Disjoint sets of units, represented by their cluster's first unit.
class UnitSets {
 public:
  int32_t first(int32_t unit) {
    int32_t& to = first_.try_emplace(unit, unit).first->second;
    return to == unit ? unit : to = first(to);
  }
  void join(int32_t a, int32_t b) { first_[first(a)] = first(b); }
  size_t units() const { return first_.size(); }
  size_t clusters() {
    return size_t(
        std::count_if(first_.begin(), first_.end(), [](const auto& each) { return each.first == each.second; }));
  }

 private:
  std::map<int32_t, int32_t> first_;
};

UnitSets sets_of(std::span<const int32_t> unit, int width, int height, int tile) {
  UnitSets sets;
  const int columns = (width + tile - 1) / tile;
  std::vector<int32_t> seen(size_t(columns) * size_t((height + tile - 1) / tile), -1);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int32_t here = unit[size_t(y) * size_t(width) + size_t(x)];
      if (here < 0) continue;
      int32_t& there = seen[size_t(y / tile) * size_t(columns) + size_t(x / tile)];
      if (there < 0) there = here;
      sets.join(here, there);
    }
  }
  return sets;
}

}  // namespace

std::vector<int32_t> clusters_of(std::span<const int32_t> unit, int width, int height) {
  std::vector<int32_t> plane(unit.begin(), unit.end());
  for (const int tile : kTileSizes) {
    UnitSets sets = sets_of(unit, width, height, tile);
    const size_t clusters = sets.clusters();
    if (clusters <= 1 || clusters == sets.units()) continue;
    for (int32_t& each : plane) each = each < 0 ? -1 : sets.first(each);
    break;
  }
  return plane;
}

}  // namespace brokkr::probe
