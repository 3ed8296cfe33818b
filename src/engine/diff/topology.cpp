// Finds the triangles that share an edge.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "brokkr/diff.h"

namespace brokkr {

int64_t DiffMachine::topology(const int32_t* tri, int64_t triangles, int64_t vertices, int32_t* opposite) {
  if (triangles < 0 || triangles > int64_t(1) << 29)
    throw std::invalid_argument("tri: " + std::to_string(triangles) + " triangles; at most 2^29 are possible");
  if (triangles > 0 && (tri == nullptr || opposite == nullptr)) throw std::invalid_argument("tri: is null");
  struct Edge {
    uint64_t ends;  // smaller and larger vertex number
    int64_t place;  // triangle * 3 + its edge
  };
  std::vector<Edge> edges;
  edges.reserve(size_t(triangles) * 3);
  for (int64_t t = 0; t < triangles; ++t) {
    for (int e = 0; e < 3; ++e) {
      const int32_t a = tri[t * 3 + e], b = tri[t * 3 + (e + 1) % 3];
      if (a < 0 || a >= vertices)
        throw std::invalid_argument("tri: index " + std::to_string(a) + " at [" + std::to_string(t) + ", " +
                                    std::to_string(e) + "] is outside of 0 .. " + std::to_string(vertices - 1));
      edges.push_back({uint64_t(uint32_t(std::min(a, b))) << 32 | uint32_t(std::max(a, b)), t * 3 + e});
    }
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.ends != b.ends ? a.ends < b.ends : a.place < b.place; });
  int64_t open = 0;
  for (size_t i = 0; i < edges.size();) {
    size_t end = i + 1;
    while (end < edges.size() && edges[end].ends == edges[i].ends) ++end;
    const auto across = [&](const Edge& other) { return tri[other.place / 3 * 3 + (other.place % 3 + 2) % 3]; };
    if (end - i == 2) {
      opposite[edges[i].place] = across(edges[i + 1]);
      opposite[edges[i + 1].place] = across(edges[i]);
    } else {
      for (size_t k = i; k < end; ++k) opposite[edges[k].place] = -1;
      if (end - i == 1) ++open;
    }
    i = end;
  }
  return open;
}

}  // namespace brokkr
