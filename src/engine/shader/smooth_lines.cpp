#include "shader/smooth_lines.h"

#include <algorithm>

namespace brokkr::shader {

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
