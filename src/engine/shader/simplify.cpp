#include "shader/simplify.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "shader/textures.h"

namespace brokkr::shader {
namespace {

constexpr uint64_t kAllLanes = ~uint64_t(0);

// Evaluates one operation on constants with the interpreter itself.
uint32_t evaluate(const Program& program, const Instruction& one, const ShaderKernel& kernel) {
  constexpr size_t kResult = 3;  // the register after the operands
  const size_t lanes = size_t(kernel.lanes);
  std::vector<uint32_t> registers((kResult + 1) * lanes);
  std::array<uint64_t, kResult + 1> masks{};
  CodeInstruction code{};
  code.op = one.op;
  code.result[0] = kResult;
  for (size_t i = 0; i < one.operands; ++i) {
    const Value& value = program.value(one.operand[i]);
    code.operand[i] = uint16_t(i);
    masks[i] = value.payload != 0 ? kAllLanes : 0;
    std::fill_n(registers.begin() + std::ptrdiff_t(i * lanes), lanes, value.payload);
  }
  ShaderCall call;
  call.code = &code;
  call.end = 1;
  call.registers = registers.data();
  call.masks = masks.data();
  kernel.run(call);
  return program.value(one.result[0]).kind == Kind::mask ? uint32_t(masks[kResult] & 1) : registers[kResult * lanes];
}

class Folder {
 public:
  // `role`: that of the words in `given`, uniform or input.
  Folder(Program& program, const std::map<uint32_t, uint32_t>& given, const ShaderKernel* kernel,
         Role role = Role::uniform)
      : program_(program), builder_(program), kernel_(kernel) {
    for (Id id = 0; id < program.values.size(); ++id) same_.push_back(id);
    for (Id id = 0; id < same_.size(); ++id) {
      const Value value = program.value(id);
      const auto word = given.find(value.payload);
      if (value.role == role && word != given.end()) same_[id] = builder_.constant(value.kind, word->second);
    }
  }

  void run() {
    const std::vector<Instruction> old = std::move(program_.code);
    program_.code.clear();
    for (size_t index = 0; index < old.size(); ++index) {
      Instruction one = old[index];
      for (size_t i = 0; i < one.operands; ++i) {
        if (one.operand[i] < same_.size()) one.operand[i] = same_[one.operand[i]];
        const auto held = held_.find(one.operand[i]);
        if (held != held_.end()) one.operand[i] = held->second;
      }
      if (is_control(one.op)) {
        index = take_control(one, old, index);
      } else if (!known(one)) {
        note_cell(one);
        program_.code.push_back(one);
      }
    }
  }

 private:
  static bool is_control(Op op) {
    return op == Op::begin_if || op == Op::end_if || op == Op::begin_loop || op == Op::repeat;
  }
  bool is_constant(Id id) const { return program_.value(id).role == Role::constant; }
  bool is_false(Id id) const { return is_constant(id) && program_.value(id).payload == 0; }
  bool is_true(Id id) const { return is_constant(id) && program_.value(id).payload != 0; }

  // Records the value that a cell holds in all lanes from here on, or that its value is unknown.
  void note_cell(const Instruction& one) {
    if (one.results != 1 || program_.value(one.result[0]).role != Role::cell) return;
    const bool moves = one.op == Op::move || one.op == Op::mask_move;
    if (moves && kept_.empty() && program_.value(one.operand[0]).role != Role::cell && !is_element(one.result[0])) {
      held_[one.result[0]] = one.operand[0];
    } else {
      held_.erase(one.result[0]);
    }
  }
  bool is_element(Id id) const {
    return std::any_of(program_.arrays.begin(), program_.arrays.end(),
                       [&](const ElementRange& range) { return id >= range.first && id < range.first + range.length; });
  }
  // Later iterations of a loop see the values that earlier ones put into cells.
  void forget_cells_of_loop(const std::vector<Instruction>& old, size_t index) {
    for (size_t depth = 1; depth > 0;) {
      const Instruction& one = old[++index];
      if (one.op == Op::begin_if || one.op == Op::begin_loop) ++depth;
      if (one.op == Op::end_if || one.op == Op::repeat) --depth;
      for (size_t i = 0; i < one.results; ++i) held_.erase(one.result[i]);
    }
  }

