#include "lab/experiment.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "lab/plans.h"

namespace brokkr::lab {
namespace {

using Edges = std::vector<std::pair<uint32_t, uint32_t>>;  // from, to

Graph graph_of(std::string name, size_t nodes, Edges edges, const std::shared_ptr<MemoryBudget>& budget) {
  auto held = std::make_shared<HeldMemory>(budget, (2 * nodes + 1 + edges.size()) * sizeof(uint32_t), "graph");
  Graph graph{std::move(name), std::vector<uint32_t>(nodes + 1), {}, std::vector<uint32_t>(nodes), std::move(held)};
  graph.target.reserve(edges.size());
  std::sort(edges.begin(), edges.end());
  for (const auto& [from, to] : edges) {
    ++graph.first_edge[from + 1];
    ++graph.in_degree[to];
    graph.target.push_back(to);
  }
  std::partial_sum(graph.first_edge.begin(), graph.first_edge.end(), graph.first_edge.begin());
  return graph;
}

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw std::runtime_error(name + ": " + what);
}

// Parses two whole numbers with optional white space around them; returns false for other text.
bool parse_edge(const char* p, const char* end, uint64_t (&ends)[2]) {
  const auto skip = [&] {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
  };
  for (uint64_t& number : ends) {
    skip();
    const auto [after, error] = std::from_chars(p, end, number);
    if (error != std::errc() || (after < end && *after != ' ' && *after != '\t' && *after != '\r')) return false;
    p = after;
  }
  skip();
  return p == end;
}

// A number below n. The engines of <random> give the same numbers in every library; its distributions may not.
uint32_t below(std::mt19937_64& random, uint32_t n) { return uint32_t((random() >> 32) * n >> 32); }

std::vector<uint32_t> shuffled(uint32_t n, std::mt19937_64& random) {
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (uint32_t i = n - 1; i > 0; --i) std::swap(order[i], order[below(random, i + 1)]);
  return order;
}

// Draws i < n with weight (i + 1)^-a, 0 < a < 1, by inverting its integral.
uint32_t draw_ranked(std::mt19937_64& random, uint32_t n, double a) {
  const double u = double(random() >> 11) * 0x1p-53;
  const double x = double(n) * std::pow(u, 1.0 / (1.0 - a));
  return std::min(n - 1, uint32_t(x));
}

}  // namespace

Graph parse_edge_list(const std::string& text, const std::string& name, const std::shared_ptr<MemoryBudget>& budget) {
  std::vector<std::pair<uint64_t, uint64_t>> list;
  GrowingMemory memory(budget, "edges");
  size_t line = 0;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const size_t first = text.find_first_not_of(" \t\r", begin);
    if (first < end && text[first] != '#') {
      uint64_t ends[2];
      if (!parse_edge(text.data() + begin, text.data() + end, ends)) {
        fail(name + ":" + std::to_string(line + 1), "expected two node numbers, as in \"12 345\", or a # comment");
      }
      if (list.size() >= kMaxGraphEdges) fail(name, "more than 2^30 edges");
      memory.make_room(list, 1);
      list.emplace_back(ends[0], ends[1]);
    }
    begin = end + 1;
  }
  if (list.empty()) fail(name, "holds no edges; expected lines of two node numbers");
  std::vector<uint64_t> number;
  memory.make_room(number, list.size() * 2);
  for (const auto& [from, to] : list) number.insert(number.end(), {from, to});
  std::sort(number.begin(), number.end());
  number.erase(std::unique(number.begin(), number.end()), number.end());
  if (number.size() > kMaxGraphNodes) fail(name, "more than 2^27 nodes");
  const auto node_of = [&](uint64_t n) {
    return uint32_t(std::lower_bound(number.begin(), number.end(), n) - number.begin());
  };
  Edges edges;
  memory.make_room(edges, list.size());
  for (const auto& [from, to] : list) edges.emplace_back(node_of(from), node_of(to));
  return graph_of(name, number.size(), std::move(edges), budget);
}

Graph read_edge_list(const std::filesystem::path& path, const std::shared_ptr<MemoryBudget>& budget) {
  const gzFile file = gzopen(path.c_str(), "rb");  // also reads uncompressed files
  if (file == nullptr) fail(path.string(), "cannot be opened; name an edge list, .txt or .txt.gz");
  struct Closer {
    gzFile file;
    ~Closer() {
      if (file != nullptr) gzclose(file);
    }
  } closer{file};
  constexpr unsigned kPiece = 1u << 22;
  std::string text;
  GrowingMemory memory(budget, path.string());
  int got = 0;
  do {
    const size_t done = text.size();
    memory.make_room(text, kPiece);
    text.resize(done + kPiece);
    got = gzread(file, text.data() + done, kPiece);
    text.resize(done + size_t(std::max(got, 0)));
  } while (got > 0);
  if (gzclose(std::exchange(closer.file, nullptr)) != Z_OK || got < 0)
    fail(path.string(), "cannot be read to its end; download it again, or unpack it with gunzip");
  Graph graph = parse_edge_list(text, path.string(), budget);
  graph.name = path.stem().stem().string();
  return graph;
}

Graph make_power_law_graph(uint32_t nodes, uint32_t edges, uint64_t seed, const std::shared_ptr<MemoryBudget>& budget) {
  const uint64_t possible = uint64_t(nodes) * (nodes - 1);
  if (nodes < 2 || nodes > kMaxGraphNodes || edges > kMaxGraphEdges || edges > uint64_t(nodes) * 16 ||
      edges > std::max<uint64_t>(possible / 4, 1)) {
    throw std::invalid_argument(
        "graph: " + std::to_string(nodes) + " nodes with " + std::to_string(edges) +
        " edges: needs 2 .. 2^27 nodes, and edges up to 16 per node and a quarter of all pairs");
  }
  // Sizes of two orders of the nodes, and of an edge in its list and in a set (a number with two pointers, and its
  // bucket).
  constexpr uint64_t kOfNode = 2 * sizeof(uint32_t), kOfEdge = 2 * sizeof(uint32_t) + 32 + 16;
  const HeldMemory on_top(budget, nodes * kOfNode + edges * kOfEdge, "graph");
  std::mt19937_64 random(seed);
  const std::vector<uint32_t> from_order = shuffled(nodes, random), to_order = shuffled(nodes, random);
  std::unordered_set<uint64_t> seen;
  seen.reserve(edges);
  Edges list;
  list.reserve(edges);
  while (list.size() < edges) {
    const uint32_t from = from_order[draw_ranked(random, nodes, 0.5)];
    const uint32_t to = to_order[draw_ranked(random, nodes, 0.75)];
    if (from != to && seen.insert(uint64_t(from) << 32 | to).second) list.emplace_back(from, to);
  }
  return graph_of("power-law-" + std::to_string(nodes), nodes, std::move(list), budget);
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
