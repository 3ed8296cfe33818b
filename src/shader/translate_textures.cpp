// Texture lookups. The level of detail of coordinates comes from how they change to the right and upwards, which are
// instructions of their own.
#include <algorithm>
#include <spirv/unified1/spirv.hpp>

#include "shader/translator.h"

namespace brokkr::shader {

namespace {

// How a lookup of SPIR-V is made.
struct Lookup {
  bool projects = false, compares = false, has_level = false;
};

bool lookup_of(uint16_t op, Lookup& lookup) {
  switch (op) {
    case spv::OpImageSampleImplicitLod: lookup = {false, false, false}; return true;
    case spv::OpImageSampleExplicitLod: lookup = {false, false, true}; return true;
    case spv::OpImageSampleDrefImplicitLod: lookup = {false, true, false}; return true;
    case spv::OpImageSampleDrefExplicitLod: lookup = {false, true, true}; return true;
    case spv::OpImageSampleProjImplicitLod: lookup = {true, false, false}; return true;
    case spv::OpImageSampleProjExplicitLod: lookup = {true, false, true}; return true;
    case spv::OpImageSampleProjDrefImplicitLod: lookup = {true, true, false}; return true;
    case spv::OpImageSampleProjDrefExplicitLod: lookup = {true, true, true}; return true;
    default: return false;
  }
}

}  // namespace

uint32_t ValueTranslator::sampler_of(const SpirvInstruction& one) const {
  const auto found = samplers_.find(one.at(0));
  if (found == samplers_.end()) fail(one, "a lookup in what is no sampler");
  return found->second;
}

bool ValueTranslator::translate_texture(const SpirvInstruction& one) {
  Lookup lookup;
  if (lookup_of(one.op, lookup)) {
    translate_sample(one);
    return true;
  }
  switch (one.op) {
    case spv::OpImage: samplers_[one.result] = sampler_of(one); return true;
    case spv::OpImageFetch: {
      const Values at = operand(one, 1);
      if (at.size() < 2) fail(one, "a texel has two coordinates");
      const bool has_level = one.operands.size() > 3 && (one.at(2) & spv::ImageOperandsLodMask) != 0;
      if (one.operands.size() > 2 && one.at(2) != spv::ImageOperandsLodMask)
        fail(one, "texel offsets are not supported");
      const Id level = has_level ? scalar(one, 3) : b_.whole(0);
      finish_sample(one, {whole_of(at[0]), whole_of(at[1]), whole_of(level)}, sampler_of(one) | kSampleFetch);
      return true;
    }
    case spv::OpImageQuerySizeLod:
    case spv::OpImageQuerySize: {
      const Id level = one.op == spv::OpImageQuerySizeLod ? whole_of(scalar(one, 1)) : b_.whole(0);
      const Id width = b_.make(Kind::whole, Role::temporary), height = b_.make(Kind::whole, Role::temporary);
      Instruction& made = b_.emit_bare(Op::texture_size, {level}, sampler_of(one));
      made.results = 2;
      made.result = {width, height};
      values_[one.result] = {width, height};
      return true;
    }
    default: return false;
  }
}

void ValueTranslator::translate_sample(const SpirvInstruction& one) {
  Lookup lookup;
  lookup_of(one.op, lookup);
  const size_t options_at = lookup.compares ? 3 : 2;
  const uint32_t options = one.operands.size() > options_at ? one.operands[options_at] : 0;
  const uint32_t known = spv::ImageOperandsBiasMask | spv::ImageOperandsLodMask | spv::ImageOperandsGradMask;
  if ((options & ~known) != 0) fail(one, "texel offsets are not supported");
  const uint32_t sampler = sampler_of(one);
  Values at = operand(one, 1);
  if (at.size() < (lookup.projects ? 3u : 2u)) fail(one, "a lookup with too few coordinates");
  Values operands{at[0], at[1]};
  if (lookup.compares) operands.push_back(scalar(one, 2));
  if (lookup.projects) {
    for (Id& x : operands) x = number_op(Op::divide, {x, at[2]});
  }
  const Id u = operands[0], v = operands[1];
  uint32_t extra = sampler;
  if (lookup.compares) {  // always of the first level
    extra |= kSampleCompare | kSampleLevel;
    operands.push_back(b_.number(0));
  } else if ((options & spv::ImageOperandsLodMask) != 0) {
    extra |= kSampleLevel;
    operands.push_back(scalar(one, options_at + 1));
  } else if ((options & spv::ImageOperandsGradMask) != 0) {
    const Values dx = operand(one, options_at + 1), dy = operand(one, options_at + 2);
    if (dx.size() < 2 || dy.size() < 2) fail(one, "changes of two coordinates are needed");
    operands.insert(operands.end(), {dx[0], dx[1], dy[0], dy[1]});
  } else {
    add_changes(operands, u, v, (options & spv::ImageOperandsBiasMask) != 0 ? scalar(one, options_at + 1) : kNoValue);
  }
  finish_sample(one, operands, extra);
}

// A bias adds to the level, which is the logarithm of the changes: it multiplies them.
void ValueTranslator::add_changes(Values& operands, Id u, Id v, Id bias) {
  const Id factor = bias == kNoValue ? kNoValue : number_op(Op::exp2, {bias});
  for (const Op op : {Op::change_x, Op::change_y}) {
    for (const Id x : {u, v}) {
      const Id change = change_of(op, x);
      operands.push_back(bias == kNoValue ? change : number_op(Op::multiply, {change, factor}));
    }
  }
}

void ValueTranslator::finish_sample(const SpirvInstruction& one, const Values& operands, uint32_t extra) {
  Values texel;
  for (int i = 0; i < 4; ++i) {
    texel.push_back(b_.make(Kind::number, Role::temporary));
    if (lanes_ != program_.running) made_in_[texel.back()] = lanes_;
  }
  Instruction& made = b_.emit_bare(Op::sample, {}, extra);
  for (const Id id : operands) made.operand[made.operands++] = id;
  made.operand[made.operands++] = lanes_;
  made.results = 4;
  std::copy(texel.begin(), texel.end(), made.result.begin());
  const uint32_t count = m_.type(one.type).scalars;
  if (count != 4 && count != 1) fail(one, "a lookup gives four numbers or one");
  texel.resize(count);
  values_[one.result] = std::move(texel);
}

}  // namespace brokkr::shader