  // Returns the place to continue: the end of this control if no lane enters it.
  size_t take_control(const Instruction& one, const std::vector<Instruction>& old, size_t index) {
    if (one.op == Op::begin_if && (is_true(one.operand[0]) || one.operand[0] == program_.running)) {
      kept_.push_back(false);
      return index;
    }
    if (one.op == Op::end_if || one.op == Op::repeat) {
      if (kept_.back()) program_.code.push_back(one);
      kept_.pop_back();
      return index;
    }
    if (is_false(one.operand[0])) return drop_body(old, index);
    kept_.push_back(true);
    program_.code.push_back(one);
    if (one.op == Op::begin_loop) {
      program_.code.back().operand[0] = old[index].operand[0];  // the cell itself
      forget_cells_of_loop(old, index);
    }
    return index;
  }

  // Removes the body of the control at `index`. Returns the index of the instruction that closes it. No lane computes
  // the body's temporaries, so no lane reads them: every use is replaced by the dead value of their kind.
  size_t drop_body(const std::vector<Instruction>& old, size_t index) {
    for (size_t depth = 1; depth > 0;) {
      const Instruction& one = old[++index];
      if (one.op == Op::begin_if || one.op == Op::begin_loop) ++depth;
      if (one.op == Op::end_if || one.op == Op::repeat) --depth;
      for (size_t i = 0; i < one.results; ++i) {
        const Value& value = program_.value(one.result[i]);
        if (value.role == Role::temporary) same_[one.result[i]] = dead_value(value.kind);
      }
    }
    return index;
  }
  // A zero that is not shared with the constants, so that `simpler` recognizes it.
  Id dead_value(Kind kind) {
    Id& id = dead_[size_t(kind)];
    if (id == kNoValue) id = builder_.make(kind, Role::constant, 0);
    return id;
  }
  bool is_dead(Id id) const { return std::find(dead_.begin(), dead_.end(), id) != dead_.end(); }

  // Returns true if the instruction's result equals another value, or if it has no effect.
  bool known(Instruction& one) {
    if (one.op == Op::discard) return is_false(one.operand[0]);
    if (one.op == Op::set || one.op == Op::mask_set) {
      if (is_false(one.operand[1])) return true;
      if (is_true(one.operand[1]) || one.operand[1] == program_.running) {
        one.op = one.op == Op::set ? Op::move : Op::mask_move;
        one.operands = 1;
      }
      return false;
    }
    if (one.results != 1 || program_.value(one.result[0]).role != Role::temporary) return false;
    const Id result = one.result[0];
    Id same = kNoValue;
    if (one.op == Op::change_x || one.op == Op::change_y) {
      // Exclude infinity, because infinity minus infinity is NaN.
      const Value& value = program_.value(one.operand[0]);
      if (value.role == Role::constant && (value.payload & 0x7f800000u) != 0x7f800000u) same = builder_.number(0);
    } else if (signature_of(one.op).is_function) {
      same = simpler(one);
      if (same == kNoValue && kernel_ != nullptr &&
          std::all_of(one.operand.begin(), one.operand.begin() + one.operands, [&](Id id) { return is_constant(id); }))
        same = builder_.constant(program_.value(result).kind, evaluate(program_, one, *kernel_));
    }
    if (same == kNoValue) return false;
    if (program_.value(same).role == Role::cell) {  // take its current value, because later ones may differ
      const bool is_mask = program_.value(same).kind == Kind::mask;
      one.op = is_mask ? Op::mask_move : Op::move;
      one.operands = 1;
      one.operand[0] = same;
      return false;
    }
    same_[result] = same;
    return true;
  }

