#include "shader/program.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace brokkr::shader {

namespace {

// The names of lane types in operations.def.
namespace table {
constexpr Shape Float = Shape::number, Int = Shape::whole, Uint = Shape::natural, Mask = Shape::mask,
                Word = Shape::word;
}  // namespace table

constexpr Signature kSignatures[] = {
#define BROKKR_SHADER_OP1(name, r, a, ...) {#name, true, 1, table::r, {table::a}},
#define BROKKR_SHADER_OP2(name, r, a, b, ...) {#name, true, 2, table::r, {table::a, table::b}},
#define BROKKR_SHADER_OP3(name, r, a, b, c, ...) {#name, true, 3, table::r, {table::a, table::b, table::c}},
#define BROKKR_SHADER_MASK1(name, ...) {#name, true, 1, table::Mask, {table::Mask}},
#define BROKKR_SHADER_MASK2(name, ...) {#name, true, 2, table::Mask, {table::Mask, table::Mask}},
#define BROKKR_SHADER_MASK3(name, ...) {#name, true, 3, table::Mask, {table::Mask, table::Mask, table::Mask}},
#include "shader/operations.def"
    {"reinterpret", true, 1, Shape::word, {Shape::word}},
    {"change_x", false, 2, Shape::number, {Shape::number, Shape::mask}},
    {"change_y", false, 2, Shape::number, {Shape::number, Shape::mask}},
    {"set", false, 2, Shape::word, {Shape::word, Shape::mask}},
    {"mask_set", false, 2, Shape::mask, {Shape::mask, Shape::mask}},
    {"element", false, 2, Shape::word, {Shape::word, Shape::whole}},
    {"set_element", false, 4, Shape::word, {}},
    {"uniform_at", false, 1, Shape::word, {Shape::whole}},
    {"detail", false, 0, Shape::number, {}},
    {"sample", false, 0, Shape::word, {}},
    {"texture_size", false, 1, Shape::whole, {Shape::whole}},
    {"detail_levels", false, 1, Shape::number, {Shape::number}},
    {"discard", false, 1, Shape::mask, {Shape::mask}},
    {"output", false, 1, Shape::word, {Shape::word}},
    {"begin_if", false, 1, Shape::mask, {Shape::mask}},
    {"end_if", false, 0, Shape::mask, {}},
    {"begin_loop", false, 1, Shape::mask, {Shape::mask}},
    {"repeat", false, 1, Shape::mask, {Shape::mask}},
};
static_assert(std::size(kSignatures) == size_t(Op::repeat) + 1);

}  // namespace

const Signature& signature_of(Op op) { return kSignatures[size_t(op)]; }

Builder::Builder(Program& p) : program(p) {
  for (Id id = 0; id < p.values.size(); ++id) {
    if (p.values[id].role == Role::constant) constants_[{p.values[id].kind, p.values[id].payload}] = id;
  }
}

Id Builder::make(Kind kind, Role role, uint32_t payload) {
  program.values.push_back({kind, role, payload});
  return Id(program.values.size() - 1);
}

Id Builder::constant(Kind kind, uint32_t bits) {
  const auto [found, is_new] = constants_.try_emplace({kind, bits}, 0);
  if (is_new) found->second = make(kind, Role::constant, bits);
  return found->second;
}

Id Builder::number(float v) { return constant(Kind::number, std::bit_cast<uint32_t>(v)); }

Instruction& Builder::emit_bare(Op op, std::initializer_list<Id> operands, uint32_t extra) {
  Instruction& made = program.code.emplace_back();
  made.op = op;
  made.operands = uint8_t(operands.size());
  std::copy(operands.begin(), operands.end(), made.operand.begin());
  made.extra = extra;
  made.line = line;
  return made;
}

Id Builder::emit(Op op, Kind kind, std::initializer_list<Id> operands, uint32_t extra) {
  const Id result = make(kind, Role::temporary);
  Instruction& made = emit_bare(op, operands, extra);
  made.results = 1;
  made.result[0] = result;
  return result;
}

void Builder::set(Id cell, Id value, Id lanes) {
  const bool is_mask = program.value(cell).kind == Kind::mask;
  Instruction& made = lanes == program.running ? emit_bare(is_mask ? Op::mask_move : Op::move, {value})
                                               : emit_bare(is_mask ? Op::mask_set : Op::set, {value, lanes});
  made.results = 1;
  made.result[0] = cell;
}

}  // namespace brokkr::shader
