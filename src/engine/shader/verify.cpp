// Verifies the rules of a program.
#include <fmt/format.h>

#include <stdexcept>

#include "shader/program.h"

namespace brokkr::shader {

namespace {

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program), made_(program.values.size(), false) {}

  void run() {
    for (at_ = 0; at_ < program_.code.size(); ++at_) {
      const Instruction& one = program_.code[at_];
      hold(one.results <= kMostResults && one.operands <= kMostOperands, "it has too many operands");
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
    hold(id < program_.values.size(), "an operand is no value");
    hold(program_.value(id).role != Role::temporary || made_[id], "a temporary is used before it is made");
  }

  void check_result(Op op, Id id) {
    hold(id < program_.values.size(), "a result is no value");
    const Role role = program_.value(id).role;
    const bool may_change = op == Op::set || op == Op::mask_set || op == Op::move || op == Op::mask_move;
    hold(role == Role::temporary || (role == Role::cell && may_change), "its result is no temporary and no cell");
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
    hold(kind_of(one.operand[last]) == Kind::mask, "its lanes are no mask");
  }

  void check_control(const Instruction& one) {
    if (one.op == Op::begin_if || one.op == Op::begin_loop) open_.push_back(one.op);
    if (one.op != Op::end_if && one.op != Op::repeat) return;
    hold(!open_.empty() && (open_.back() == Op::begin_if) == (one.op == Op::end_if), "it closes what is not open");
    open_.pop_back();
  }

  const Program& program_;
  std::vector<bool> made_;
  std::vector<Op> open_;
  size_t at_ = 0;
};

}  // namespace

void verify(const Program& program) { Verifier(program).run(); }

}  // namespace brokkr::shader