  // Returns a value that always equals the instruction's result, or kNoValue.
  Id simpler(const Instruction& one) {
    const Id a = one.operand[0], b = one.operand[1], c = one.operand[2];
    switch (one.op) {
      case Op::move:
      case Op::mask_move: return a;
      case Op::mask_and:
        if (is_true(a) || is_false(b) || a == b) return b;
        return is_true(b) || is_false(a) ? a : kNoValue;
      case Op::mask_or:
        if (is_false(a) || is_true(b) || a == b) return b;
        return is_false(b) || is_true(a) ? a : kNoValue;
      case Op::mask_without:
        if (is_false(b) || is_false(a)) return a;
        return is_true(b) ? builder_.truth(false) : kNoValue;
      case Op::select:
      case Op::mask_select:
        if (b == c || is_true(a) || is_dead(c)) return b;
        return is_false(a) || is_dead(b) ? c : kNoValue;
      case Op::multiply:
        if (a == builder_.number(1)) return b;
        return b == builder_.number(1) ? a : kNoValue;
      case Op::divide: return b == builder_.number(1) ? a : kNoValue;
      default: return kNoValue;
    }
  }

  Program& program_;
  Builder builder_;
  const ShaderKernel* kernel_;  // null: nothing is evaluated
  std::vector<Id> same_;        // the replacement of each of the program's original values
  std::vector<bool> kept_;      // for each open control
  std::map<Id, Id> held_;       // by cell: its value in all lanes
  // For each kind, the constant that replaces all temporaries of removed bodies; kNoValue: none yet.
  std::array<Id, 4> dead_{kNoValue, kNoValue, kNoValue, kNoValue};
};

class Sweeper {
 public:
  explicit Sweeper(Program& program) : program_(program), is_live_(program.values.size(), false) {
    for (size_t i = 0; i < program.arrays.size(); ++i) {
      const ElementRange& range = program.arrays[i];
      for (Id id = range.first; id < range.first + range.length; ++id) array_of_[id] = i;
    }
  }

  // Returns true if it removed something.
  bool run() {
    while (mark()) {
    }
    std::vector<Instruction> left;
    for (const Instruction& one : program_.code) {
      if (!is_needed(one)) continue;
      // This is a branch around nothing.
      if (one.op == Op::end_if && !left.empty() && left.back().op == Op::begin_if) {
        left.pop_back();
      } else {
        left.push_back(one);
      }
    }
    const bool shorter = left.size() < program_.code.size();
    program_.code = std::move(left);
    return shorter;
  }

 private:
  bool is_needed(const Instruction& one) const {
    if (one.op == Op::set_element) return is_live_[one.operand[0]];
    if (one.results == 0) return true;
    return std::any_of(one.result.begin(), one.result.begin() + one.results, [&](Id id) { return is_live_[id]; });
  }

  void use(Id id) {
    changed_ = changed_ || !is_live_[id];
    is_live_[id] = true;
    const auto array = array_of_.find(id);
    if (array == array_of_.end() || is_live_[program_.arrays[array->second].first]) return;
    changed_ = true;
    is_live_[program_.arrays[array->second].first] = true;
  }

  // An array's cells live or die together, because an index may select any of them.
  bool mark() {
    changed_ = false;
    for (const ElementRange& range : program_.arrays) {
      if (!is_live_[range.first]) continue;
      for (Id id = range.first; id < range.first + range.length; ++id) use(id);
    }
    for (size_t index = program_.code.size(); index-- > 0;) {
      const Instruction& one = program_.code[index];
      if (!is_needed(one)) continue;
      for (size_t i = 0; i < one.operands; ++i) use(one.operand[i]);
    }
    return changed_;
  }

