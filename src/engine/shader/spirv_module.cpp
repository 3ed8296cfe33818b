#include "shader/spirv_module.h"

#include <fmt/format.h>

#include <optional>
#include <spirv/unified1/spirv.hpp>
#include <utility>

namespace brokkr::shader {

namespace {

constexpr uint32_t kMaxIds = 1u << 20;

[[noreturn]] void broken(const char* what) {
  throw ShaderError(0, fmt::format("the compiler's result is not a SPIR-V module ({})", what));
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
    for (size_t first_word = kHeader; first_word < m_.words.size();) {
      const uint32_t first = m_.words[first_word], length = first >> 16;
      if (length == 0 || length > m_.words.size() - first_word) broken("an instruction's length");
      add(uint16_t(first & 0xffff), std::span(m_.words).subspan(first_word + 1, length - 1), line);
      first_word += length;
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
      case spv::OpTypeRuntimeArray: type = {TypeClass::runtime_array, one.at(0), 0, 0, {}}; break;
      case spv::OpTypeStruct: type = structure(one); break;
      case spv::OpTypePointer:
        type.kind = TypeClass::pointer;
        type.storage = one.at(0);
        type.element = one.at(1);
        break;
      case spv::OpTypeImage: type = image(one); break;
      case spv::OpTypeSampler: type.kind = TypeClass::sampler; break;
      case spv::OpTypeSampledImage:
        type.kind = TypeClass::sampled_image;
        type.element = one.at(0);
        break;
      case spv::OpTypeFunction: type.kind = TypeClass::function; break;
      default: return;
    }
    const bool is_wide = (one.op == spv::OpTypeFloat || one.op == spv::OpTypeInt) && one.at(0) != 32;
    if (is_wide)
      throw ShaderError(0,
                        "numbers of other than 32 bits are not supported; "
                        "use float, int and uint");
    m_.types[one.result] = std::move(type);
  }

