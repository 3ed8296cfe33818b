// Verifies the rules of a program.

#include <fmt/format.h>

#include <stdexcept>

#include "shader/assemble.h"
#include "shader/program.h"

namespace brokkr::shader {
namespace {

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program), made_(program.values.size(), false) {}

  void run() {
    for (at_ = 0; at_ < program_.code.size(); ++at_) {
      const Instruction& one = program_.code[at_];
      hold(one.results <= kMaxResults && one.operands <= kMaxOperands, "it has too many operands");
      for (size_t i = 0; i < one.operands; ++i) check_use(one.operand[i]);
      check_kinds(one);
      check_control(one);
      for (size_t i = 0; i < one.results; ++i) check_result(one.op, one.result[i]);
    }
    hold(open_.empty(), "control is left open at the end");
  }

 private:
  void hold(bool rule, const char* what) const {
    if (rule) return;
    const char* name = at_ < program_.code.size() ? signature_of(program_.code[at_].op).name : "the end";
    throw std::logic_error(fmt::format("shader program: instruction {} ({}): {}", at_, name, what));
  }

  void check_use(Id id) const {
    hold(id < program_.values.size(), "an operand is not a value");
    hold(program_.value(id).role != Role::temporary || made_[id], "a temporary is used before it is made");
  }

  void check_result(Op op, Id id) {
    hold(id < program_.values.size(), "a result is not a value");
    const Role role = program_.value(id).role;
    const bool may_change = op == Op::set || op == Op::mask_set || op == Op::move || op == Op::mask_move;
    hold(role == Role::temporary || (role == Role::cell && may_change), "its result is neither a temporary nor a cell");
    hold(role == Role::cell || !made_[id], "a temporary is made twice");
    made_[id] = true;
  }

  bool fits(Shape shape, Kind kind) const {
    return shape == Shape::word ? kind != Kind::mask : uint8_t(shape) == uint8_t(kind);
  }
  Kind kind_of(Id id) const { return program_.value(id).kind; }

  void check_kinds(const Instruction& one) const {
    const Signature& signature = signature_of(one.op);
    if (one.op == Op::sample) return check_sample(one);
    if (one.op == Op::detail) return check_detail(one);
    if (one.op == Op::set_element) {
      hold(one.operands == 4 && kind_of(one.operand[1]) == Kind::whole && kind_of(one.operand[3]) == Kind::mask,
           "it takes an array, an index, a value and a mask");
      return check_array(one);
    }
    hold(one.operands == signature.operands, "the number of its operands is wrong");
    for (size_t i = 0; i < one.operands; ++i)
      hold(fits(signature.operand[i], kind_of(one.operand[i])), "an operand is of the wrong kind");
    for (size_t i = 0; i < one.results; ++i)
      hold(id_is_there(one.result[i]) && fits(signature.result, kind_of(one.result[i])),
           "its result is of the wrong kind");
    const bool gives = signature.is_function || one.op == Op::change_x || one.op == Op::change_y || one.op == Op::set ||
                       one.op == Op::mask_set || one.op == Op::element || one.op == Op::uniform_at;
    hold(one.results == (gives ? 1 : results_of(one.op)), "the number of its results is wrong");
    if (one.op == Op::element) check_array(one);
    if (one.op == Op::texture_size || one.op == Op::detail_levels) check_sampler(one);
    if (one.op == Op::output) hold(one.extra < program_.output_words, "there is no such output");
    if (one.op == Op::uniform_at) hold(program_.uniform_words > 0, "there are no uniforms");
  }
  bool id_is_there(Id id) const { return id < program_.values.size(); }

  void check_array(const Instruction& one) const {
    for (const ElementRange& range : program_.arrays) {
      if (range.first == one.operand[0] && range.length == one.extra) return;
    }
    hold(false, "there is no such array");
  }

  static size_t results_of(Op op) { return op == Op::texture_size ? 4 : op == Op::detail_levels ? 2 : 0; }

