// Prints a program as text.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "shader/program.h"

namespace brokkr::shader {

namespace {

std::string constant_text(const Value& value) {
  switch (value.kind) {
    case Kind::number: {
      const float v = std::bit_cast<float>(value.payload);
      if (!std::isfinite(v)) return std::isnan(v) ? "nan" : v < 0 ? "-inf" : "inf";
      const std::string text = fmt::format("{}", v);
      return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    }
    case Kind::whole: return fmt::format("{}", int32_t(value.payload));
    case Kind::natural: return fmt::format("{}u", value.payload);
    case Kind::mask: break;
  }
  return value.payload != 0 ? "true" : "false";
}

std::string word_text(const std::string& name, uint32_t word, uint32_t words) {
  return words == 1 ? name : fmt::format("{}.{}", name, word);
}

// The name of one word of an input or a uniform: "color.2".
template <class Named>
std::string name_of_word(const std::vector<Named>& all, uint32_t word) {
  for (const Named& one : all) {
    if (word >= one.first && word < one.first + one.words) return word_text(one.name, word - one.first, one.words);
  }
  return fmt::format("word {}", word);
}

std::string value_text(const Program& program, Id id) {
  const Value& value = program.value(id);
  switch (value.role) {
    case Role::constant: return constant_text(value);
    case Role::uniform:
      return value.payload == program.height_word ? "height" : name_of_word(program.uniforms, value.payload);
    case Role::input: return name_of_word(program.inputs, value.payload);
    case Role::running: return "running";
    case Role::cell: return fmt::format("{}{}", value.kind == Kind::mask ? "mask_cell" : "cell", id);
    case Role::temporary: break;
  }
  return fmt::format("{}{}", value.kind == Kind::mask ? "%m" : "%", id);
}

std::string extra_text(const Program& program, const Instruction& one) {
  switch (one.op) {
    case Op::output: return " -> " + name_of_word(program.outputs, one.extra);
    case Op::element:
    case Op::set_element: return fmt::format(" of {}", one.extra);
    case Op::detail:
    case Op::texture_size:
    case Op::detail_levels:
    case Op::sample: {
      std::string text = " from " + program.samplers[one.extra & kSamplerMask].name;
      if ((one.extra & kSampleCompare) != 0) text += ", compared";
      if ((one.extra & kSampleFetch) != 0) text += ", one texel";
      if ((one.extra & kSampleGather) != 0) text += fmt::format(", channel {} of four", channel_of_sample(one.extra));
      if (has_offset(one.extra)) {
        text += fmt::format(", moved by {} {} {}", offset_of_sample(one.extra, 0), offset_of_sample(one.extra, 1),
                            offset_of_sample(one.extra, 2));
      }
      return text;
    }
    default: return "";
  }
}

}  // namespace

std::string to_text(const Program& program) {
  std::string text;
  size_t depth = 0;
  uint32_t line = 0;
  for (const Instruction& one : program.code) {
    if ((one.op == Op::end_if || one.op == Op::repeat) && depth > 0) --depth;
    std::string row(2 * depth, ' ');
    for (size_t i = 0; i < one.results; ++i) row += (i == 0 ? "" : " ") + value_text(program, one.result[i]);
    if (one.results > 0) row += " = ";
    row += signature_of(one.op).name;
    for (size_t i = 0; i < one.operands; ++i) row += " " + value_text(program, one.operand[i]);
    row += extra_text(program, one);
    if (one.line != line && one.line != 0) row = fmt::format("{:<72}# line {}", row, one.line);
    line = one.line;
    text += row + "\n";
    if (one.op == Op::begin_if || one.op == Op::begin_loop) ++depth;
  }
  return text;
}

}  // namespace brokkr::shader
