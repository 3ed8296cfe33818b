// Which lanes of a warp execute together: the reconvergence policies.
//
// Each lane's program counter is the truth (ptx::Warp); a policy only selects the lanes that issue in one step. So a
// program's results do not depend on it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ptx/warp.h"
#include "simt/flow.h"

namespace brokkr::simt {

enum class PolicyKind : uint8_t {
  pdom,      // a stack of paths; the top one runs until it meets the others at the post-dominator
  parallel,  // entries of that stack without common lanes run at the same time [Steffen12, Alg. 1]
  ahead,     // like parallel, and lanes that wait at a meeting go on to the next one, loops first [Steffen12, 4.2.1.2]
  spatial,   // lanes in equal groups with a stack each [Steffen12, 4.2.1.3]
  independent,  // each lane alone: the upper bound of what a warp can reach
};
const std::vector<std::string>& policy_names();  // indexed by PolicyKind

// Lanes at the same place.
struct Group {
  uint32_t pc = 0, frame = 0, lanes = 0;
};

class Policy {
 public:
  virtual ~Policy() = default;
  // Selects the next step's groups, at different places, at most as many as there are ways. Empty if no lane is ready.
  virtual void choose(const ptx::Warp& warp, std::vector<Group>& groups) = 0;
  // Call after the lanes of a group have executed the instruction at its pc.
  virtual void moved(const ptx::Warp& warp, const Group& group) = 0;
  // Call after lanes have met at a barrier of the block.
  virtual void met(const ptx::Warp&) {}
};

std::unique_ptr<Policy> make_policy(PolicyKind kind, uint32_t ways, const Flow& flow, uint32_t lanes);

}  // namespace brokkr::simt
