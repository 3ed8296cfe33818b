#include "shader/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <set>
#include <stdexcept>

#include "shader/spirv_module.h"

namespace brokkr::shader {

namespace {

constexpr size_t kNever = ~size_t(0);

// The range of instructions in which a value is live.
struct Span {
  size_t begin = kNever, end = 0;
  void add(size_t index) {
    begin = std::min(begin, index);
    end = std::max(end, index);
  }
};

// Register numbers of one kind. The lowest free number is taken first.
class Registers {
 public:
  uint16_t take() {
    if (!free_.empty()) {
      const uint16_t lowest = *free_.begin();
      free_.erase(free_.begin());
      return lowest;
    }
    return take_row(1);
  }
  // Takes `count` consecutive registers and returns the first.
  uint16_t take_row(uint32_t count) {
    if (used_ + count >= kNoRegister)
      throw ShaderError(0, "the shader is too large: it needs more than 65534 registers");
    used_ += count;
    return uint16_t(used_ - count);
  }
  void give(uint16_t number) { free_.insert(number); }
  uint32_t count() const { return used_; }

 private:
  std::set<uint16_t> free_;
  uint32_t used_ = 0;
};

class Assembler {
 public:
  explicit Assembler(const Program& program)
      : program_(program), spans_(program.values.size()), number_(program.values.size(), kNoRegister) {}

  Code run() {
    order();
    fuse();
    find_loops();
    find_spans();
    take_lasting();
    emit();
    code_.registers = registers_.count();
    code_.masks = masks_.count();
    code_.outputs = program_.output_words;
    code_.uniform_words = program_.uniform_words;
    for (const SamplerInput& sampler : program_.samplers) code_.samplers.push_back(sampler.kind);
    return std::move(code_);
  }

 private:
  // Moves instructions that depend only on uniforms to the front.
  void order() {
    std::vector<bool> is_same(program_.values.size(), false);  // for all lanes of all runs
    std::vector<const Instruction*> body;
    for (Id id = 0; id < program_.values.size(); ++id) {
      const Role role = program_.value(id).role;
      is_same[id] = role == Role::constant || role == Role::uniform;
    }
    for (const Instruction& one : program_.code) {
      const bool depends =
          !std::all_of(one.operand.begin(), one.operand.begin() + one.operands, [&](Id id) { return is_same[id]; });
      const bool can_move = signature_of(one.op).is_function || one.op == Op::uniform_at;
      if (!depends && can_move && program_.value(one.result[0]).role == Role::temporary) {
        is_same[one.result[0]] = true;
        lasting_.insert(one.result[0]);
        order_.push_back(&one);
      } else {
        body.push_back(&one);
      }
    }
    code_.head = uint32_t(order_.size());
    order_.insert(order_.end(), body.begin(), body.end());
  }

  // A sum of a product that nothing else reads becomes one multiply_add, which rounds twice like the two: the
  // interpreter decodes one instruction less. Products of cells stay, because cells change, and so do those outside of
  // the sum's loop.
  void fuse() {
    std::vector<uint32_t> uses(program_.values.size(), 0);
    for (const Instruction* const one : order_)
      for (size_t i = 0; i < one->operands; ++i) ++uses[one->operand[i]];
    std::map<Id, size_t> products;  // places in order_ of the products since the last boundary of a loop
    std::vector<bool> is_fused(order_.size(), false);
    for (size_t index = code_.head; index < order_.size(); ++index) {
      const Instruction& one = *order_[index];
      if (one.op == Op::begin_loop || one.op == Op::repeat) products.clear();
      if (one.op == Op::multiply) {
        const auto is_cell = [&](Id id) { return program_.value(id).role == Role::cell; };
        const bool can_move = program_.value(one.result[0]).role == Role::temporary && uses[one.result[0]] == 1 &&
                              !is_cell(one.operand[0]) && !is_cell(one.operand[1]);
        if (can_move) products[one.result[0]] = index;
      }
      if (one.op != Op::add) continue;
      for (size_t i = 0; i < 2; ++i) {
        const auto product = products.find(one.operand[i]);
        if (product == products.end()) continue;
        const Instruction& factors = *order_[product->second];
        Instruction fused = one;
        fused.op = Op::multiply_add;
        fused.operands = 3;
        fused.operand = {factors.operand[0], factors.operand[1], one.operand[1 - i]};
        is_fused[product->second] = true;
        products.erase(product);
        order_[index] = &fused_.emplace_back(fused);
        break;
      }
    }
    size_t left = 0;
    for (size_t index = 0; index < order_.size(); ++index)
      if (!is_fused[index]) order_[left++] = order_[index];
    order_.resize(left);
  }