  // The sampler's kind.
  TextureKind check_sampler(const Instruction& one) const {
    const size_t number = one.extra & kSamplerMask;
    hold(number < program_.samplers.size(), "there is no such sampler");
    hold(program_.samplers[number].kind == kind_of_sample(one.extra), "the sampler is of another kind");
    return kind_of_sample(one.extra);
  }
  void check_detail(const Instruction& one) const {
    const TextureKind kind = check_sampler(one);
    hold(one.operands == directions_of(kind) * (is_cube(kind) ? 3 : 2) && one.results == 1,
         "the number of its operands or results is wrong");
    for (size_t i = 0; i < one.operands; ++i)
      hold(kind_of(one.operand[i]) == Kind::number, "an operand is of the wrong kind");
  }
  void check_sample(const Instruction& one) const {
    const bool fetches = (one.extra & kSampleFetch) != 0;
    const size_t compare = (one.extra & kSampleCompare) != 0 ? 1 : 0, level = (one.extra & kSampleGather) != 0 ? 0 : 1;
    const size_t last = size_t(coordinates_of(check_sampler(one))) + compare + level;
    const size_t behind = has_changes(one.extra) ? 4 : gives_offset(one.extra) ? 2 : 0;
    hold(one.operands == last + 1 + behind && one.results == 4, "the number of its operands or results is wrong");
    for (size_t i = 0; i < one.operands; ++i) {
      if (i == last) continue;
      const bool is_whole = fetches || (i > last && gives_offset(one.extra));
      hold(kind_of(one.operand[i]) == (is_whole ? Kind::whole : Kind::number), "an operand is of the wrong kind");
    }
    hold(kind_of(one.operand[last]) == Kind::mask, "its lanes are not a mask");
  }

  void check_control(const Instruction& one) {
    if (one.op == Op::begin_if || one.op == Op::begin_loop) open_.push_back(one.op);
    if (one.op != Op::end_if && one.op != Op::repeat) return;
    hold(!open_.empty() && (open_.back() == Op::begin_if) == (one.op == Op::end_if),
         "it closes control that is not open");
    open_.pop_back();
  }

  const Program& program_;
  std::vector<bool> made_;
  std::vector<Op> open_;
  size_t at_ = 0;
};

}  // namespace

void verify(const Program& program) { Verifier(program).run(); }

// Verifies the rules of machine code.

namespace {

// The index of the mask operand of a sample.
int lanes_of_sample(uint32_t extra) {
  return coordinates_of(kind_of_sample(extra)) + ((extra & kSampleCompare) != 0 ? 1 : 0) +
         ((extra & kSampleGather) != 0 ? 0 : 1);
}

class CodeVerifier {
 public:
  explicit CodeVerifier(const Code& code) : code_(code) {}

  void run() {
    at_ = code_.instructions.size();
    hold(code_.registers < kNoRegister && code_.masks < kNoRegister, "it has too many registers");
    hold(code_.head <= at_, "its head is longer than the code");
    check_presets();
    for (at_ = 0; at_ < code_.instructions.size(); ++at_) check(code_.instructions[at_]);
    hold(open_.empty(), "control is left open at the end");
  }

 private:
  void hold(bool rule, const char* what) const {
    if (rule) return;
    if (at_ >= code_.instructions.size()) throw std::logic_error(fmt::format("shader code: {}", what));
    const Op op = code_.instructions[at_].op;
    throw std::logic_error(fmt::format("shader code: instruction {} ({}): {}", at_,
                                       op <= Op::repeat ? signature_of(op).name : "unknown", what));
  }

  void check_number(uint32_t number, bool is_mask) const {
    hold(number < (is_mask ? code_.masks : code_.registers),
         is_mask ? "there is no such mask register" : "there is no such register");
  }

  void check_presets() const {
    for (const Preset& one : code_.constants) check_number(one.number, false);
    for (const Preset& one : code_.mask_constants) check_number(one.number, true);
    for (const Preset& one : code_.uniforms) {
      check_number(one.number, false);
      hold(one.payload < code_.uniform_words, "there is no such uniform word");
    }
    for (const uint16_t number : code_.inputs) check_number(number == kNoRegister ? 0 : number, false);
    for (const uint16_t number : code_.mask_inputs) check_number(number == kNoRegister ? 0 : number, true);
    check_number(code_.running, true);
  }

  void check(const CodeInstruction& one) {
    hold(one.op <= Op::repeat && one.op != Op::end_if, "there is no such operation");
    hold(at_ >= code_.head || signature_of(one.op).is_function || one.op == Op::uniform_at,
         "it is not a function of uniforms, but it precedes the body");
    if (asks_a_sampler(one.op)) check_sampler(one);
    const auto [results, operands] = counts_of(one);
    hold(results <= kMaxResults && operands <= kMaxOperands, "it has too many operands");
    for (int i = 0; i < results; ++i) check_number(one.result[i], gives_mask(one.op));
    for (int i = 0; i < operands; ++i) check_number(one.operand[i], takes_mask(one, i));
    switch (one.op) {
      case Op::element:
      case Op::set_element:
        hold(one.extra > 0 && one.extra <= code_.registers - one.operand[0], "there is no such array");
        break;
      case Op::uniform_at: hold(code_.uniform_words > 0, "there are no uniforms"); break;
      case Op::output: hold(one.extra < code_.outputs, "there is no such output"); break;
      case Op::begin_if:
      case Op::begin_loop:
      case Op::repeat: check_control(one); break;
      default: break;
    }
    // An if ends after its last instruction. One instruction may be the last of several ifs.
    while (!open_.empty() && ends_if(open_.back())) open_.pop_back();
  }

