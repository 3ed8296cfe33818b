// Texture lookups. The level of detail derives from the changes of the coordinates to the right and upwards. Separate
// instructions compute these changes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <spirv/unified1/spirv.hpp>

#include "frame/sample_layers.h"
#include "shader/translator.h"

namespace brokkr::shader {

namespace {

// The translation of a SPIR-V lookup to an operation.
struct Lookup {
  bool projects = false, compares = false;
};

bool lookup_of(uint16_t op, Lookup& lookup) {
  switch (op) {
    case spv::OpImageSampleImplicitLod:
    case spv::OpImageSampleExplicitLod: lookup = {false, false}; return true;
    case spv::OpImageSampleDrefImplicitLod:
    case spv::OpImageSampleDrefExplicitLod: lookup = {false, true}; return true;
    case spv::OpImageSampleProjImplicitLod:
    case spv::OpImageSampleProjExplicitLod: lookup = {true, false}; return true;
    case spv::OpImageSampleProjDrefImplicitLod:
    case spv::OpImageSampleProjDrefExplicitLod: lookup = {true, true}; return true;
    default: return false;
  }
}

// The optional operands that follow a lookup's own operands: a mask word, then the operands in the order of its bits.
struct Options {
  uint32_t bits = 0;
  size_t bias = 0, level = 0, changes = 0, offset = 0, sample = 0,
         four_offsets = 0;  // operand indices; 0: absent
};
bool options_of(const SpirvInstruction& one, size_t first, Options& options) {
  if (one.operands.size() <= first) return true;
  options.bits = one.operands[first];
  size_t next = first + 1;
  if ((options.bits & spv::ImageOperandsBiasMask) != 0) options.bias = next++;
  if ((options.bits & spv::ImageOperandsLodMask) != 0) options.level = next++;
  if ((options.bits & spv::ImageOperandsGradMask) != 0) options.changes = next, next += 2;
  if ((options.bits & (spv::ImageOperandsConstOffsetMask | spv::ImageOperandsOffsetMask)) != 0) options.offset = next;
  if ((options.bits & spv::ImageOperandsConstOffsetsMask) != 0) options.four_offsets = next;
  if ((options.bits & spv::ImageOperandsSampleMask) != 0) options.sample = next;
  const uint32_t known = spv::ImageOperandsBiasMask | spv::ImageOperandsLodMask | spv::ImageOperandsGradMask |
                         spv::ImageOperandsConstOffsetMask | spv::ImageOperandsOffsetMask |
                         spv::ImageOperandsConstOffsetsMask | spv::ImageOperandsSampleMask;
  return (options.bits & ~known) == 0;
}

}  // namespace

bool kind_of_image(const SpirvType& image, TextureKind& kind) {
  if (image.multisampled) {
    kind = TextureKind::two_array;
    return image.dimensions == spv::Dim2D;
  }
  switch (image.dimensions) {
    case spv::Dim1D: kind = image.arrayed ? TextureKind::one_array : TextureKind::one; return true;
    case spv::Dim2D: kind = image.arrayed ? TextureKind::two_array : TextureKind::two; return true;
    case spv::Dim3D: kind = TextureKind::three; return !image.arrayed;
    case spv::DimCube: kind = image.arrayed ? TextureKind::cube_array : TextureKind::cube; return true;
    case spv::DimRect: kind = TextureKind::rectangle; return !image.arrayed;
    case spv::DimBuffer: kind = TextureKind::buffer; return !image.arrayed;
    default: return false;
  }
}

const ValueTranslator::ReadSampler& ValueTranslator::sampler_of(const SpirvInstruction& one) const {
  const auto found = samplers_.find(one.at(0));
  if (found == samplers_.end()) fail(one, "a lookup in something other than a sampler");
  return found->second;
}

// The bits for the sampler's number, kind and type.
uint32_t ValueTranslator::lookup_bits(const SpirvInstruction& one) const {
  const uint32_t number = sampler_of(one).number;
  const SamplerInput& sampler = program_.samplers[number];
  return number | uint32_t(sampler.kind) << kSampleKind | uint32_t(sampler.type) << kSampleType;
}

// The name of a sampler variable, or of an element of an array of samplers.
std::string ValueTranslator::sampler_name(uint32_t variable, uint32_t element) const {
  const bool is_array = m_.type(variables_.at(variable).type).kind == TypeClass::array;
  return is_array ? fmt::format("{}[{}]", m_.name(variable), element) : m_.name(variable);
}

// Makes `one.result` the sampler that combines an image and a sampler, which were loaded separately; `sampler` 0: none,
// for fetches.
void ValueTranslator::combine(const SpirvInstruction& one, uint32_t image, uint32_t sampler) {
  const auto found_image = loaded_.find(image), found_sampler = loaded_.find(sampler);
  if (found_image == loaded_.end() || (sampler != 0 && found_sampler == loaded_.end()))
    fail(one, "an image or a sampler that is not a variable");
  const Pointer& image_pointer = found_image->second;
  const uint32_t with = sampler == 0 ? 0 : found_sampler->second.variable,
                 element = sampler == 0 ? 0 : found_sampler->second.sampler;
  if (sampler != 0 && found_sampler->second.sampler_index != kNoValue)
    fail(one,
         "a sampler that is chosen at run time from an array is not "
         "supported; choose the image");
  const auto [pair, is_new] =
      pairs_.try_emplace({image_pointer.variable, with, element}, uint32_t(program_.samplers.size()));
  if (is_new) {
    add_samplers(m_.name(image_pointer.variable), variables_.at(image_pointer.variable).type, one.line);
    for (size_t i = pair->second; sampler != 0 && i < program_.samplers.size(); ++i)
      program_.samplers[i].with = sampler_name(with, element);
  }
  samplers_[sampler == 0 ? image : one.result] = {pair->second + image_pointer.sampler, image_pointer.sampler_index,
                                                  image_pointer.sampler_steps};
}

bool ValueTranslator::translate_texture(const SpirvInstruction& one) {
  if (one.op == spv::OpSampledImage) {
    combine(one, one.at(0), one.at(1));
    return true;
  }
  if (!one.operands.empty() && loaded_.contains(one.operands[0]) && !samplers_.contains(one.operands[0]))
    combine(one, one.operands[0], 0);
  const auto read = samplers_.find(one.operands.empty() ? 0 : one.operands[0]);
  if (read == samplers_.end() || read->second.index == kNoValue || one.op == spv::OpImage) return translate_lookup(one);
  choose_sampler(one);
  return true;
}

bool ValueTranslator::translate_lookup(const SpirvInstruction& one) {
  Lookup lookup;
  if (lookup_of(one.op, lookup)) {
    translate_sample(one);
    return true;
  }
  switch (one.op) {
    case spv::OpImage: samplers_[one.result] = ReadSampler(sampler_of(one)); return true;
    case spv::OpImageFetch: translate_fetch(one); return true;
    case spv::OpImageGather:
    case spv::OpImageDrefGather: translate_gather(one); return true;
    case spv::OpImageQuerySizeLod:
    case spv::OpImageQuerySize:
    case spv::OpImageQueryLevels:
    case spv::OpImageQuerySamples:
    case spv::OpImageQueryLod: translate_query(one); return true;
    default: return false;
  }
}

// Emits a lookup for each sampler that the index may select, for the lanes that select it. An index out of range
// selects the last sampler. In most shaders all lanes have the same index, and the other lookups are skipped.
void ValueTranslator::choose_sampler(const SpirvInstruction& one) {
  const ReadSampler all = sampler_of(one);
  Id rest = lanes_;
  Values result;
  for (size_t i = 0; i < all.steps.size(); ++i) {
    sampler_lanes_ = rest;
    if (i + 1 < all.steps.size()) {
      const Id hit = emit(Op::int_equal, Kind::mask, {all.index, b_.whole(int32_t(all.steps[i]))});
      sampler_lanes_ = emit(Op::mask_and, Kind::mask, {lanes_, hit});
      rest = emit(Op::mask_without, Kind::mask, {rest, hit});
    }
    samplers_[one.at(0)] = {all.number + all.steps[i], kNoValue, {}};
    if (samplers_[one.at(0)].number >= program_.samplers.size()) fail(one, "a sampler that the shader does not have");
    b_.emit_bare(Op::begin_if, {sampler_lanes_});
    if (!translate_lookup(one)) fail(one, "SPIR-V instruction " + std::to_string(one.op) + " is not supported");
    b_.emit_bare(Op::end_if, {});
    const Values& texel = values_.at(one.result);
    for (size_t c = 0; c < result.size(); ++c) result[c] = choose(sampler_lanes_, texel[c], result[c]);
    if (result.empty()) result = texel;
  }
  sampler_lanes_ = kNoValue;
  samplers_[one.at(0)] = all;
  values_[one.result] = std::move(result);
}

// `layer`: the operand that gives the layer, in addition to the coordinates; 0: none does.
Values ValueTranslator::coordinates(const SpirvInstruction& one, TextureKind kind, size_t layer) {
  Values coordinates = operand(one, 1);
  if (layer != 0) coordinates.push_back(scalar(one, layer));
  if (coordinates.size() < size_t(coordinates_of(kind))) fail(one, "a lookup with too few coordinates");
  coordinates.resize(size_t(coordinates_of(kind)));
  return coordinates;
}

// Returns true if an offset in texels fits in a lookup's bits.
bool ValueTranslator::is_short_offset(std::span<const Id> offsets) const {
  return std::all_of(offsets.begin(), offsets.end(), [&](Id id) {
    const Value& value = program_.value(id);
    return value.role == Role::constant && int32_t(value.payload) >= -8 && int32_t(value.payload) <= 7;
  });
}

// An offset in texels, encoded in a lookup's bits.
uint32_t ValueTranslator::offset_bits(const SpirvInstruction& one, std::span<const Id> offsets) const {
  uint32_t bits = 0;
  for (size_t axis = 0; axis < std::min<size_t>(offsets.size(), 3); ++axis) {
    const Value& value = program_.value(offsets[axis]);
    const int32_t offset = int32_t(value.payload);
    if (value.role != Role::constant) fail(one, "texel offsets that are not constant are not supported");
    if (offset < -8 || offset > 7) fail(one, "a texel offset is outside of -8 to 7");
    bits |= (uint32_t(offset) & 15) << (kSampleOffset + 4 * axis);
  }
  return bits;
}

void ValueTranslator::translate_sample(const SpirvInstruction& one) {
  Lookup lookup;
  lookup_of(one.op, lookup);
  const size_t options_at = lookup.compares ? 3 : 2;
  Options options;
  if (!options_of(one, options_at, options)) fail(one, "a lookup of a form that is not supported");
  uint32_t extra = lookup_bits(one);
  const TextureKind kind = kind_of_sample(extra);
  Values operands = coordinates(one, kind);
  if (lookup.compares) operands.push_back(scalar(one, 2));
  if (lookup.projects) {
    const Values all = operand(one, 1);
    const size_t last = size_t(coordinates_of(kind));
    if (all.size() <= last) fail(one, "a lookup with too few coordinates");
    for (Id& x : operands) x = number_op(Op::divide, {x, all[last]});
  }
  if (lookup.compares) extra |= kSampleCompare;
  if (options.offset != 0) extra |= offset_bits(one, operand(one, options.offset));
  const Values position(operands.begin(), operands.begin() + directions_of(kind));
  Values changes;
  if (options.level != 0) {
    operands.push_back(scalar(one, options.level));
  } else {
    for (size_t i = 0; i < 2; ++i) {
      const Values given = options.changes != 0 ? operand(one, options.changes + i) : Values();
      if (options.changes != 0 && given.size() < position.size()) fail(one, "changes of each coordinate are needed");
      for (size_t axis = 0; axis < position.size(); ++axis)
        changes.push_back(given.empty() ? change_of(i == 0 ? Op::change_x : Op::change_y, position[axis])
                                        : given[axis]);
    }
    if (options.changes == 0) extra |= kSampleOfQuad;
    const Id detail = detail_of_changes(one, position, changes, extra & kSampleOfQuad);
    operands.push_back(options.bias != 0 ? number_op(Op::add, {detail, scalar(one, options.bias)}) : detail);
  }
  if (!has_changes(extra)) changes.clear();
  finish_sample(one, operands, extra, changes);
}

// The level of detail for the changes of `coordinates` to the right and upwards.
Id ValueTranslator::detail_of_changes(const SpirvInstruction& one, const Values& coordinates, const Values& changes,
                                      uint32_t sample_bits) {
  const uint32_t extra = lookup_bits(one) | sample_bits;
  const Id detail = emit(Op::detail, Kind::number, {});
  Instruction& made = program_.code.back();
  made.extra = extra;
  if (is_cube(kind_of_sample(extra))) {
    for (const Id x : coordinates) made.operand[made.operands++] = x;
  }
  for (const Id x : changes) made.operand[made.operands++] = x;
  return detail;
}

void ValueTranslator::translate_gather(const SpirvInstruction& one) {
  Options options;
  if (!options_of(one, 3, options) || options.bias + options.level + options.changes != 0)
    fail(one, "a lookup of a form that is not supported");
  uint32_t extra = lookup_bits(one) | kSampleGather;
  Values operands = coordinates(one, kind_of_sample(extra));
  if (one.op == spv::OpImageDrefGather) {
    extra |= kSampleCompare;
    operands.push_back(scalar(one, 2));
  } else {
    const Value& channel = program_.value(scalar(one, 2));
    if (channel.role != Role::constant || channel.payload > 3) fail(one, "a channel must be 0, 1, 2 or 3");
    extra |= channel.payload << kSampleChannel;
  }
  if (options.four_offsets == 0) {
    const Values offset = options.offset != 0 ? operand(one, options.offset) : Values();
    return give_sample(one, emit_gather(one, operands, extra, offset));
  }
  // Each offset selects its own square. We use its lower left texel, the last one.
  const Values offsets = operand(one, options.four_offsets);
  if (offsets.size() != 8) fail(one, "four offsets of two numbers are needed");
  Values result;
  for (size_t i = 0; i < 4; ++i)
    result.push_back(emit_gather(one, operands, extra, std::span(offsets).subspan(2 * i, 2)).back());
  values_[one.result] = std::move(result);
}

// The offset of a gather need not be constant; the shader computes it.
Values ValueTranslator::emit_gather(const SpirvInstruction& one, const Values& operands, uint32_t extra,
                                    std::span<const Id> offset) {
  if (is_short_offset(offset)) return emit_sample(operands, extra | offset_bits(one, offset));
  if (offset.size() != 2) fail(one, "an offset of two numbers is needed");
  return emit_sample(operands, extra | kSampleOffsetGiven, {whole_of(offset[0]), whole_of(offset[1])});
}

void ValueTranslator::translate_fetch(const SpirvInstruction& one) {
  Options options;
  if (!options_of(one, 2, options)) fail(one, "a lookup of a form that is not supported");
  const uint32_t extra = lookup_bits(one) | kSampleFetch;
  const bool layered = program_.samplers[sampler_of(one).number].layered;
  Values operands = coordinates(one, kind_of_sample(extra), layered ? 0 : options.sample);
  for (Id& x : operands) x = whole_of(x);
  if (layered && options.sample != 0) {
    const Id first = emit(Op::int_multiply, Kind::whole, {operands[2], b_.whole(int32_t(kSampleLayers))});
    operands[2] = emit(Op::int_add, Kind::whole, {first, whole_of(scalar(one, options.sample))});
  }
  if (options.offset != 0) {
    const Values offsets = operand(one, options.offset);
    for (size_t i = 0; i < std::min(offsets.size(), operands.size()); ++i)
      operands[i] = emit(Op::int_add, Kind::whole, {operands[i], whole_of(offsets[i])});
  }
  operands.push_back(options.level != 0 ? whole_of(scalar(one, options.level)) : b_.whole(0));
  finish_sample(one, operands, extra);
}

void ValueTranslator::translate_query(const SpirvInstruction& one) {
  const uint32_t extra = lookup_bits(one);
  const TextureKind kind = kind_of_sample(extra);
  Values results;
  const auto make = [&](Op op, Kind result, Id operand, size_t count) {
    for (size_t i = 0; i < count; ++i) results.push_back(b_.make(result, Role::temporary));
    Instruction& made = b_.emit_bare(op, {operand}, extra);
    made.results = uint8_t(count);
    std::copy(results.begin(), results.end(), made.result.begin());
  };
  if (one.op == spv::OpImageQueryLod) {
    Values coordinates = operand(one, 1), changes;
    if (coordinates.size() < size_t(directions_of(kind))) fail(one, "a lookup with too few coordinates");
    coordinates.resize(size_t(directions_of(kind)));
    for (const Op op : {Op::change_x, Op::change_y}) {
      for (const Id x : coordinates) changes.push_back(change_of(op, x));
    }
    make(Op::detail_levels, Kind::number, detail_of_changes(one, coordinates, changes, kSampleOfQuad | kDetailOfQuery),
         2);
    values_[one.result] = results;
    return;
  }
  const SamplerInput& sampler = program_.samplers[sampler_of(one).number];
  const bool has_level = one.op == spv::OpImageQuerySizeLod;
  make(Op::texture_size, Kind::whole, has_level ? whole_of(scalar(one, 1)) : b_.whole(0), 4);
  if (one.op == spv::OpImageQueryLevels || one.op == spv::OpImageQuerySamples) {
    const bool counts_levels = one.op == spv::OpImageQueryLevels || sampler.layered;  // record_of_pair
    values_[one.result] = {results[counts_levels ? 3 : 2]};
    return;
  }
  Values sides(results.begin(), results.begin() + axes_of(kind));
  if (sampler.layered) {
    sides.push_back(emit(Op::int_divide, Kind::whole, {results[2], b_.whole(int32_t(kSampleLayers))}));
  } else if (is_array(kind) && !sampler.multisampled) {
    sides.push_back(results[2]);
  }
  values_[one.result] = sides;
}

// Emits a lookup and returns its four components. `behind`: the operands after the mask.
Values ValueTranslator::emit_sample(const Values& operands, uint32_t extra, const Values& behind) {
  constexpr Kind kKinds[] = {Kind::number, Kind::whole, Kind::natural};
  Values texel;
  for (int i = 0; i < 4; ++i) {
    texel.push_back(b_.make(kKinds[size_t(type_of_sample(extra))], Role::temporary));
    if (lanes_ != program_.running) made_in_[texel.back()] = lanes_;
  }
  Instruction& made = b_.emit_bare(Op::sample, {}, extra);
  for (const Id id : operands) made.operand[made.operands++] = id;
  made.operand[made.operands++] = sampler_lanes_ == kNoValue ? lanes_ : sampler_lanes_;
  for (const Id id : behind) made.operand[made.operands++] = id;
  made.results = 4;
  std::copy(texel.begin(), texel.end(), made.result.begin());
  return texel;
}

void ValueTranslator::finish_sample(const SpirvInstruction& one, const Values& operands, uint32_t extra,
                                    const Values& changes) {
  give_sample(one, emit_sample(operands, extra, changes));
}

void ValueTranslator::give_sample(const SpirvInstruction& one, Values texel) {
  const uint32_t count = m_.type(one.type).scalars;
  if (count != 4 && count != 1) fail(one, "a lookup gives four numbers or one");
  texel.resize(count);
  values_[one.result] = std::move(texel);
}

}  // namespace brokkr::shader