  Program& program_;
  std::vector<bool> is_live_;
  std::map<Id, size_t> array_of_;
  bool changed_ = false;
};

}  // namespace

void fold(Program& program, const std::map<uint32_t, uint32_t>& given, const ShaderKernel& kernel) {
  Folder(program, given, &kernel).run();
}

void fold_inputs(Program& program, const std::map<uint32_t, uint32_t>& given, const ShaderKernel& kernel) {
  Folder(program, given, &kernel, Role::input).run();
  sweep(program);
}

void fold_masks(Program& program) { Folder(program, {}, nullptr).run(); }

void sweep(Program& program) {
  while (Sweeper(program).run()) {
  }
}

namespace {

constexpr uint32_t kOneAsFloat = 0x3f800000;

// `encoding`: what the bits from kPlainEncoding on say.
uint16_t known_of_plain(const SampledRecord& texture, uint32_t encoding) {
  uint32_t known = kKnownPlain | encoding << kPlainEncoding;
  if (texture.kind == TextureKind::two) known |= kKnownTwo;
  if (texture.kind == TextureKind::rectangle)
    known |= kMipOfRectangle << kPlainMip;
  else if (texture.levels > 1)
    known |= uint32_t(texture.mip) << kPlainMip;
  for (uint32_t axis = 0; axis < 2; ++axis) known |= uint32_t(texture.wrap[axis]) << (kPlainWrap + 3 * axis);
  if (texture.minify_linear) known |= kPlainLinear;
  return uint16_t(known);
}

uint16_t known_of_comparing(const SampledRecord& texture) {
  const bool is_known = is_plain(texture) && texture.compares && texture.encoding == TexelEncoding::r32;
  return is_known ? known_of_plain(texture, uint32_t(texture.compare)) : uint16_t(0);
}

uint16_t known_of(const SampledRecord& texture) {
  if (!texture.usual && !texture.nearest && is_plain(texture))
    return known_of_plain(texture, uint32_t(texture.encoding));  // 3 bits: none of few bits, see has_few_bits
  if (texture.kind != TextureKind::two) return 0;
  if (!texture.usual && !texture.nearest) return kKnownTwo;
  uint32_t known = kKnownTwo | (texture.usual ? kKnownUsual : kKnownNearest);
  if (texture.encoding == TexelEncoding::srgb8) known |= kKnownLight;
  for (uint32_t axis = 0; axis < 2; ++axis)
    known |= uint32_t(texture.wrap[axis] == TextureWrap::repeat) << (kKnownRepeat + axis);
  if (texture.levels > 1) known |= uint32_t(texture.mip) << kKnownMip;
  for (uint32_t c = 0; c < 4; ++c) known |= uint32_t(texture.channel[c] & 3) << (kKnownChannel + 2 * c);
  return uint16_t(known);
}

class LookupFolder {
 public:
  LookupFolder(Program& program, const std::vector<LookupFacts>& facts)
      : program_(program), builder_(program), facts_(facts) {}

  void run() {
    // Constant results become moves, which `fold` removes.
    std::vector<Instruction> old = std::move(program_.code);
    program_.code.clear();
    for (Instruction& one : old) {
      builder_.line = one.line;
      if (one.op == Op::sample) {
        take_sample(one);
      } else if (one.op == Op::detail && (one.extra & kDetailOfQuery) == 0 && !facts_of_lookup(one).has_details) {
        give(one.result[0], 0);
      } else {
        if (one.op == Op::detail && facts_of_lookup(one).is_read)
          one.known = facts_of_lookup(one).known & (kKnownTwo | kKnownPlain);
        program_.code.push_back(one);
      }
    }
  }

 private:
  const LookupFacts& facts_of_lookup(const Instruction& one) const { return facts_[one.extra & kSamplerMask]; }

  void give(Id result, uint32_t bits) {
    const Kind kind = program_.value(result).kind;
    Instruction& made = builder_.emit_bare(Op::move, {builder_.constant(kind, bits)});
    made.results = 1;
    made.result[0] = result;
  }