  void check_sampler(const CodeInstruction& one) const {
    const size_t number = one.extra & kSamplerMask;
    hold(number < code_.samplers.size(), "there is no such sampler");
    hold(code_.samplers[number] == kind_of_sample(one.extra), "the sampler is of another kind");
    if (one.op != Op::sample && one.op != Op::detail) return;
    const bool may_compare = (one.extra & kSampleCompare) == 0 || is_known_plain(one.known);
    const bool is_plain = one.op == Op::detail ||
                          ((one.extra & (kSampleFetch | kSampleGather)) == 0 && !has_offset(one.extra) && may_compare);
    const TextureKind kind = kind_of_sample(one.extra);
    const bool is_rectangle = kind == TextureKind::rectangle;
    const bool is_other = kind == TextureKind::one || kind == TextureKind::three || is_rectangle;
    const bool fits_texels =
        one.op == Op::detail || !is_known_plain(one.known) || counts_texels(one.known) == is_rectangle;
    const bool fits_kind = kind == TextureKind::two
                               ? (one.known & kKnownTwo) != 0
                               : is_other && (one.known & kKnownTwo) == 0 && is_known_plain(one.known);
    hold(one.known == 0 || (fits_kind && fits_texels && is_plain), "the known facts about its texture are impossible");
  }

  struct Open {
    bool is_loop;
    size_t begin, end;
  };
  bool ends_if(const Open& open) const { return !open.is_loop && open.end == at_; }

  void check_control(const CodeInstruction& one) {
    if (one.op == Op::repeat) {
      hold(!open_.empty() && open_.back().is_loop && open_.back().end == at_ && one.extra == open_.back().begin &&
               one.depth == loops_ - 1,
           "it closes control that is not open");
      open_.pop_back();
      --loops_;
      return;
    }
    const bool is_loop = one.op == Op::begin_loop;
    const size_t around = open_.empty() ? code_.instructions.size() - 1 : open_.back().end;
    hold(one.extra >= at_ && one.extra <= around, "its jump target is not allowed");
    if (!is_loop) return open_.push_back({false, at_, one.extra});
    hold(one.depth == loops_ && loops_ < kMaxLoopDepth, "loops are nested too deeply");
    hold(code_.instructions[one.extra].op == Op::repeat, "the loop has no end");
    open_.push_back({true, at_, one.extra});
    ++loops_;
  }

  const Code& code_;
  std::vector<Open> open_;
  uint32_t loops_ = 0;  // number of open loops
  size_t at_ = 0;
};

}  // namespace

bool gives_mask(Op op) {
  return op == Op::mask_set || (signature_of(op).is_function && signature_of(op).result == Shape::mask);
}

bool takes_mask(const CodeInstruction& one, int i) {
  switch (one.op) {
    case Op::change_x:
    case Op::change_y:
    case Op::set: return i == 1;
    case Op::set_element: return i == 3;
    case Op::sample: return i == lanes_of_sample(one.extra);
    case Op::mask_set:
    case Op::discard:
    case Op::begin_if:
    case Op::begin_loop:
    case Op::repeat: return true;
    default: return signature_of(one.op).is_function && signature_of(one.op).operand[size_t(i)] == Shape::mask;
  }
}

OperandCounts counts_of(const CodeInstruction& one) {
  const TextureKind kind = kind_of_sample(one.extra);
  switch (one.op) {
    case Op::change_x:
    case Op::change_y:
    case Op::set:
    case Op::mask_set:
    case Op::element: return {1, 2};
    case Op::set_element: return {0, 4};
    case Op::uniform_at: return {1, 1};
    case Op::detail: return {1, 2 * directions_of(kind) + (is_cube(kind) ? 3 : 0)};
    case Op::sample: {
      const int behind = has_changes(one.extra) ? 4 : gives_offset(one.extra) ? 2 : 0;
      return {4, lanes_of_sample(one.extra) + 1 + behind};
    }
    case Op::texture_size: return {4, 1};
    case Op::detail_levels: return {2, 1};
    case Op::end_if: return {0, 0};
    case Op::discard:
    case Op::output:
    case Op::begin_if:
    case Op::begin_loop:
    case Op::repeat: return {0, 1};
    default: return {1, signature_of(one.op).operands};
  }
}

void verify(const Code& code) { CodeVerifier(code).run(); }

}  // namespace brokkr::shader
