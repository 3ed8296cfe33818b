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

// An edge list as https://snap.stanford.edu/data has them: lines "from to" of two whole numbers, # begins a comment;
// plain or as downloaded (.txt.gz). Numbers may have gaps: nodes are numbered anew in their order. An edge that stands
// twice counts twice. Throws std::runtime_error that names file and line, and where `budget`, if there is one, has less
// memory than it takes.
Graph read_edge_list(const std::filesystem::path& path, const std::shared_ptr<MemoryBudget>& budget = nullptr);

// The same for a text; `name` is for messages.
Graph parse_edge_list(const std::string& text, const std::string& name,
                      const std::shared_ptr<MemoryBudget>& budget = nullptr);

// A graph whose in- and out-degrees follow power laws, as links of the web and of peer-to-peer networks do: an edge's
// ends are drawn with weights (i + 1)^-0.5 (out) and (i + 1)^-0.75 (in) over two orders of the nodes that are
// independent of each other, so that degree d has a share of about d^-3 and d^-2.3. Edges differ from each other and
// from loops. The same for the same arguments, everywhere. nodes: 2 .. kMaxGraphNodes; edges: at most nodes * 16 and at
// most a quarter of all that are possible. Throws std::invalid_argument, and as read_edge_list for the budget.
Graph make_power_law_graph(uint32_t nodes, uint32_t edges, uint64_t seed,
                           const std::shared_ptr<MemoryBudget>& budget = nullptr);

// Ranks after `iterations` iterations, starting from 1 / nodes: 0.15 / nodes + 0.85 * (sum of predecessors' rank /
// their out-degree). Rank that flows into nodes without successors is lost. Uses the fixed-point numbers of RankPlan.
std::vector<uint64_t> page_rank_fixed(const Graph& graph, uint32_t iterations);

}  // namespace brokkr::lab
