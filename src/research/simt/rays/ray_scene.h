// The generated scene of the ray programs: a room with a floor and walls, and clusters of small triangles, most of them
// in a few places, like objects in a conference room.
#pragma once

#include <cstdint>
#include <memory>

#include "trace/structure.h"

namespace brokkr::simt {

struct RayScene {
  trace::TraceScene scene;
  trace::Structure tree;                 // a kd-tree
  std::shared_ptr<MemoryBudget> budget;  // that it is counted in, and what runs over it; null: without a limit
};
// The last ones are kept: trees of a million triangles take longer to build than to look at. Throws std::runtime_error
// where `budget`, if there is one, has no memory for it.
std::shared_ptr<const RayScene> ray_scene(uint32_t triangles, const std::shared_ptr<MemoryBudget>& budget = nullptr);

}  // namespace brokkr::simt
