// The control flow of a shader's only function, in the order in which it becomes instructions under masks. Each block
// follows its predecessors, except for back edges of loops, and the blocks of a loop or a branch are contiguous.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shader/spirv_module.h"

namespace brokkr::shader {

inline constexpr uint32_t kNoLoop = ~uint32_t(0);

struct FlowBlock {
  uint32_t label = 0;
  size_t first = 0, last = 0;  // instructions in SpirvModule::code: the one after the label, and the terminator
  std::vector<uint32_t> next;  // successors: distinct indices into Flow::blocks
  uint32_t merge = 0;          // label of the block at which a branch or loop ends; 0: none
  bool heads_loop = false;
  uint32_t loop = kNoLoop;  // the innermost loop that the block belongs to
};

struct FlowLoop {
  uint32_t parent = kNoLoop;
  uint32_t begin = 0, end = 0;  // range of its blocks
  uint32_t depth = 0;           // number of enclosing loops
};

struct Flow {
  std::vector<FlowBlock> blocks;
  std::vector<FlowLoop> loops;
  std::unordered_map<uint32_t, uint32_t> place;  // index of a block, by label; unreachable blocks have none

  bool is_in(uint32_t block, uint32_t loop) const;
  // The outermost loop that the edge leaves, or kNoLoop.
  uint32_t loop_left(uint32_t from, uint32_t to) const;
};

// The flow of the entry point's function. Throws ShaderError for control flow that is not structured.
Flow flow_of(const SpirvModule& module);

}  // namespace brokkr::shader