  void find_loops() {
    loop_of_.assign(order_.size(), -1);
    int open = -1;
    for (size_t index = 0; index < order_.size(); ++index) {
      if (order_[index]->op == Op::begin_loop) {
        loops_.push_back({index, index, open});
        open = int(loops_.size()) - 1;
      }
      loop_of_[index] = open;
      if (order_[index]->op == Op::repeat && open >= 0) {
        loops_[size_t(open)].end = index;
        open = loops_[size_t(open)].parent;
      }
    }
  }

  // A value that a loop reads without computing it earlier in the same iteration stays live until the loop's end.
  void find_spans() {
    for (size_t index = 0; index < order_.size(); ++index) {
      const Instruction& one = *order_[index];
      for (size_t i = 0; i < one.operands; ++i) touch(one.operand[i], index);
      for (size_t i = 0; i < one.results; ++i) touch(one.result[i], index);
    }
  }
  void touch(Id id, size_t index) {
    Span& span = spans_[id];
    const bool is_cell = program_.value(id).role == Role::cell;
    const size_t made = is_cell ? kNever : span.begin;
    span.add(index);
    for (int loop = loop_of_[index]; loop >= 0; loop = loops_[size_t(loop)].parent) {
      const Loop& around = loops_[size_t(loop)];
      if (!is_cell && made != kNever && made >= around.begin) break;
      if (!is_cell && made == kNever && program_.value(id).role == Role::temporary) break;  // computed inside the loop
      span.end = std::max(span.end, around.end);
      if (is_cell) span.begin = std::min(span.begin, around.begin);
    }
  }

  bool is_mask(Id id) const { return program_.value(id).kind == Kind::mask; }

  // Takes registers for values that exist before a run or survive it.
  void take_lasting() {
    for (const ElementRange& range : program_.arrays) {
      const uint16_t first = registers_.take_row(range.length);
      for (uint32_t i = 0; i < range.length; ++i) number_[range.first + i] = uint16_t(first + i);
      for (uint32_t i = 0; i < range.length; ++i) lasting_.insert(range.first + i);
    }
    code_.inputs.assign(program_.input_words, kNoRegister);
    code_.mask_inputs.assign(program_.input_words, kNoRegister);
    code_.running = number_[program_.running] = masks_.take();
    lasting_.insert(program_.running);
    for (Id id = 0; id < program_.values.size(); ++id) {
      const Value& value = program_.value(id);
      if (spans_[id].begin == kNever || value.role == Role::temporary || value.role == Role::cell ||
          value.role == Role::running)
        continue;
      const uint16_t number = number_[id] = is_mask(id) ? masks_.take() : registers_.take();
      if (value.role == Role::input) {
        (is_mask(id) ? code_.mask_inputs : code_.inputs)[value.payload] = number;
      } else {
        lasting_.insert(id);
        auto& presets = value.role == Role::uniform ? code_.uniforms
                        : is_mask(id)               ? code_.mask_constants
                                                    : code_.constants;
        presets.push_back({number, value.payload});
      }
    }
    for (const Id id : lasting_) {
      if (number_[id] == kNoRegister) number_[id] = is_mask(id) ? masks_.take() : registers_.take();
    }
  }

