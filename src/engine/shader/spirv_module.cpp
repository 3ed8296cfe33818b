#include "shader/spirv_module.h"

#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp>
#include <utility>

namespace brokkr::shader {

namespace {

constexpr uint32_t kMaxIds = 1u << 20;

[[noreturn]] void broken(const char* what) {
  throw ShaderError(0, fmt::format("the compiler's result is no SPIR-V module ({})", what));
}

// A zero-terminated text that starts at operand `first`.
std::string text_of(const SpirvInstruction& one, size_t first) {
  std::string text;
  for (size_t i = first; i < one.operands.size(); ++i) {
    for (int shift = 0; shift < 32; shift += 8) {
      const char letter = char(one.operands[i] >> shift & 0xff);
      if (letter == '\0') return text;
      text += letter;
    }
  }
  return text;
}

class Reader {
 public:
  explicit Reader(SpirvModule& module) : m_(module) {}

  void read() {
    constexpr size_t kHeader = 5;
    if (m_.words.size() < kHeader || m_.words[0] != spv::MagicNumber) broken("no magic number");
    m_.bound = m_.words[3];
    if (m_.bound > kMaxIds) throw ShaderError(0, "the shader is too large: more than a million values");
    uint32_t line = 0;
    for (size_t at = kHeader; at < m_.words.size();) {
      const uint32_t first = m_.words[at], length = first >> 16;
      if (length == 0 || length > m_.words.size() - at) broken("an instruction's length");
      add(uint16_t(first & 0xffff), std::span(m_.words).subspan(at + 1, length - 1), line);
      at += length;
    }
  }

 private:
  void add(uint16_t op, std::span<const uint32_t> operands, uint32_t& line) {
    if (op == spv::OpLine && operands.size() >= 2) line = operands[1];
    if (op == spv::OpNoLine || op == spv::OpFunctionEnd) line = 0;
    bool has_result = false, has_type = false;
    spv::HasResultAndType(spv::Op(op), &has_result, &has_type);
    SpirvInstruction one{op, 0, 0, operands, line};
    if (operands.size() < size_t(has_result) + size_t(has_type)) broken("an instruction without its result");
    if (has_type) one.type = one.operands[0];
    if (has_type) one.operands = one.operands.subspan(1);
    if (has_result) {
      one.result = one.operands[0];
      one.operands = one.operands.subspan(1);
      if (one.result == 0 || one.result >= m_.bound) broken("an id out of bounds");
      if (!m_.definition.emplace(one.result, m_.code.size()).second) broken("an id that is defined twice");
    }
    m_.code.push_back(one);
    note(one);
  }

  void note(const SpirvInstruction& one) {
    switch (one.op) {
      case spv::OpName: m_.names[one.at(0)] = text_of(one, 1); break;
      case spv::OpEntryPoint:
        if (one.at(0) == spv::ExecutionModelVertex) m_.stage = Stage::vertex;
        break;
      case spv::OpExecutionMode: m_.modes.insert(one.at(1)); break;
      case spv::OpMemberName: m_.member_names[{one.at(0), one.at(1)}] = text_of(one, 2); break;
      case spv::OpDecorate:
        m_.decorations[{one.at(0), one.at(1)}] = one.operands.size() > 2 ? one.operands[2] : 1;
        break;
      case spv::OpMemberDecorate:
        m_.member_values[{one.at(0), one.at(1), one.at(2)}] = one.operands.size() > 3 ? one.operands[3] : 1;
        break;
      case spv::OpConstantTrue:
      case spv::OpSpecConstantTrue: m_.constants[one.result] = 1; break;
      case spv::OpConstantFalse:
      case spv::OpSpecConstantFalse: m_.constants[one.result] = 0; break;
      case spv::OpConstant:
      case spv::OpSpecConstant: m_.constants[one.result] = one.at(0); break;
      default: note_type(one); break;
    }
  }

  uint32_t scalars_of(uint32_t type) const { return m_.type(type).scalars; }

