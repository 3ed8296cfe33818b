// Variables, loads and stores.
#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp>

#include "shader/translator.h"

namespace brokkr::shader {

namespace {

bool is_index_constant(const SpirvModule& m, uint32_t id) { return m.constants.contains(id); }

}  // namespace

void ValueTranslator::declare_variables() {
  find_indexed();
  for (const SpirvInstruction& one : m_.code) {
    if (one.op == spv::OpFunction) break;
    if (one.op != spv::OpVariable) continue;
    const SpirvType& pointer = m_.type(one.type);
    Variable variable;
    variable.type = pointer.element;
    variable.is_indexed = indexed_.contains(one.result);
    TypeClass holds = m_.type(pointer.element).kind;
    if (holds == TypeClass::array) holds = m_.type(m_.type(pointer.element).element).kind;
    const std::string name = m_.name(one.result);
    if (holds == TypeClass::sampled_image) {
      variable.sampler = uint32_t(program_.samplers.size());
      add_samplers(name, pointer.element, one.line);
    } else if (holds == TypeClass::sampler || (holds == TypeClass::image && is_sampled(pointer.element))) {
      // Pairs of an image and a sampler become samplers when the code combines them.
    } else if (holds == TypeClass::image || holds == TypeClass::nothing) {
      fail(one, fmt::format("'{}': images and atomic counters are not supported", name));
    } else if (one.at(0) == spv::StorageClassInput) {
      declare_input(one, variable);
    } else if (one.at(0) == spv::StorageClassOutput) {
      declare_output(one, variable);
    } else if (one.at(0) == spv::StorageClassStorageBuffer || m_.has(pointer.element, spv::DecorationBufferBlock)) {
      declare_storage(one, variable);
    } else if (one.at(0) == spv::StorageClassUniform || one.at(0) == spv::StorageClassUniformConstant ||
               one.at(0) == spv::StorageClassPushConstant) {
      declare_uniforms(one, variable);
    } else if (one.at(0) == spv::StorageClassPrivate) {
      declare_cells(variable, one.operands.size() > 1 ? value(one.operands[1], one.line) : Values{});
    } else {
      fail(one, fmt::format("'{}': storage class {} is not supported", name, one.at(0)));
    }
    variables_[one.result] = std::move(variable);
    pointers_[one.result] = {one.result, pointer.element, 0, kNoValue};
  }
}

// Finds variables that an access chain indexes with a value that is not constant.
void ValueTranslator::find_indexed() {
  std::unordered_map<uint32_t, uint32_t> base_of;
  for (const SpirvInstruction& one : m_.code) {
    if (one.op != spv::OpAccessChain && one.op != spv::OpInBoundsAccessChain) continue;
    const auto earlier = base_of.find(one.at(0));
    const uint32_t base = earlier == base_of.end() ? one.at(0) : earlier->second;
    base_of[one.result] = base;
    const auto indices = one.operands.subspan(1);
    if (!std::all_of(indices.begin(), indices.end(), [&](uint32_t id) { return is_index_constant(m_, id); }))
      indexed_.insert(base);
  }
}

Id ValueTranslator::truth_of_word(Id word) {
  return emit(Op::mask_not, Kind::mask, {emit(Op::int_equal, Kind::mask, {word, b_.constant(Kind::natural, 0)})});
}

Id ValueTranslator::word_of_truth(Id truth) {
  return choose(truth, b_.constant(Kind::natural, 1), b_.constant(Kind::natural, 0));
}

// Declares cells that start as `initial`, or as zeros.
void ValueTranslator::declare_cells(Variable& variable, const Values& initial) {
  variable.is_cell = true;
  std::vector<Kind> kinds;
  append_kinds(variable.type, kinds);
  Values begin = initial;
  // Elements that are selected at run time are words. A bool is true if its word is not 0.
  for (size_t i = 0; variable.is_indexed && i < kinds.size(); ++i) {
    if (kinds[i] != Kind::mask) continue;
    kinds[i] = Kind::natural;
    if (i < begin.size()) begin[i] = word_of_truth(begin[i]);
  }
  for (const Kind kind : kinds) variable.values.push_back(b_.make(kind, Role::cell));
  if (variable.is_indexed && !kinds.empty())
    program_.arrays.push_back({variable.values.front(), uint32_t(variable.values.size())});
  for (size_t i = 0; i < kinds.size(); ++i)
    b_.set(variable.values[i], i < begin.size() ? begin[i] : b_.constant(kinds[i], 0), program_.running);
}

void ValueTranslator::declare_local(const SpirvInstruction& one) {
  Variable variable;
  variable.type = m_.type(one.type).element;
  variable.is_indexed = indexed_.contains(one.result);
  declare_cells(variable, one.operands.size() > 1 ? value(one.operands[1], one.line) : Values{});
  variables_[one.result] = std::move(variable);
  pointers_[one.result] = {one.result, m_.type(one.type).element, 0, kNoValue};
}

// Returns true if lookups read the image or the array of images.
bool ValueTranslator::is_sampled(uint32_t id) const {
  const SpirvType& type = m_.type(id);
  const SpirvType& image = type.kind == TypeClass::array ? m_.type(type.element) : type;
  return !image.stored && image.dimensions != spv::DimSubpassData;
}

// Adds samplers for a type of samplers or of sampled images, or for an array of these.
void ValueTranslator::add_samplers(const std::string& name, uint32_t id, uint32_t line) {
  const SpirvType& holds = m_.type(id);
  const bool is_array = holds.kind == TypeClass::array;
  const SpirvType& one = m_.type(is_array ? holds.element : id);
  const SpirvType& image = one.kind == TypeClass::image ? one : m_.type(one.element);
  SamplerInput made{.compares = image.compares};
  if (!kind_of_image(image, made.kind))
    throw ShaderError(line, fmt::format("'{}': samplers of this kind are not supported", name));
  made.multisampled = image.multisampled;
  made.layered = image.multisampled && image.arrayed;
  const TypeClass texel = m_.type(image.element).kind;
  if (texel == TypeClass::signed_integer) made.type = SampledType::integer;
  if (texel == TypeClass::unsigned_integer) made.type = SampledType::natural;
  for (uint32_t i = 0; i < (is_array ? holds.count : 1); ++i) {
    if (program_.samplers.size() == kMaxSamplers)
      throw ShaderError(line, fmt::format("'{}': more than {} samplers", name, kMaxSamplers));
    made.name = is_array ? fmt::format("{}[{}]", name, i) : name;
    program_.samplers.push_back(made);
  }
}

// The number of samplers in a type before part `index`. If `index` is the number of parts, it counts the whole type.
uint32_t ValueTranslator::samplers_before(uint32_t id, uint32_t index) const {
  const SpirvType& type = m_.type(id);
  if (type.kind == TypeClass::sampled_image || type.kind == TypeClass::image || type.kind == TypeClass::sampler)
    return index > 0 ? 1 : 0;
  if (type.kind == TypeClass::array) return std::min(index, type.count) * samplers_before(type.element, ~0u);
  uint32_t count = 0;
  for (uint32_t i = 0; i < type.members.size() && i < index; ++i) count += samplers_before(type.members[i], ~0u);
  return count;
}

// The number of the scalar at which part `index` of the type `id` begins; `id` becomes the part's type.
uint32_t ValueTranslator::offset_in(uint32_t& id, uint32_t index, uint32_t line) const {
  const SpirvType& type = m_.type(id);
  uint32_t offset = 0;
  if (type.kind == TypeClass::structure) {
    if (index >= type.members.size()) throw ShaderError(line, "a member that its structure does not have");
    for (uint32_t i = 0; i < index; ++i) offset += m_.type(type.members[i]).scalars;
    id = type.members[index];
    return offset;
  }
  if (type.kind != TypeClass::array && type.kind != TypeClass::matrix && type.kind != TypeClass::vector)
    throw ShaderError(line, "a part of a value without parts");
  id = type.element;
  return std::min(index, type.count - 1) * m_.type(id).scalars;
}

ValueTranslator::Pointer ValueTranslator::pointer(const SpirvInstruction& one, size_t i) const {
  const auto found = pointers_.find(one.at(i));
  if (found == pointers_.end()) fail(one, "a pointer to something other than a variable");
  return found->second;
}

Id ValueTranslator::whole_of(Id index) {
  return program_.value(index).kind == Kind::whole ? index : emit(Op::reinterpret, Kind::whole, {index});
}

// `index` selects one of `count` parts with `step` samplers each.
void ValueTranslator::index_samplers(Pointer& place, Id index, uint32_t count, uint32_t step) {
  std::vector<uint32_t> steps;
  for (const uint32_t before : place.sampler_index == kNoValue ? std::vector<uint32_t>{0} : place.sampler_steps) {
    for (uint32_t i = 0; i < count && i < kMaxSamplers; ++i) steps.push_back(before + i * step);
  }
  place.sampler_steps = std::move(steps);
  if (step != 1) index = emit(Op::int_multiply, Kind::whole, {index, b_.whole(int32_t(step))});
  place.sampler_index =
      place.sampler_index == kNoValue ? index : emit(Op::int_add, Kind::whole, {place.sampler_index, index});
}

void ValueTranslator::declare_storage(const SpirvInstruction& one, Variable& variable) {
  const std::string name = m_.name(one.result);
  if (!m_.is_numbered) fail(one, fmt::format("'{}': storage buffers are not supported", name));
  const TypeClass kind = m_.type(variable.type).kind;
  if (kind != TypeClass::structure)
    fail(one, fmt::format("'{}': arrays of storage buffers are not supported; use one buffer", name));
  if (program_.samplers.size() == kMaxSamplers)
    fail(one, fmt::format("'{}': more than {} samplers", name, kMaxSamplers));
  variable.is_storage = true;
  variable.sampler = uint32_t(program_.samplers.size());
  program_.samplers.push_back({.name = name, .kind = TextureKind::buffer, .type = SampledType::natural});
}

// Adds the place of a part of a storage buffer. An index out of range is not clamped, as the buffer may end anywhere;
// words beyond its end are 0.
void ValueTranslator::access_storage(const SpirvInstruction& one, Pointer place) {
  for (size_t i = 1; i < one.operands.size(); ++i) {
    const auto constant = m_.constants.find(one.operands[i]);
    const SpirvType& type = m_.type(place.type);
    if (type.kind == TypeClass::structure) {
      if (constant == m_.constants.end()) fail(one, "a member that is chosen at run time");
      if (constant->second >= type.members.size()) fail(one, "a member that its structure does not have");
      place.layout = member_layout(place.layout, place.type, constant->second);
      place.type = type.members[constant->second];
      continue;
    }
    uint64_t bytes = place.step;
    if (type.kind == TypeClass::array || type.kind == TypeClass::runtime_array) {
      bytes = element_layout({}, place.type, 1).offset;
    } else if (type.kind == TypeClass::matrix) {
      bytes = place.layout.by_rows ? 4 : place.layout.matrix_stride;
      place.step = place.layout.by_rows ? place.layout.matrix_stride : 4;
    } else if (type.kind != TypeClass::vector) {
      fail(one, "a part of a value without parts");
    }
    place.type = type.element;
    if (constant != m_.constants.end()) {
      place.layout.offset += bytes * constant->second;
      continue;
    }
    Id index = whole_of(scalar(one, i));
    if (bytes != 4) index = emit(Op::int_multiply, Kind::whole, {index, b_.whole(int32_t(bytes / 4))});
    place.words = place.words == kNoValue ? index : emit(Op::int_add, Kind::whole, {place.words, index});
  }
  pointers_[one.result] = place;
}

Values ValueTranslator::load_storage(const SpirvInstruction& one, const Pointer& source) {
  std::vector<uint32_t> places;
  std::vector<Kind> kinds;
  append_kinds(source.type, kinds);
  append_places(source.type, source.layout, places);
  const SpirvType& type = m_.type(source.type);
  if (type.kind == TypeClass::vector && source.step != 4) {
    for (uint32_t i = 0; i < places.size(); ++i)
      places[i] = uint32_t((source.layout.offset + uint64_t(i) * source.step) / 4);
  }
  if (places.size() != kinds.size() || kinds.empty()) fail(one, "a part of a storage buffer that cannot be read");
  const uint32_t sampler = variables_.at(source.variable).sampler;
  const uint32_t extra = sampler | uint32_t(TextureKind::buffer) << kSampleKind |
                         uint32_t(SampledType::natural) << kSampleType | kSampleFetch;
  Values result;
  for (size_t i = 0; i < kinds.size(); ++i) {
    Id word = b_.whole(int32_t(places[i]));
    if (source.words != kNoValue) word = emit(Op::int_add, Kind::whole, {source.words, word});
    const Id bits = emit_sample({word, b_.whole(0)}, extra).front();
    if (kinds[i] == Kind::mask) {
      result.push_back(truth_of_word(bits));
    } else {
      result.push_back(kinds[i] == Kind::natural ? bits : emit(Op::reinterpret, kinds[i], {bits}));
    }
  }
  return result;
}

// The number of elements at the end of a storage buffer.
void ValueTranslator::measure_storage(const SpirvInstruction& one) {
  const Pointer array = pointer(one, 0);
  const Variable& variable = variables_.at(array.variable);
  const SpirvType& block = m_.type(array.type);
  if (!variable.is_storage || block.kind != TypeClass::structure || one.at(1) >= block.members.size())
    fail(one, "the length of something other than a storage buffer");
  const BlockLayout layout = member_layout(array.layout, array.type, one.at(1));
  const uint64_t words = element_layout({}, block.members[one.at(1)], 1).offset / 4;
  const uint32_t extra =
      variable.sampler | uint32_t(TextureKind::buffer) << kSampleKind | uint32_t(SampledType::natural) << kSampleType;
  Values sides;
  for (int i = 0; i < 4; ++i) sides.push_back(b_.make(Kind::whole, Role::temporary));
  Instruction& made = b_.emit_bare(Op::texture_size, {b_.whole(0)}, extra);
  made.results = 4;
  std::copy(sides.begin(), sides.end(), made.result.begin());
  Id count = emit(Op::int_subtract, Kind::whole, {sides[0], b_.whole(int32_t(layout.offset / 4))});
  if (words > 1) count = emit(Op::int_divide, Kind::whole, {count, b_.whole(int32_t(words))});
  values_[one.result] = {emit(Op::reinterpret, Kind::natural, {count})};
}

void ValueTranslator::access(const SpirvInstruction& one) {
  Pointer place = pointer(one, 0);
  if (variables_.at(place.variable).is_storage) return access_storage(one, std::move(place));
  for (size_t i = 1; i < one.operands.size(); ++i) {
    const auto constant = m_.constants.find(one.operands[i]);
    if (constant != m_.constants.end()) {
      place.sampler += samplers_before(place.type, constant->second);
      place.offset += offset_in(place.type, constant->second, one.line);
      continue;
    }
    if (m_.type(place.type).kind == TypeClass::structure) fail(one, "a member that is chosen at run time");
    const uint32_t count = m_.type(place.type).count;
    offset_in(place.type, 0, one.line);
    const uint32_t size = m_.type(place.type).scalars, samplers = samplers_before(place.type, ~0u);
    Id index = whole_of(scalar(one, i));
    if (samplers > 0) index_samplers(place, index, count, samplers);
    if (size == 0) continue;
    if (size != 1) index = emit(Op::int_multiply, Kind::whole, {index, b_.whole(int32_t(size))});
    place.index = place.index == kNoValue ? index : emit(Op::int_add, Kind::whole, {place.index, index});
  }
  pointers_[one.result] = place;
}

Values ValueTranslator::load(const SpirvInstruction& one, const Pointer& source) {
  const Variable& variable = variables_.at(source.variable);
  if (variable.is_storage) return load_storage(one, source);
  std::vector<Kind> kinds;
  append_kinds(source.type, kinds);
  if (source.offset + kinds.size() > variable.values.size()) fail(one, "a variable is read beyond its end");
  Values result;
  for (uint32_t i = 0; i < kinds.size(); ++i) {
    const uint32_t offset = source.offset + i;
    if (source.index == kNoValue) {
      const Id cell = variable.values[offset];
      if (kinds[i] == Kind::mask && program_.value(cell).kind != Kind::mask) {
        result.push_back(truth_of_word(emit(Op::move, Kind::natural, {cell})));
        continue;
      }
      const Op copy = kinds[i] == Kind::mask ? Op::mask_move : Op::move;
      result.push_back(variable.is_cell ? emit(copy, kinds[i], {cell}) : cell);
      continue;
    }
    const uint32_t first = offset + (variable.is_uniform ? variable.first_word : 0);
    const Id index = emit(Op::int_add, Kind::whole, {source.index, b_.whole(int32_t(first))});
    const Kind kind = kinds[i] == Kind::mask ? Kind::natural : kinds[i];
    Id word = kNoValue;
    if (variable.is_uniform) {
      word = emit(Op::uniform_at, kind, {index});
    } else {
      word = emit(Op::element, kind, {variable.values.front(), index});
      program_.code.back().extra = uint32_t(variable.values.size());
    }
    result.push_back(kinds[i] == Kind::mask ? truth_of_word(word) : word);
  }
  return result;
}

void ValueTranslator::store(const SpirvInstruction& one, const Pointer& place, const Values& values) {
  Variable& variable = variables_.at(place.variable);
  if (!variable.is_cell || place.offset + values.size() > variable.values.size())
    fail(one, "this cannot be written to");
  for (uint32_t i = 0; i < values.size(); ++i) {
    const Id cell = variable.values[place.offset + i];
    if (place.index != kNoValue) variable.is_written.assign(variable.is_written.size(), true);
    if (place.offset + i < variable.is_written.size()) variable.is_written[place.offset + i] = true;
    const bool is_word = variable.is_indexed && program_.value(values[i]).kind == Kind::mask;
    const Id value = is_word ? word_of_truth(values[i]) : values[i];
    if (program_.value(cell).kind != program_.value(value).kind) fail(one, "a value of another type is stored");
    if (place.index == kNoValue) {
      b_.set(cell, value, lanes_);
      continue;
    }
    const Id index = emit(Op::int_add, Kind::whole, {place.index, b_.whole(int32_t(place.offset + i))});
    b_.emit_bare(Op::set_element, {variable.values.front(), index, value, lanes_}, uint32_t(variable.values.size()));
  }
}

bool ValueTranslator::translate_memory(const SpirvInstruction& one) {
  switch (one.op) {
    case spv::OpAccessChain:
    case spv::OpInBoundsAccessChain: access(one); return true;
    case spv::OpLoad: {
      const Pointer source = pointer(one, 0);
      if (m_.type(source.type).kind == TypeClass::sampled_image) {
        const uint32_t number = variables_.at(source.variable).sampler + source.sampler;
        if (number >= program_.samplers.size()) fail(one, "a sampler that the shader does not have");
        samplers_[one.result] = {number, source.sampler_index, source.sampler_steps};
      } else if (m_.type(source.type).kind == TypeClass::image || m_.type(source.type).kind == TypeClass::sampler) {
        loaded_[one.result] = source;
      } else {
        values_[one.result] = load(one, source);
      }
      return true;
    }
    case spv::OpArrayLength: measure_storage(one); return true;
    case spv::OpStore: store(one, pointer(one, 0), operand(one, 1)); return true;
    case spv::OpCopyMemory: store(one, pointer(one, 0), load(one, pointer(one, 1))); return true;
    default: return false;
  }
}

}  // namespace brokkr::shader