  // Releases the registers of values that no instruction from `index` on reads.
  void release(size_t index) {
    while (!ends_.empty() && ends_.top().first < index) {
      const Id id = ends_.top().second;
      ends_.pop();
      (is_mask(id) ? masks_ : registers_).give(number_[id]);
    }
  }

  void emit() {
    for (Id id = 0; id < program_.values.size(); ++id) {  // inputs: until their last use
      if (program_.value(id).role == Role::input && number_[id] != kNoRegister) ends_.push({spans_[id].end, id});
    }
    // Cells keep their register from the start of the outermost loop on, because the loop's next iteration must find
    // their value unchanged.
    std::multimap<size_t, Id> cells;
    for (Id id = 0; id < program_.values.size(); ++id) {
      if (program_.value(id).role == Role::cell && spans_[id].begin != kNever) cells.emplace(spans_[id].begin, id);
    }
    std::vector<uint32_t> open;
    for (size_t index = 0; index < order_.size(); ++index) {
      const Instruction& one = *order_[index];
      // An operation that works on each vector separately may overwrite an operand that nothing reads later.
      release(signature_of(one.op).is_function ? index + 1 : index);
      for (auto cell = cells.begin(); cell != cells.end() && cell->first <= index; cell = cells.erase(cell))
        give_number(cell->second);
      CodeInstruction made{};
      made.op = one.op;
      made.extra = one.extra;
      made.known = one.known;
      for (size_t i = 0; i < one.results; ++i) give_number(one.result[i]);
      for (size_t i = 0; i < one.operands; ++i) made.operand[i] = number_[one.operand[i]];
      for (size_t i = 0; i < one.results; ++i) made.result[i] = number_[one.result[i]];
      const uint32_t place = uint32_t(code_.instructions.size());
      if (one.op == Op::begin_if || one.op == Op::begin_loop) {
        const auto loops = std::count_if(open.begin(), open.end(),
                                         [&](uint32_t i) { return code_.instructions[i].op == Op::begin_loop; });
        if (loops >= kMaxLoopDepth) throw ShaderError(one.line, "loops are nested too deeply: at most 32");
        made.depth = uint16_t(loops);
        open.push_back(place);
      } else if (one.op == Op::end_if) {
        code_.instructions[open.back()].extra = place - 1;
        open.pop_back();
        continue;
      } else if (one.op == Op::repeat) {
        made.extra = open.back();
        made.depth = code_.instructions[open.back()].depth;
        code_.instructions[open.back()].extra = place;
        open.pop_back();
      }
      code_.instructions.push_back(made);
    }
  }

  void give_number(Id id) {
    if (number_[id] != kNoRegister) return;
    number_[id] = is_mask(id) ? masks_.take() : registers_.take();
    ends_.push({spans_[id].end, id});
  }
  struct Loop {
    size_t begin, end;
    int parent;
  };
  using End = std::pair<size_t, Id>;

  const Program& program_;
  Code code_;
  std::vector<const Instruction*> order_;
  std::deque<Instruction> fused_;  // instructions of order_ that the program does not have
  std::vector<Loop> loops_;
  std::vector<int> loop_of_;
  std::vector<Span> spans_;
  std::vector<uint16_t> number_;
  std::set<Id> lasting_;
  Registers registers_, masks_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace

bool Code::has_loops() const {
  return std::any_of(instructions.begin(), instructions.end(),
                     [](const CodeInstruction& one) { return one.op == Op::begin_loop; });
}

Code assemble(const Program& program) {
  try {
    verify(program);
    Code code = Assembler(program).run();
    verify(code);
    return code;
  } catch (const std::logic_error& error) {
    throw ShaderError(0, fmt::format("its translation is broken and does not run: {}; this is a bug in Brokkr, please "
                                     "report it as SECURITY.md says",
                                     error.what()));
  }
}

}  // namespace brokkr::shader