  void note_type(const SpirvInstruction& one) {
    SpirvType type;
    switch (one.op) {
      case spv::OpTypeVoid: break;
      case spv::OpTypeBool: type = {TypeClass::boolean, 0, 1, 1, {}}; break;
      case spv::OpTypeFloat: type = {TypeClass::floating, 0, 1, 1, {}}; break;
      case spv::OpTypeInt:
        type = {one.at(1) != 0 ? TypeClass::signed_integer : TypeClass::unsigned_integer, 0, 1, 1, {}};
        break;
      case spv::OpTypeVector: type = group(TypeClass::vector, one.at(0), one.at(1)); break;
      case spv::OpTypeMatrix: type = group(TypeClass::matrix, one.at(0), one.at(1)); break;
      case spv::OpTypeArray: {
        const auto length = m_.constants.find(one.at(1));
        if (length == m_.constants.end()) broken("an array without a length");
        type = group(TypeClass::array, one.at(0), length->second);
        break;
      }
      case spv::OpTypeRuntimeArray:
        throw ShaderError(0, "arrays without a size, as storage buffers have them, are not supported");
      case spv::OpTypeStruct: type = structure(one); break;
      case spv::OpTypePointer:
        type.kind = TypeClass::pointer;
        type.storage = one.at(0);
        type.element = one.at(1);
        break;
      case spv::OpTypeImage:
        type.kind = TypeClass::image;
        type.element = one.at(0);
        type.dimensions = one.at(1);
        type.compares = one.at(2) == 1;
        type.arrayed = one.at(3) != 0;
        type.multisampled = one.at(4) != 0;
        type.stored = one.at(5) == 2;
        break;
      case spv::OpTypeSampledImage:
        type.kind = TypeClass::sampled_image;
        type.element = one.at(0);
        break;
      case spv::OpTypeFunction: type.kind = TypeClass::function; break;
      default: return;
    }
    const bool is_wide = (one.op == spv::OpTypeFloat || one.op == spv::OpTypeInt) && one.at(0) != 32;
    if (is_wide) throw ShaderError(0, "numbers of other than 32 bits are not supported; use float, int and uint");
    m_.types[one.result] = std::move(type);
  }

  SpirvType group(TypeClass kind, uint32_t element, uint32_t count) const {
    const uint64_t scalars = uint64_t(count) * scalars_of(element);
    if (scalars > kMaxScalars)
      throw ShaderError(0, fmt::format("an array has {} numbers; at most {} are possible", scalars, kMaxScalars));
    if (count == 0 || count > kMaxScalars) throw ShaderError(0, "an array has no elements, or too many");
    return {kind, element, count, uint32_t(scalars), {}};
  }

  SpirvType structure(const SpirvInstruction& one) const {
    SpirvType type;
    type.kind = TypeClass::structure;
    type.members.assign(one.operands.begin(), one.operands.end());
    uint64_t scalars = 0;
    for (const uint32_t member : type.members) scalars += scalars_of(member);
    if (scalars > kMaxScalars)
      throw ShaderError(0, fmt::format("a structure has {} numbers; at most {} are possible", scalars, kMaxScalars));
    type.scalars = uint32_t(scalars);
    return type;
  }

  SpirvModule& m_;
};

}  // namespace

uint32_t SpirvInstruction::at(size_t i) const {
  if (i >= operands.size()) throw ShaderError(line, "the compiler's result is no SPIR-V module (too few operands)");
  return operands[i];
}

const SpirvType& SpirvModule::type(uint32_t id) const {
  const auto found = types.find(id);
  if (found == types.end()) broken("an id that is no type");
  return found->second;
}

const SpirvInstruction& SpirvModule::definition_of(uint32_t id) const {
  const auto found = definition.find(id);
  if (found == definition.end()) broken("an id without a definition");
  return code[found->second];
}

std::string SpirvModule::name(uint32_t id) const {
  const auto found = names.find(id);
  return found == names.end() ? "" : found->second;
}

SpirvModule read_module(std::vector<uint32_t> words) {
  SpirvModule module;
  module.words = std::move(words);
  Reader(module).read();
  return module;
}

}  // namespace brokkr::shader
