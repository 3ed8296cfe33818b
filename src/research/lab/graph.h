// Directed graphs for page rank: SNAP's edge lists, generated power-law graphs, and sequentially computed ranks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/memory_budget.h"

namespace brokkr::lab {

struct Graph {
  std::string name;
  std::vector<uint32_t> first_edge;    // [nodes + 1]
  std::vector<uint32_t> target;        // [edges]; those of node i are first_edge[i] .. first_edge[i + 1] - 1
  std::vector<uint32_t> in_degree;     // [nodes]
  std::shared_ptr<HeldMemory> memory;  // what it takes of a budget

  uint32_t nodes() const { return uint32_t(in_degree.size()); }
  uint32_t edges() const { return uint32_t(target.size()); }
};

inline constexpr uint32_t kMaxGraphNodes = 1u << 27, kMaxGraphEdges = 1u << 30;

// Reads an edge list in the format of https://snap.stanford.edu/data: lines "from to" of two whole numbers; # starts a
// comment; plain or as downloaded (.txt.gz). Numbers may have gaps: nodes are renumbered in order. Duplicate edges are
// kept. Throws std::runtime_error that names file and line, and if `budget`, if there is one, has too little memory.
Graph read_edge_list(const std::filesystem::path& path, const std::shared_ptr<MemoryBudget>& budget = nullptr);

// The same for a text; `name` is for messages.
Graph parse_edge_list(const std::string& text, const std::string& name,
                      const std::shared_ptr<MemoryBudget>& budget = nullptr);

// A graph whose in- and out-degrees follow power laws, like links of the web and of peer-to-peer networks. An edge's
// ends are drawn with weights (i + 1)^-0.5 (out) and (i + 1)^-0.75 (in) over two independent orders of the nodes, so
// that degree d has a share of about d^-3 and d^-2.3. There are no duplicate edges and no loops. The result depends
// only on the arguments. nodes: 2 .. kMaxGraphNodes; edges: at most nodes * 16 and at most a quarter of all possible
// ones. Throws std::invalid_argument, and as read_edge_list for the budget.
Graph make_power_law_graph(uint32_t nodes, uint32_t edges, uint64_t seed,
                           const std::shared_ptr<MemoryBudget>& budget = nullptr);

// Ranks after `iterations` iterations, starting from 1 / nodes: 0.15 / nodes + 0.85 * (sum of predecessors' rank /
// their out-degree). Rank that flows into nodes without successors is lost. Uses the fixed-point numbers of RankPlan.
std::vector<uint64_t> page_rank_fixed(const Graph& graph, uint32_t iterations);

}  // namespace brokkr::lab
