// The three structures that find ray hits, built on the host: a bounding volume hierarchy, a kd-tree, and GrUG over a
// kd-tree [Steffen12, appendix A]. All use the surface area heuristic over bins [Wald07].
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trace/trace_scene.h"

namespace brokkr::trace {

struct Structure {
  StructureKind kind = StructureKind::bvh;
  std::vector<uint32_t> places;  // primitives of leaves
  uint32_t bvh_children = 2;     // per BVH node
  std::vector<BvhNode> bvh;
  std::vector<WideNode> wide;         // replaces `bvh` and `places` if nodes have eight children
  std::vector<TriangleBlock> blocks;  // the leaves of `wide`
  std::vector<KdNode> kd;
  std::vector<GrugGroup> groups;
  std::vector<uint32_t> cells;
  uint32_t grid_bits = 0;
  int depth = 0;                       // depth of the deepest leaf below a root
  std::shared_ptr<HeldMemory> memory;  // its share of a budget
  // Size in bytes as [Steffen12, A.7] counts: nodes and lists; 24 for each group's bounds; the cell table.
  uint64_t tree_bytes() const;
  uint64_t bounds_bytes() const { return kind == StructureKind::grug ? groups.size() * 24 : 0; }
  uint64_t table_bytes() const { return cells.size() * 4; }
  // Size in bytes of all its lists, including their spare capacity.
  uint64_t memory_bytes() const;
};

// `grid`: cells per side of GrUG's grid, a power of two in 4 .. 1024. `children`: per BVH node, 2 or 8. Throws
// std::runtime_error if the scene is too large for the structure, or if `budget` is given and has too little memory for
// building it.
using Budget = std::shared_ptr<MemoryBudget>;
Structure build_structure(const TraceScene& scene, StructureKind kind, uint32_t grid = 128, uint32_t children = 2,
                          const Budget& budget = nullptr);

Structure build_bvh(const TraceScene& scene, uint32_t children, const Budget& budget = nullptr);
// `grid` 0: only a kd-tree.
Structure build_kd(const TraceScene& scene, uint32_t grid, const Budget& budget = nullptr);

}  // namespace brokkr::trace
