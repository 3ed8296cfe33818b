// The shader's interface: inputs, outputs and uniforms, by their OpenGL names.
#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp>
#include <utility>

#include "shader/translator.h"

namespace brokkr::shader {

std::string ValueTranslator::part_name(const std::string& name, uint32_t structure, uint32_t member) const {
  const auto found = m_.member_names.find({structure, member});
  const std::string part = found == m_.member_names.end() ? fmt::format("{}", member) : found->second;
  return name.empty() ? part : name + "." + part;
}

void ValueTranslator::declare_input(const SpirvInstruction& one, Variable& variable) {
  Input input;
  const std::string name = m_.name(one.result);
  const auto location = m_.decorations.find({one.result, spv::DecorationLocation});
  if (location != m_.decorations.end()) input.location = int(location->second);
  input.interpolation = m_.has(one.result, spv::DecorationFlat)            ? Interpolation::flat
                        : m_.has(one.result, spv::DecorationNoPerspective) ? Interpolation::no_perspective
                                                                           : Interpolation::smooth;
  input.centroid = m_.has(one.result, spv::DecorationCentroid);
  input.sample = m_.has(one.result, spv::DecorationSample);
  Values words;
  const auto built_in = m_.decorations.find({one.result, spv::DecorationBuiltIn});
  if (built_in != m_.decorations.end())
    words =
        m_.stage == Stage::vertex ? vertex_input(one, built_in->second) : built_in_input(one, input, built_in->second);
  // A block's members use the block's name, not the variable's.
  const bool is_block = m_.has(variable.type, spv::DecorationBlock);
  if (words.empty()) add_inputs(is_block && !name.empty() ? m_.name(variable.type) : name, variable.type, input, words);
  if (input.kind == InputKind::position) lay_out_position(words);
  if (variable.is_indexed) {
    declare_cells(variable, words);
  } else {
    variable.values = std::move(words);
  }
}

// Returns the kind of a built-in input, or its values if all samples share them. A target has one layer.
Values ValueTranslator::built_in_input(const SpirvInstruction& one, Input& input, uint32_t built_in) {
  switch (built_in) {
    case spv::BuiltInFragCoord: input.kind = InputKind::position; return {};
    case spv::BuiltInFrontFacing: input.kind = InputKind::front_facing; return {};
    case spv::BuiltInPointCoord: input.kind = InputKind::point; return {};
    case spv::BuiltInPrimitiveId: input.kind = InputKind::primitive; return {};
    case spv::BuiltInClipDistance: return {};  // a varying
    case spv::BuiltInSampleId: return sample_words(SampleWord::number, Kind::whole);
    case spv::BuiltInSamplePosition: return sample_words(SampleWord::position_x, Kind::number, 2);
    case spv::BuiltInSampleMask: return sample_words(SampleWord::mask, Kind::whole);
    case spv::BuiltInLayer:
    case spv::BuiltInViewportIndex: return {b_.whole(0)};
    case spv::BuiltInHelperInvocation: return {b_.truth(false)};  // nothing observes a helper's results
    default: fail(one, fmt::format("'{}' is not supported as an input", m_.name(one.result)));
  }
}

// Returns `count` words of InputKind::sample from `first` on.
Values ValueTranslator::sample_words(SampleWord first, Kind kind, uint32_t count) {
  Values& words = sample_words_[first];
  if (!words.empty()) return words;
  constexpr const char* kNames[] = {"gl_SampleID",     "gl_SamplePosition", "gl_SamplePosition",
                                    "gl_SampleMaskIn", "gl_NumSamples",     "(centroid)",
                                    "(centroid)",      "(sample places)",   "(sample places)"};
  program_.inputs.push_back({.kind = InputKind::sample,
                             .interpolation = Interpolation::flat,
                             .sample_word = first,
                             .name = kNames[size_t(first)],
                             .first = program_.input_words,
                             .words = count});
  for (uint32_t i = 0; i < count; ++i) words.push_back(b_.make(kind, Role::input, program_.input_words++));
  return words;
}

// Values that vary by vertex or instance are inputs with their names.
Values ValueTranslator::vertex_input(const SpirvInstruction& one, uint32_t built_in) {
  switch (built_in) {
    case spv::BuiltInVertexId:
    case spv::BuiltInVertexIndex:
    case spv::BuiltInInstanceId:
    case spv::BuiltInInstanceIndex:
    case spv::BuiltInBaseVertex:
    case spv::BuiltInBaseInstance:
    case spv::BuiltInDrawIndex: return {};
    case spv::BuiltInViewIndex: return {b_.whole(0)};
    default: fail(one, fmt::format("'{}' is not supported as an input", m_.name(one.result)));
  }
}

// Adapts gl_FragCoord to the shader's layout: origin at the upper left corner, or integer pixel centres.
void ValueTranslator::lay_out_position(Values& words) {
  if (m_.modes.contains(spv::ExecutionModeOriginUpperLeft)) {
    if (program_.height_word == kNoWord) program_.height_word = program_.uniform_words++;
    const Id height = b_.make(Kind::number, Role::uniform, program_.height_word);
    words[1] = b_.emit(Op::subtract, Kind::number, {height, words[1]});
  }
  if (!m_.modes.contains(spv::ExecutionModePixelCenterInteger)) return;
  for (const size_t axis : {0, 1}) words[axis] = b_.emit(Op::subtract, Kind::number, {words[axis], b_.number(0.5f)});
}

// Adds the inputs of a part of a variable, and their words.
void ValueTranslator::add_inputs(const std::string& name, uint32_t id, Input as, Values& words) {
  const SpirvType& type = m_.type(id);
  if (type.kind == TypeClass::structure) {
    for (uint32_t i = 0; i < type.members.size(); ++i) {
      Input member = as;
      if (m_.member_has(id, i, spv::DecorationFlat)) member.interpolation = Interpolation::flat;
      if (m_.member_has(id, i, spv::DecorationNoPerspective)) member.interpolation = Interpolation::no_perspective;
      if (m_.member_has(id, i, spv::DecorationCentroid)) member.centroid = true;
      if (m_.member_has(id, i, spv::DecorationSample)) member.sample = true;
      add_inputs(part_name(name, id, i), type.members[i], member, words);
    }
    return;
  }
  const TypeClass element = type.kind == TypeClass::array ? m_.type(type.element).kind : TypeClass::nothing;
  if (element == TypeClass::structure || element == TypeClass::array) {
    for (uint32_t i = 0; i < type.count; ++i) add_inputs(fmt::format("{}[{}]", name, i), type.element, as, words);
    return;
  }
  std::vector<Kind> kinds;
  append_kinds(id, kinds);
  if (std::any_of(kinds.begin(), kinds.end(), [](Kind kind) { return kind != Kind::number; }))
    as.interpolation = Interpolation::flat;
  as.name = name;
  as.first = program_.input_words;
  as.words = uint32_t(kinds.size());
  for (const Kind kind : kinds) words.push_back(b_.make(kind, Role::input, program_.input_words++));
  program_.inputs.push_back(as);
}

void ValueTranslator::declare_output(const SpirvInstruction& one, Variable& variable) {
  const auto built_in = m_.decorations.find({one.result, spv::DecorationBuiltIn});
  const auto is_known = [&](uint32_t which) {
    if (m_.stage == Stage::vertex) return which <= spv::BuiltInCullDistance && which != 2;
    return which == spv::BuiltInFragDepth || which == spv::BuiltInSampleMask;
  };
  if (built_in != m_.decorations.end() && !is_known(built_in->second))
    fail(one, fmt::format("'{}' is not supported as an output", m_.name(one.result)));
  declare_cells(variable, {});
  variable.is_written.assign(variable.values.size(), false);
}

// Elements of an array that are never written are omitted.
void ValueTranslator::write_output(const SpirvInstruction& one, const Variable& variable) {
  const SpirvType& type = m_.type(variable.type);
  const bool is_array = type.kind == TypeClass::array;
  const uint32_t count = is_array ? type.count : 1, words = type.scalars / count;
  Output output;
  const auto find = [&](uint32_t decoration, int otherwise) {
    const auto found = m_.decorations.find({one.result, decoration});
    return found == m_.decorations.end() ? otherwise : int(found->second);
  };
  const int built_in = find(spv::DecorationBuiltIn, -1);
  output.location = built_in == spv::BuiltInSampleMask ? kSampleMaskLocation
                    : built_in >= 0                    ? kDepthLocation
                                                       : find(spv::DecorationLocation, next_location_);
  output.index = find(spv::DecorationIndex, 0);
  if (output.location == next_location_) next_location_ += int(count);
  const std::string name = m_.name(one.result);
  for (uint32_t element = 0; element < count; ++element) {
    const auto written = variable.is_written.begin() + std::ptrdiff_t(size_t(element) * words);
    const bool is_left_out = is_array && std::none_of(written, written + words, [](bool is) { return is; });
    if (!is_left_out) {
      output.name = is_array ? fmt::format("{}[{}]", name, element) : name;
      output.first = program_.output_words;
      output.words = words;
      program_.output_words += words;
      program_.outputs.push_back(output);
      for (uint32_t i = 0; i < words; ++i)
        b_.emit_bare(Op::output, {variable.values[size_t(element) * words + i]}, output.first + i);
    }
    if (output.location >= 0) ++output.location;
  }
}

// Adds the outputs of a part of a variable, divided in the same way as in add_inputs. Omits parts that are never
// written. `next`: the part's first scalar.
void ValueTranslator::write_vertex_output(const std::string& name, uint32_t id, int location, const Variable& variable,
                                          uint32_t& next) {
  const SpirvType& type = m_.type(id);
  if (type.kind == TypeClass::structure) {
    for (uint32_t i = 0; i < type.members.size(); ++i) {
      const auto own = m_.member_values.find({id, i, uint32_t(spv::DecorationLocation)});
      write_vertex_output(part_name(name, id, i), type.members[i],
                          own == m_.member_values.end() ? location : int(own->second), variable, next);
    }
    return;
  }
  const TypeClass element = type.kind == TypeClass::array ? m_.type(type.element).kind : TypeClass::nothing;
  if (element == TypeClass::structure || element == TypeClass::array) {
    for (uint32_t i = 0; i < type.count; ++i)
      write_vertex_output(fmt::format("{}[{}]", name, i), type.element, location, variable, next);
    return;
  }
  const uint32_t first = std::exchange(next, next + type.scalars);
  const auto written = variable.is_written.begin() + std::ptrdiff_t(first);
  if (std::none_of(written, written + std::ptrdiff_t(type.scalars), [](bool is) { return is; })) return;
  program_.outputs.push_back(
      {.name = name, .location = location, .first = program_.output_words, .words = type.scalars});
  for (uint32_t i = 0; i < type.scalars; ++i)
    b_.emit_bare(Op::output, {variable.values[first + i]}, program_.output_words++);
}

void ValueTranslator::write_outputs() {
  for (const SpirvInstruction& one : m_.code) {
    if (one.op == spv::OpFunction) break;
    if (one.op != spv::OpVariable || one.at(0) != spv::StorageClassOutput) continue;
    const Variable& variable = variables_.at(one.result);
    if (m_.stage == Stage::vertex) {
      const auto location = m_.decorations.find({one.result, spv::DecorationLocation});
      const std::string name = m_.name(one.result);
      const bool is_block = m_.has(variable.type, spv::DecorationBlock);
      uint32_t next = 0;
      write_vertex_output(is_block && !name.empty() ? m_.name(variable.type) : name, variable.type,
                          location == m_.decorations.end() ? -1 : int(location->second), variable, next);
    } else {
      write_output(one, variable);
    }
  }
}

// Members of a block use the block's name as a prefix if the block has an instance name; otherwise they use their own
// name.
void ValueTranslator::declare_uniforms(const SpirvInstruction& one, Variable& variable) {
  const std::string name = m_.name(one.result);
  const SpirvType& type = m_.type(variable.type);
  const bool is_array = type.kind == TypeClass::array;
  const uint32_t element = is_array ? type.element : variable.type;
  if (name == "gl_NumSamples") {
    variable.values = m_.stage == Stage::fragment ? sample_words(SampleWord::count, Kind::whole) : Values{b_.whole(1)};
    return;
  }
  variable.is_uniform = true;
  variable.first_word = program_.uniform_words;
  variable.sampler = uint32_t(program_.samplers.size());
  const auto numbered = m_.numbered.find(one.result);
  if (m_.loose.contains(one.result) || numbered != m_.numbered.end()) {
    declare_numbered(one, numbered == m_.numbered.end() ? "" : numbered->second, variable);
    return;
  }
  if (!m_.has(element, spv::DecorationBlock)) {
    const size_t first = program_.uniforms.size();
    add_uniforms(name, "", variable.type, variable.values);
    if (one.operands.size() > 1) initialize(one, first);
    return;
  }
  const std::string block = m_.name(element);
  const uint32_t count = is_array ? type.count : 1;
  for (uint32_t i = 0; i < count; ++i)
    add_uniforms(name.empty() ? "" : block, is_array ? fmt::format("{}[{}]", block, i) : block, element,
                 variable.values);
}

// Declares a block of an application's module (name_by_numbers). `name`: the block's name; empty: its members are
// individual uniforms.
void ValueTranslator::declare_numbered(const SpirvInstruction& one, const std::string& name, Variable& variable) {
  const SpirvType& type = m_.type(variable.type);
  const bool is_array = type.kind == TypeClass::array;
  const uint32_t element = is_array ? type.element : variable.type;
  const SpirvType& block = m_.type(element);
  if (is_array && name.empty() && type.count > 1)
    fail(one, fmt::format("'{}': an array of blocks needs numbers; strip its names", m_.name(one.result)));
  for (uint32_t i = 0; i < (is_array ? type.count : 1); ++i) {
    const std::string block_name = is_array && !name.empty() ? fmt::format("{}[{}]", name, i) : name;
    for (uint32_t member = 0; member < block.members.size(); ++member) {
      const BlockLayout layout = member_layout({.is_known = true}, element, member);
      add_uniforms(name.empty() ? part_name("", element, member) : fmt::format("{}+{}", name, layout.offset),
                   block_name, block.members[member], variable.values, layout);
    }
  }
}

// Sets the initial values of a variable whose parts are the uniforms from `first` on.
void ValueTranslator::initialize(const SpirvInstruction& one, size_t first) {
  const Values values = operand(one, 1);
  size_t next = 0;
  for (size_t i = first; i < program_.uniforms.size(); ++i) {
    Uniform& uniform = program_.uniforms[i];
    for (uint32_t word = 0; word < uniform.words && next < values.size(); ++word)
      uniform.initial.push_back(program_.value(values[next++]).payload);
  }
}

BlockLayout ValueTranslator::member_layout(const BlockLayout& parent, uint32_t structure, uint32_t member) const {
  const auto value = [&](uint32_t decoration) {
    const auto found = m_.member_values.find({structure, member, decoration});
    return found == m_.member_values.end() ? 0 : found->second;
  };
  return {.is_known = parent.is_known,
          .offset = parent.offset + value(spv::DecorationOffset),
          .matrix_stride = value(spv::DecorationMatrixStride),
          .by_rows = m_.member_has(structure, member, spv::DecorationRowMajor)};
}

BlockLayout ValueTranslator::element_layout(const BlockLayout& parent, uint32_t array, uint32_t number) const {
  const auto stride = m_.decorations.find({array, uint32_t(spv::DecorationArrayStride)});
  BlockLayout layout = parent;
  if (stride != m_.decorations.end()) layout.offset += uint64_t(stride->second) * number;
  return layout;
}

// Appends the word of the block for each scalar of a type. Words beyond the largest block have the number kNoWord.
void ValueTranslator::append_places(uint32_t id, const BlockLayout& layout, std::vector<uint32_t>& places) const {
  const SpirvType& type = m_.type(id);
  if (type.kind == TypeClass::structure) {
    for (uint32_t i = 0; i < type.members.size(); ++i)
      append_places(type.members[i], member_layout(layout, id, i), places);
    return;
  }
  if (type.kind == TypeClass::array) {
    for (uint32_t i = 0; i < type.count; ++i) append_places(type.element, element_layout(layout, id, i), places);
    return;
  }
  const bool is_matrix = type.kind == TypeClass::matrix;
  const uint32_t rows = is_matrix ? m_.type(type.element).count : type.scalars;
  for (uint32_t i = 0; i < type.scalars; ++i) {
    const uint64_t column = i / rows, row = i % rows;
    const uint64_t line = layout.by_rows ? row : column, number = layout.by_rows ? column : row;
    const uint64_t word =
        (layout.offset + (is_matrix ? line * layout.matrix_stride : 0)) / 4 + (is_matrix ? number : row);
    places.push_back(word < kNoWord ? uint32_t(word) : kNoWord);
  }
}

// Adds the words of a uniform, in the order of its type's parts. A bool is true if its word is not 0.
void ValueTranslator::add_uniforms(const std::string& name, const std::string& block, uint32_t id, Values& values,
                                   const BlockLayout& layout) {
  const SpirvType& type = m_.type(id);
  if (type.kind == TypeClass::structure) {
    for (uint32_t i = 0; i < type.members.size(); ++i)
      add_uniforms(part_name(name, id, i), block, type.members[i], values, member_layout(layout, id, i));
    return;
  }
  const TypeClass element = type.kind == TypeClass::array ? m_.type(type.element).kind : TypeClass::nothing;
  if (element == TypeClass::structure || element == TypeClass::array) {
    for (uint32_t i = 0; i < type.count; ++i)
      add_uniforms(fmt::format("{}[{}]", name, i), block, type.element, values, element_layout(layout, id, i));
    return;
  }
  if (type.scalars == 0) return add_samplers(name, id, 0);
  const Kind kind = kind_of(id), word_kind = kind == Kind::mask ? Kind::natural : kind;
  program_.uniforms.push_back({name, block, word_kind, program_.uniform_words, type.scalars});
  if (layout.is_known) append_places(id, layout, program_.uniforms.back().places);
  if (program_.uniform_words + type.scalars > kMaxUniformWords)
    throw ShaderError(0, fmt::format("'{}': the uniforms have more than {} numbers", name, kMaxUniformWords));
  for (uint32_t i = 0; i < type.scalars; ++i) {
    const Id word = b_.make(word_kind, Role::uniform, program_.uniform_words++);
    if (kind != Kind::mask) {
      values.push_back(word);
    } else {
      const Id no = b_.emit(Op::int_equal, Kind::mask, {word, b_.constant(Kind::natural, 0)});
      values.push_back(b_.emit(Op::mask_not, Kind::mask, {no}));
    }
  }
}

}  // namespace brokkr::shader
