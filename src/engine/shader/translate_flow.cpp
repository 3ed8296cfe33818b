// Translates control flow to masks.
#include <algorithm>
#include <spirv/unified1/spirv.hpp>

#include "shader/translator.h"

namespace brokkr::shader {

namespace {

constexpr size_t kMaxInstructions = size_t(1) << 18;
// A branch costs more than the execution of fewer instructions than this.
constexpr size_t kWorthABranch = 4;

}  // namespace

Program translate(const SpirvModule& module) { return Translator(module).run(); }

Translator::Translator(const SpirvModule& module) : ValueTranslator(module), flow_(flow_of(module)) {
  edges_.resize(flow_.blocks.size());
  block_lanes_.assign(flow_.blocks.size(), kNoValue);
}

Program Translator::run() {
  find_escapes();
  find_exits();
  declare_variables();
  for (uint32_t i = 0; i < flow_.blocks.size(); ++i) {
    translate_block(i);
    end_loops(i);
  }
  lanes_ = program_.running;
  write_outputs();
  return std::move(program_);
}

// Finds values that are used outside the loop that computes them. The loop may continue for other lanes and change
// them.
void Translator::find_escapes() {
  for (uint32_t i = 0; i < flow_.blocks.size(); ++i) {
    for (size_t index = flow_.blocks[i].first; index <= flow_.blocks[i].last; ++index) {
      if (m_.code[index].result != 0) block_of_[m_.code[index].result] = i;
    }
  }
  const auto use = [&](uint32_t id, uint32_t block) {
    const auto made = block_of_.find(id);
    if (made != block_of_.end() && !flow_.is_in(block, flow_.blocks[made->second].loop)) escapes_.insert(id);
  };
  for (uint32_t i = 0; i < flow_.blocks.size(); ++i) {
    for (size_t index = flow_.blocks[i].first; index <= flow_.blocks[i].last; ++index) {
      const SpirvInstruction& one = m_.code[index];
      for (size_t k = 0; k < one.operands.size(); ++k) {
        if (one.op != spv::OpPhi) {
          use(one.operands[k], i);
        } else if (k % 2 == 0 && flow_.place.contains(one.at(k + 1))) {
          use(one.operands[k], flow_.place.at(one.at(k + 1)));
        }
      }
    }
  }
}

void Translator::find_exits() {
  for (uint32_t i = 0; i < flow_.blocks.size(); ++i) {
    for (const uint32_t to : flow_.blocks[i].next) {
      const uint32_t left = flow_.loop_left(i, to);
      if (left != kNoLoop) left_[{to, left}] = kNoValue;
    }
  }
}

Values Translator::value(uint32_t id, uint32_t line) {
  if (escapes_.contains(id) && !flow_.is_in(current_, flow_.blocks[block_of_.at(id)].loop)) {
    const auto kept = escaped_.find(id);
    if (kept != escaped_.end()) return kept->second;
  }
  return ValueTranslator::value(id, line);
}

// Copies values that escape a loop to cells, for the active lanes.
void Translator::keep_escaped(uint32_t id) {
  const auto made = values_.find(id);
  if (made == values_.end() || !escapes_.contains(id)) return;
  Values& cells = escaped_[id];
  for (const Id from : made->second) {
    cells.push_back(b_.make(program_.value(from).kind, Role::cell));
    b_.set(cells.back(), from, lanes_);
  }
}

// Returns true if the block's phis are kept in cells, because its edges arrive at different iterations.
bool Translator::has_cells(uint32_t block) const {
  const auto left = left_.lower_bound({block, 0});
  return flow_.blocks[block].heads_loop || (left != left_.end() && left->first.first == block);
}

const Values& Translator::phi_cells(const SpirvInstruction& phi) {
  Values& cells = phi_cells_[phi.result];
  const uint32_t count = m_.type(phi.type).scalars;
  while (cells.size() < count) cells.push_back(b_.make(kind_of(phi.type), Role::cell));
  return cells;
}

// Assigns the phis of `to` for the edge from `from`. Reads all before it writes any, because they may exchange values.
void Translator::set_phis(uint32_t from, uint32_t to, Id lanes) {
  struct Change {
    Id cell, value;
  };
  std::vector<Change> changes;
  for (size_t index = flow_.blocks[to].first; m_.code[index].op == spv::OpPhi; ++index) {
    const SpirvInstruction& phi = m_.code[index];
    for (size_t k = 0; k + 1 < phi.operands.size(); k += 2) {
      if (phi.operands[k + 1] != flow_.blocks[from].label) continue;
      const Values values = value(phi.operands[k], phi.line);
      const Values& cells = phi_cells(phi);
      if (values.size() != cells.size()) fail(phi, "values of different sizes meet");
      for (size_t c = 0; c < cells.size(); ++c) {
        Id v = values[c];
        if (program_.value(v).role == Role::cell)
          v = emit(program_.value(v).kind == Kind::mask ? Op::mask_move : Op::move, program_.value(v).kind, {v});
        changes.push_back({cells[c], v});
      }
    }
  }
  for (const Change& change : changes) b_.set(change.cell, change.value, lanes);
}

void Translator::edge(uint32_t from, uint32_t to_label, Id lanes) {
  const uint32_t to = flow_.place.at(to_label), left = flow_.loop_left(from, to);
  if (has_cells(to)) set_phis(from, to, lanes);
  if (to <= from) {
    back_[flow_.blocks[to].loop] = lanes;
  } else if (left != kNoLoop) {
    b_.set(left_.at({to, left}), b_.truth(true), lanes);
  } else {
    edges_[to].push_back({flow_.blocks[from].label, lanes});
  }
}

// Returns true if all lanes that enter block `number`, the head of a branch or a loop, reach its merge block: none
// returns, is discarded, or leaves for another block. (Lanes stopped by a loop's iteration limit continue too.)
bool Translator::meets_again(uint32_t number, uint32_t merge) const {
  const FlowBlock& head = flow_.blocks[number];
  const uint32_t around = head.heads_loop ? flow_.loops[head.loop].parent : head.loop;
  if (around != flow_.blocks[merge].loop || flow_.blocks[merge].heads_loop) return false;
  for (uint32_t i = number; i < merge; ++i) {
    const FlowBlock& block = flow_.blocks[i];
    if (block_lanes_[i] == kNoValue) continue;  // unreachable
    if (block.next.empty()) return false;
    for (const uint32_t to : block.next) {
      if (to > merge || to < number || (to == number && !head.heads_loop)) return false;
    }
  }
  return true;
}

Id Translator::lanes_of_block(uint32_t number) {
  if (number == 0) return program_.running;
  for (uint32_t head = number; head-- > 0;) {
    const FlowBlock& block = flow_.blocks[head];
    if (block.merge == flow_.blocks[number].label && block_lanes_[head] != kNoValue && meets_again(head, number))
      return block.heads_loop ? entered_.at(block.loop) : block_lanes_[head];
  }
  Id lanes = kNoValue;
  const auto join = [&](Id more) { lanes = lanes == kNoValue ? more : emit(Op::mask_or, Kind::mask, {lanes, more}); };
  for (const Edge& edge : edges_[number]) join(edge.lanes);
  for (auto left = left_.lower_bound({number, 0}); left != left_.end() && left->first.first == number; ++left) {
    if (left->second != kNoValue) join(left->second);
  }
  return lanes;
}

void Translator::begin_loop(uint32_t number) {
  const uint32_t loop = flow_.blocks[number].loop;
  for (auto& [key, cell] : left_) {
    if (key.second != loop) continue;
    cell = b_.make(Kind::mask, Role::cell);
    b_.set(cell, b_.truth(false), program_.running);
  }
  const Id head = b_.make(Kind::mask, Role::cell);
  b_.set(head, lanes_, program_.running);
  entered_[loop] = lanes_;
  heads_[loop] = lanes_ = block_lanes_[number] = head;
  b_.emit_bare(Op::begin_loop, {head});
}

void Translator::end_loops(uint32_t number) {
  for (size_t loop = flow_.loops.size(); loop-- > 0;) {
    if (flow_.loops[loop].end != number + 1 || !heads_.contains(uint32_t(loop))) continue;
    const auto back = back_.find(uint32_t(loop));
    const Id head = heads_.at(uint32_t(loop));
    b_.set(head, back == back_.end() ? b_.truth(false) : back->second, program_.running);
    b_.emit_bare(Op::repeat, {head});
  }
}

bool Translator::is_worth_a_branch(const FlowBlock& block) const {
  size_t count = 0;
  for (size_t index = block.first; index < block.last; ++index) {
    const uint16_t op = m_.code[index].op;
    if (op >= spv::OpImageSampleImplicitLod && op <= spv::OpImageFetch) return true;
    const SpirvInstruction& one = m_.code[index];
    if (one.type != 0) count += std::max(1u, m_.type(one.type).scalars);
  }
  return count >= kWorthABranch;
}

void Translator::translate_block(uint32_t number) {
  const FlowBlock& block = flow_.blocks[number];
  current_ = number;
  lanes_ = lanes_of_block(number);
  block_lanes_[number] = lanes_;
  if (lanes_ == kNoValue) return;
  if (block.heads_loop) begin_loop(number);
  const bool branches = lanes_ != program_.running && !block.heads_loop && is_worth_a_branch(block);
  if (branches) b_.emit_bare(Op::begin_if, {lanes_});
  translate_body(number);
  if (branches) b_.emit_bare(Op::end_if, {});
  end_block(number);
}

void Translator::translate_body(uint32_t number) {
  const FlowBlock& block = flow_.blocks[number];
  for (size_t index = block.first; index < block.last; ++index) {
    const SpirvInstruction& one = m_.code[index];
    b_.line = one.line;
    if (one.op == spv::OpPhi) {
      translate_phi(one, number);
    } else if (one.op == spv::OpDemoteToHelperInvocation) {
      b_.emit_bare(Op::discard, {lanes_});
    } else if (one.op == spv::OpVariable) {
      declare_local(one);
    } else if (one.op == spv::OpFunctionCall) {
      fail(one, "a function cannot be expanded where it is called; functions must not call themselves");
    } else if (!translate_value(one) && !translate_texture(one)) {
      fail(one, "SPIR-V instruction " + std::to_string(one.op) + " is not supported");
    }
    if (one.result != 0 && !(one.op == spv::OpPhi && block.heads_loop)) keep_escaped(one.result);
    if (program_.code.size() > kMaxInstructions) fail(one, "the shader is too large: more than 262144 instructions");
  }
}

void Translator::translate_phi(const SpirvInstruction& one, uint32_t number) {
  if (has_cells(number)) {
    values_[one.result] = phi_cells(one);
    return;
  }
  Values result;
  for (const Edge& edge : edges_[number]) {
    for (size_t k = 0; k + 1 < one.operands.size(); k += 2) {
      if (one.operands[k + 1] != edge.from) continue;
      const Values more = value(one.operands[k], one.line);
      if (!result.empty() && more.size() != result.size()) fail(one, "values of different sizes meet");
      for (size_t c = 0; c < result.size(); ++c) {
        if (more[c] != result[c]) result[c] = choose(edge.lanes, more[c], result[c]);
      }
      if (result.empty()) result = more;
    }
  }
  values_[one.result] = std::move(result);
}

// Returns true if the block only discards and lies outside loops. Its lanes then continue as helpers of their quads,
// together with the lanes that are not discarded, so masks stay whole.
bool Translator::only_discards(uint32_t label, uint32_t from) const {
  const FlowBlock& block = flow_.blocks[flow_.place.at(label)];
  const uint16_t op = m_.code[block.last].op;
  for (size_t index = block.first; index < block.last; ++index) {
    if (m_.code[index].op != spv::OpLine && m_.code[index].op != spv::OpNoLine) return false;
  }
  return flow_.blocks[from].loop == kNoLoop && (op == spv::OpKill || op == spv::OpTerminateInvocation);
}

void Translator::branch(const SpirvInstruction& one, uint32_t number) {
  const uint32_t yes = one.at(1), no = one.at(2);
  const Id condition = scalar(one, 0), lanes = lanes_;
  if (yes == no) return edge(number, yes, lanes);
  const bool discards_yes = only_discards(yes, number), discards_no = only_discards(no, number);
  const Id where = emit(Op::mask_and, Kind::mask, {lanes, condition});
  const Id elsewhere = emit(Op::mask_without, Kind::mask, {lanes, condition});
  if (discards_yes != discards_no) {
    b_.emit_bare(Op::discard, {discards_yes ? where : elsewhere});
    return edge(number, discards_yes ? no : yes, lanes);
  }
  edge(number, yes, where);
  edge(number, no, elsewhere);
}

void Translator::choose_case(const SpirvInstruction& one, uint32_t number) {
  const Id selector = scalar(one, 0);
  const Kind kind = program_.value(selector).kind;
  Id rest = lanes_;
  std::map<uint32_t, Id> lanes_to;  // by label
  for (size_t i = 2; i + 1 < one.operands.size(); i += 2) {
    const Id hit = emit(Op::int_equal, Kind::mask, {selector, b_.constant(kind, one.operands[i])});
    const Id lanes = emit(Op::mask_and, Kind::mask, {lanes_, hit});
    rest = emit(Op::mask_without, Kind::mask, {rest, hit});
    const auto [found, is_new] = lanes_to.try_emplace(one.operands[i + 1], lanes);
    if (!is_new) found->second = emit(Op::mask_or, Kind::mask, {found->second, lanes});
  }
  const auto [found, is_new] = lanes_to.try_emplace(one.at(1), rest);
  if (!is_new) found->second = emit(Op::mask_or, Kind::mask, {found->second, rest});
  for (const auto& [label, lanes] : lanes_to) edge(number, label, lanes);
}

void Translator::end_block(uint32_t number) {
  const SpirvInstruction& one = m_.code[flow_.blocks[number].last];
  b_.line = one.line;
  switch (one.op) {
    case spv::OpBranch: edge(number, one.at(0), lanes_); break;
    case spv::OpBranchConditional: branch(one, number); break;
    case spv::OpSwitch: choose_case(one, number); break;
    case spv::OpKill:
    case spv::OpTerminateInvocation: b_.emit_bare(Op::discard, {lanes_}); break;
    default: break;  // lanes that return wait for the end of the function
  }
}

}  // namespace brokkr::shader
