#include "lab/graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>
#include <unordered_set>

#include "lab/queue_plan.h"

namespace brokkr::lab {
namespace {

// A number below n. Engines of <random> give the same numbers in every library, its distributions need not.
uint32_t below(std::mt19937_64& random, uint32_t n) { return uint32_t((random() >> 32) * n >> 32); }

std::vector<uint32_t> shuffled(uint32_t n, std::mt19937_64& random) {
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (uint32_t i = n - 1; i > 0; --i) std::swap(order[i], order[below(random, i + 1)]);
  return order;
}

// Draws i of n with weight (i + 1)^-a, 0 < a < 1, by its integral.
uint32_t draw_ranked(std::mt19937_64& random, uint32_t n, double a) {
  const double u = double(random() >> 11) * 0x1p-53;
  const double x = double(n) * std::pow(u, 1.0 / (1.0 - a));
  return std::min(n - 1, uint32_t(x));
}

}  // namespace

Graph make_power_law_graph(uint32_t nodes, uint32_t edges, uint64_t seed) {
  const uint64_t possible = uint64_t(nodes) * (nodes - 1);
  if (nodes < 2 || nodes > kMaxGraphNodes || edges > kMaxGraphEdges || edges > uint64_t(nodes) * 16 ||
      edges > std::max<uint64_t>(possible / 4, 1)) {
    throw std::invalid_argument(
        "graph: " + std::to_string(nodes) + " nodes with " + std::to_string(edges) +
        " edges: needs 2 .. 2^27 nodes, and edges up to 16 per node and a quarter of all pairs");
  }
  std::mt19937_64 random(seed);
  const std::vector<uint32_t> from_order = shuffled(nodes, random), to_order = shuffled(nodes, random);
  std::unordered_set<uint64_t> seen;
  seen.reserve(edges);
  std::vector<std::pair<uint32_t, uint32_t>> list;
  while (list.size() < edges) {
    const uint32_t from = from_order[draw_ranked(random, nodes, 0.5)];
    const uint32_t to = to_order[draw_ranked(random, nodes, 0.75)];
    if (from != to && seen.insert(uint64_t(from) << 32 | to).second) list.emplace_back(from, to);
  }
  std::sort(list.begin(), list.end());
  Graph graph;
  graph.name = "power-law-" + std::to_string(nodes);
  graph.first_edge.assign(nodes + 1, 0);
  graph.in_degree.assign(nodes, 0);
  for (const auto& [from, to] : list) {
    ++graph.first_edge[from + 1];
    ++graph.in_degree[to];
    graph.target.push_back(to);
  }
  std::partial_sum(graph.first_edge.begin(), graph.first_edge.end(), graph.first_edge.begin());
  return graph;
}

std::vector<double> page_rank(const Graph& graph, uint32_t iterations) {
  const uint32_t n = graph.nodes();
  const double damping = double(kDampingNumerator) / double(kDampingDenominator);
  std::vector<double> rank(n, 1.0 / n), next(n);
  for (uint32_t k = 0; k < iterations; ++k) {
    std::fill(next.begin(), next.end(), (1.0 - damping) / n);
    for (uint32_t i = 0; i < n; ++i) {
      const uint32_t begin = graph.first_edge[i], end = graph.first_edge[i + 1];
      for (uint32_t e = begin; e < end; ++e) next[graph.target[e]] += damping * rank[i] / (end - begin);
    }
    rank.swap(next);
  }
  return rank;
}

std::vector<uint64_t> page_rank_fixed(const Graph& graph, uint32_t iterations) {
  const uint32_t n = graph.nodes();
  const uint64_t base = kRankOne / n * (kDampingDenominator - kDampingNumerator) / kDampingDenominator;
  std::vector<uint64_t> rank(n, kRankOne / n), next(n);
  for (uint32_t k = 0; k < iterations; ++k) {
    std::fill(next.begin(), next.end(), base);
    for (uint32_t i = 0; i < n; ++i) {
      const uint32_t begin = graph.first_edge[i], end = graph.first_edge[i + 1];
      if (begin == end) continue;
      const uint64_t share = rank[i] * kDampingNumerator / kDampingDenominator / (end - begin);
      for (uint32_t e = begin; e < end; ++e) next[graph.target[e]] += share;
    }
    rank.swap(next);
  }
  return rank;
}

}  // namespace brokkr::lab
