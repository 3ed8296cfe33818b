// The control flow of a shader's one function, in the order in which it becomes instructions under masks: each block
// after those that lead to it but for the jumps back of loops, and what belongs to a loop or to a branch in one piece.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shader/spirv_module.h"

namespace brokkr::shader {

inline constexpr uint32_t kNoLoop = ~uint32_t(0);

struct FlowBlock {
  uint32_t label = 0;
  size_t first = 0, last = 0;  // instructions of SpirvModule::code: after the label; the one that ends the block
  std::vector<uint32_t> next;  // where control goes: places in Flow::blocks, each once
  uint32_t merge = 0;          // label of the block where a branch or loop ends; 0: none
  bool heads_loop = false;
  uint32_t loop = kNoLoop;  // the innermost loop that the block belongs to
};

struct FlowLoop {
  uint32_t parent = kNoLoop;
  uint32_t begin = 0, end = 0;  // its blocks
  uint32_t depth = 0;           // loops around it
};

struct Flow {
  std::vector<FlowBlock> blocks;
  std::vector<FlowLoop> loops;
  std::unordered_map<uint32_t, uint32_t> place;  // of a block, by its label; blocks that nothing leads to have none

  bool is_in(uint32_t block, uint32_t loop) const;
  // The outermost loop that an edge leaves, or kNoLoop.
  uint32_t loop_left(uint32_t from, uint32_t to) const;
};

// Of the function at which the module's entry point is. Throws ShaderError for control flow that is not structured.
Flow flow_of(const SpirvModule& module);

}  // namespace brokkr::shader
