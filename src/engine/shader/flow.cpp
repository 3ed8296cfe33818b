#include "shader/translator.h"

#include <algorithm>
#include <spirv/unified1/spirv.hpp>
#include <unordered_set>
#include <utility>

namespace brokkr::shader {

namespace {

[[noreturn]] void unstructured(uint32_t line) {
  throw ShaderError(line, "the shader's control flow is not structured");
}

struct RawBlock {
  FlowBlock block;
  uint32_t continues = 0;            // label of a loop's continue target
  std::vector<uint32_t> successors;  // labels
};

bool ends_block(uint16_t op) {
  switch (op) {
    case spv::OpBranch:
    case spv::OpBranchConditional:
    case spv::OpSwitch:
    case spv::OpKill:
    case spv::OpTerminateInvocation:
    case spv::OpReturn:
    case spv::OpReturnValue:
    case spv::OpUnreachable: return true;
    default: return false;
  }
}

void add_successors(const SpirvInstruction& end, std::vector<uint32_t>& successors) {
  const auto add = [&](uint32_t label) {
    if (std::find(successors.begin(), successors.end(), label) == successors.end()) successors.push_back(label);
  };
  if (end.op == spv::OpBranch) add(end.at(0));
  if (end.op == spv::OpBranchConditional) {
    add(end.at(1));
    add(end.at(2));
  }
  if (end.op == spv::OpSwitch) {
    add(end.at(1));
    for (size_t i = 3; i < end.operands.size(); i += 2) add(end.operands[i]);
  }
}

// The blocks of the entry point's function by label, and the label of the first block.
struct Function {
  std::unordered_map<uint32_t, RawBlock> blocks;
  uint32_t entry = 0;
};

Function read_function(const SpirvModule& m) {
  const auto point =
      std::find_if(m.code.begin(), m.code.end(), [](const auto& i) { return i.op == spv::OpEntryPoint; });
  if (point == m.code.end()) throw ShaderError(0, "the shader has no function main");
  Function function;
  size_t index = m.definition.contains(point->at(1)) ? m.definition.at(point->at(1)) : m.code.size();
  RawBlock* open = nullptr;
  for (; index < m.code.size() && m.code[index].op != spv::OpFunctionEnd; ++index) {
    const SpirvInstruction& one = m.code[index];
    if (one.op == spv::OpLabel) {
      open = &function.blocks[one.result];
      open->block.label = one.result;
      open->block.first = index + 1;
      if (function.entry == 0) function.entry = one.result;
    } else if (open != nullptr && (one.op == spv::OpLoopMerge || one.op == spv::OpSelectionMerge)) {
      open->block.merge = one.at(0);
      open->block.heads_loop = one.op == spv::OpLoopMerge;
      if (open->block.heads_loop) open->continues = one.at(1);
    } else if (open != nullptr && ends_block(one.op)) {
      open->block.last = index;
      add_successors(one, open->successors);
      open = nullptr;
    }
  }
  if (function.entry == 0 || open != nullptr) unstructured(0);
  return function;
}

// Reverse postorder. It visits a block's merge block first and its continue target next, so that these come last in the
// result.
std::vector<uint32_t> ordered(const Function& function) {
  std::vector<uint32_t> order;
  std::unordered_set<uint32_t> seen{function.entry};
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> stack;
  const auto open = [&](uint32_t label) {
    const auto found = function.blocks.find(label);
    if (found == function.blocks.end()) unstructured(0);
    const RawBlock& raw = found->second;
    std::vector<uint32_t> next = raw.successors;  // taken from the back
    if (raw.continues != 0) next.push_back(raw.continues);
    if (raw.block.merge != 0) next.push_back(raw.block.merge);
    stack.emplace_back(label, std::move(next));
  };
  open(function.entry);
  while (!stack.empty()) {
    auto& [label, next] = stack.back();
    if (next.empty()) {
      order.push_back(label);
      stack.pop_back();
      continue;
    }
    const uint32_t to = next.back();
    next.pop_back();
    if (seen.insert(to).second) open(to);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Finds loops by their heads, outer loops first. A loop consists of the blocks from its head up to its merge block.
void find_loops(Flow& flow) {
  for (uint32_t i = 0; i < flow.blocks.size(); ++i) {
    FlowBlock& block = flow.blocks[i];
    if (!block.heads_loop) continue;
    FlowLoop loop;
    loop.begin = i;
    loop.parent = block.loop;
    loop.end = flow.place.at(block.merge);
    loop.depth = loop.parent == kNoLoop ? 0 : flow.loops[loop.parent].depth + 1;
    const bool fits = loop.end > i && (loop.parent == kNoLoop || loop.end <= flow.loops[loop.parent].end);
    if (!fits) unstructured(0);
    const uint32_t number = uint32_t(flow.loops.size());
    flow.loops.push_back(loop);
    for (uint32_t k = loop.begin; k < loop.end; ++k) flow.blocks[k].loop = number;
  }
}

// Checks that jumps go forward, except from a loop's last block to its head.
void check_jumps(const Flow& flow, const SpirvModule& m) {
  for (uint32_t i = 0; i < flow.blocks.size(); ++i) {
    for (const uint32_t to : flow.blocks[i].next) {
      const FlowBlock& target = flow.blocks[to];
      const bool back = target.heads_loop && flow.is_in(i, target.loop) && i >= to;
      const bool enters = target.loop != kNoLoop && !flow.is_in(i, target.loop) && !target.heads_loop;
      const uint32_t line = m.code[flow.blocks[i].last].line;
      if ((to <= i && !back) || enters) unstructured(line);
      if (back && flow.loops[target.loop].end != i + 1) unstructured(line);
    }
  }
}

}  // namespace

bool Flow::is_in(uint32_t block, uint32_t loop) const {
  return loop == kNoLoop || (block >= loops[loop].begin && block < loops[loop].end);
}

uint32_t Flow::loop_left(uint32_t from, uint32_t to) const {
  uint32_t left = kNoLoop;
  for (uint32_t loop = blocks[from].loop; loop != kNoLoop && !is_in(to, loop); loop = loops[loop].parent) left = loop;
  return left;
}

Flow flow_of(const SpirvModule& m) {
  Function function = read_function(m);
  Flow flow;
  const std::vector<uint32_t> order = ordered(function);
  for (const uint32_t label : order) {
    flow.place[label] = uint32_t(flow.blocks.size());
    flow.blocks.push_back(std::move(function.blocks.at(label).block));
  }
  for (FlowBlock& block : flow.blocks) {
    for (const uint32_t label : function.blocks.at(block.label).successors) block.next.push_back(flow.place.at(label));
  }
  find_loops(flow);
  check_jumps(flow, m);
  return flow;
}

}  // namespace brokkr::shader