  void take_sample(Instruction one) {
    const LookupFacts& facts = facts_of_lookup(one);
    const uint32_t unit = type_of_sample(one.extra) == SampledType::real ? kOneAsFloat : 1u;
    if (!facts.is_read) {
      for (size_t i = 0; i < one.results; ++i) give(one.result[i], i == 3 ? unit : 0);
      return;
    }
    const bool gathers = (one.extra & kSampleGather) != 0, fetches = (one.extra & kSampleFetch) != 0;
    const bool compares = (one.extra & kSampleCompare) != 0;
    const TextureKind kind = kind_of_sample(one.extra);
    const size_t level = size_t(coordinates_of(kind)) + (compares ? 1 : 0);
    if (!gathers && !fetches && !facts.has_details) one.operand[level] = builder_.number(0);
    if (has_changes(one.extra) && !facts.is_ellipse)
      std::fill(one.operand.begin() + one.operands - 4, one.operand.begin() + one.operands, builder_.number(0));
    const bool ellipse = facts.is_ellipse && has_changes(one.extra);
    if (gathers || fetches || ellipse || has_offset(one.extra))
      one.known = 0;
    else
      one.known = compares ? facts.comparing : facts.known;
    const std::array<Id, kMaxResults> results = one.result;
    if (!gathers && !compares) {
      // Nothing reads the lookup's own results for these channels.
      for (size_t i = 0; i < one.results; ++i) {
        if (((facts.zeros | facts.ones) >> i & 1) == 0) continue;
        one.result[i] = builder_.make(program_.value(results[i]).kind, Role::temporary);
      }
    }
    program_.code.push_back(one);
    for (size_t i = 0; i < one.results; ++i) {
      if (one.result[i] != results[i]) give(results[i], (facts.ones >> i & 1) != 0 ? unit : 0);
    }
  }

  Program& program_;
  Builder builder_;
  const std::vector<LookupFacts>& facts_;
};

}  // namespace

LookupFacts facts_of(const SamplerInput& sampler, const SampledRecord* texture) {
  LookupFacts facts;
  if (texture == nullptr || !misfit(sampler, *texture).empty()) return facts;
  facts.is_read = true;
  facts.has_details = texture->has_details;
  facts.is_ellipse = texture->anisotropic;
  for (uint32_t c = 0; c < 4; ++c) {
    facts.zeros |= uint8_t(uint32_t(texture->channel[c] == kChannelZero) << c);
    facts.ones |= uint8_t(uint32_t(texture->channel[c] == kChannelOne) << c);
  }
  facts.known = known_of(*texture);
  facts.comparing = known_of_comparing(*texture);
  return facts;
}

void fold_lookups(Program& program, const std::vector<LookupFacts>& facts, const ShaderKernel& kernel) {
  LookupFolder(program, facts).run();
  fold(program, {}, kernel);
  sweep(program);
}

CapturedProgram with_smooth_lines(const CapturedProgram& program) {
  CapturedProgram made = program;
  Program& code = made.program;
  const uint32_t first = code.input_words;
  code.inputs.push_back({.kind = InputKind::line, .name = "line", .first = first, .words = 4});
  code.input_words += 4;
  for (uint32_t i = 0; i < 4; ++i) made.inputs.push_back({.kind = InputKind::line, .component = i});
  const auto is_alpha = [&](const Instruction& one) {
    return one.op == Op::output && std::any_of(made.colors.begin(), made.colors.end(), [&](const ColorOutput& color) {
             return color.words == 4 && color.kind == Kind::number && one.extra == color.first + 3;
           });
  };
  std::vector<Instruction> old = std::move(code.code);
  code.code.clear();
  Builder b(code);
  Id covered = kNoValue;
  for (Instruction& one : old) {
    if (is_alpha(one)) {
      if (covered == kNoValue) {
        const auto along = [&](uint32_t axis) {
          const Id distance = b.make(Kind::number, Role::input, first + 2 * axis);
          const Id reach = b.make(Kind::number, Role::input, first + 2 * axis + 1);
          const Id inside = b.emit(Op::subtract, Kind::number, {reach, b.emit(Op::absolute, Kind::number, {distance})});
          return b.emit(Op::clamp, Kind::number, {inside, b.number(0), b.number(1)});
        };
        const Id across = along(0);
        covered = b.emit(Op::multiply, Kind::number, {across, along(1)});
      }
      one.operand[0] = b.emit(Op::multiply, Kind::number, {one.operand[0], covered});
    }
    code.code.push_back(one);
  }
  make_code(made);
  return made;
}

}  // namespace brokkr::shader