  static SpirvType image(const SpirvInstruction& one) {
    SpirvType type;
    type.kind = TypeClass::image;
    type.element = one.at(0);
    type.dimensions = one.at(1);
    type.compares = one.at(2) == 1;
    type.arrayed = one.at(3) != 0;
    type.multisampled = one.at(4) != 0;
    type.stored = one.at(5) == 2;
    return type;
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
  if (i >= operands.size()) throw ShaderError(line, "the compiler's result is not a SPIR-V module (too few operands)");
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

namespace {

const char* name_of_built_in(uint32_t built_in) {
  switch (built_in) {
    case spv::BuiltInPosition: return "gl_Position";
    case spv::BuiltInPointSize: return "gl_PointSize";
    case spv::BuiltInClipDistance: return "gl_ClipDistance";
    case spv::BuiltInCullDistance: return "gl_CullDistance";
    case spv::BuiltInVertexId: return "gl_VertexID";
    case spv::BuiltInInstanceId: return "gl_InstanceID";
    case spv::BuiltInVertexIndex: return "gl_VertexIndex";
    case spv::BuiltInInstanceIndex: return "gl_InstanceIndex";
    case spv::BuiltInBaseVertex: return "gl_BaseVertex";
    case spv::BuiltInBaseInstance: return "gl_BaseInstance";
    case spv::BuiltInDrawIndex: return "gl_DrawID";
    case spv::BuiltInFragCoord: return "gl_FragCoord";
    case spv::BuiltInFrontFacing: return "gl_FrontFacing";
    case spv::BuiltInPointCoord: return "gl_PointCoord";
    case spv::BuiltInPrimitiveId: return "gl_PrimitiveID";
    case spv::BuiltInFragDepth: return "gl_FragDepth";
    case spv::BuiltInSampleMask: return "gl_SampleMask";
    case spv::BuiltInLayer: return "gl_Layer";
    default: return nullptr;
  }
}

class Namer {
 public:
  explicit Namer(SpirvModule& module) : m_(module) {}

  void run() {
    for (const SpirvInstruction& one : m_.code) {
      if (one.op == spv::OpFunction) break;
      if (one.op != spv::OpVariable) continue;
      const uint32_t storage = one.at(0);
      if (storage == spv::StorageClassInput || storage == spv::StorageClassOutput) {
        name_interface(one);
      } else if (storage == spv::StorageClassUniform || storage == spv::StorageClassUniformConstant ||
                 storage == spv::StorageClassPushConstant || storage == spv::StorageClassStorageBuffer) {
        name_resource(one);
      }
    }
  }

 private:
  std::optional<uint32_t> value(uint32_t id, uint32_t decoration) const {
    const auto found = m_.decorations.find({id, decoration});
    return found == m_.decorations.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<uint32_t> member_value(uint32_t structure, uint32_t member, uint32_t decoration) const {
    const auto found = m_.member_values.find({structure, member, decoration});
    return found == m_.member_values.end() ? std::nullopt : std::optional(found->second);
  }

  static std::string place(uint32_t location, std::optional<uint32_t> component) {
    return component.value_or(0) == 0 ? fmt::format("@{}", location) : fmt::format("@{}.{}", location, *component);
  }

  // The number of locations that a type takes: one for each vector.
  uint32_t locations(uint32_t id) const {
    const SpirvType& type = m_.type(id);
    if (type.kind == TypeClass::matrix) return type.count;
    if (type.kind == TypeClass::array) return type.count * locations(type.element);
    if (type.kind != TypeClass::structure) return 1;
    uint32_t sum = 0;
    for (const uint32_t member : type.members) sum += locations(member);
    return sum;
  }

  void name_interface(const SpirvInstruction& one) {
    const uint32_t id = one.result, pointee = m_.type(one.type).element;
    if (const auto built_in = value(id, spv::DecorationBuiltIn)) {
      if (const char* const name = name_of_built_in(*built_in)) m_.names[id] = name;
      return;
    }
    const SpirvType& type = m_.type(pointee);
    if (type.kind == TypeClass::structure && m_.has(pointee, spv::DecorationBlock)) {
      m_.names[id] = "";
      uint32_t next = value(id, spv::DecorationLocation).value_or(0);
      for (uint32_t i = 0; i < type.members.size(); ++i) {
        if (const auto built_in = member_value(pointee, i, spv::DecorationBuiltIn)) {
          if (const char* const name = name_of_built_in(*built_in)) m_.member_names[{pointee, i}] = name;
          continue;
        }
        next = member_value(pointee, i, spv::DecorationLocation).value_or(next);
        m_.member_names[{pointee, i}] = place(next, member_value(pointee, i, spv::DecorationComponent));
        next += locations(type.members[i]);
      }
      return;
    }
    if (m_.name(id).starts_with("b_")) return;
    const auto location = value(id, spv::DecorationLocation);
    if (location) m_.names[id] = place(*location, value(id, spv::DecorationComponent));
  }

  void name_resource(const SpirvInstruction& one) {
    const uint32_t id = one.result;
    uint32_t pointee = m_.type(one.type).element;
    const TypeClass kind = m_.type(pointee).kind;
    if (kind == TypeClass::array || kind == TypeClass::runtime_array) pointee = m_.type(pointee).element;
    const std::string number = one.at(0) == spv::StorageClassPushConstant
                                   ? "@push"
                                   : fmt::format("@{}.{}", value(id, spv::DecorationDescriptorSet).value_or(0),
                                                 value(id, spv::DecorationBinding).value_or(0));
    const SpirvType& type = m_.type(pointee);
    const bool is_storage = one.at(0) == spv::StorageClassStorageBuffer || m_.has(pointee, spv::DecorationBufferBlock);
    if (type.kind != TypeClass::structure || is_storage) {
      if (m_.name(id).empty()) m_.names[id] = number;
      return;
    }
    bool has_names = true;
    for (uint32_t i = 0; i < type.members.size(); ++i) {
      const auto name = m_.member_names.find({pointee, i});
      has_names = has_names && name != m_.member_names.end() && !name->second.empty();
    }
    if (has_names) {
      m_.loose.insert(id);
    } else {
      m_.numbered[id] = number;
    }
  }

  SpirvModule& m_;
};

}  // namespace

void name_by_numbers(SpirvModule& module) {
  module.is_numbered = true;
  Namer(module).run();
}

SpirvModule read_module(std::vector<uint32_t> words) {
  SpirvModule module;
  module.words = std::move(words);
  Reader(module).read();
  return module;
}

}  // namespace brokkr::shader
