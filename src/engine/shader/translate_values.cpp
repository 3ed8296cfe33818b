// Constants, variables and arithmetic.
#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp>

#include "shader/translator.h"

namespace brokkr::shader {

namespace {

// Instructions that work on each component separately.
struct Simple {
  uint16_t spirv;
  Op op;
  bool swapped = false, inverted = false;
};
constexpr Simple kSimple[] = {
    {spv::OpFNegate, Op::negate},
    {spv::OpFAdd, Op::add},
    {spv::OpFSub, Op::subtract},
    {spv::OpFMul, Op::multiply},
    {spv::OpFDiv, Op::divide},
    {spv::OpFMod, Op::modulo},
    {spv::OpFRem, Op::remainder},
    {spv::OpVectorTimesScalar, Op::multiply},
    {spv::OpMatrixTimesScalar, Op::multiply},
    {spv::OpSNegate, Op::int_negate},
    {spv::OpIAdd, Op::int_add},
    {spv::OpISub, Op::int_subtract},
    {spv::OpIMul, Op::int_multiply},
    {spv::OpSDiv, Op::int_divide},
    {spv::OpSRem, Op::int_remainder},
    {spv::OpSMod, Op::int_modulo},
    {spv::OpUDiv, Op::uint_divide},
    {spv::OpUMod, Op::uint_modulo},
    {spv::OpNot, Op::bits_not},
    {spv::OpBitwiseAnd, Op::bits_and},
    {spv::OpBitwiseOr, Op::bits_or},
    {spv::OpBitwiseXor, Op::bits_xor},
    {spv::OpShiftLeftLogical, Op::shift_left},
    {spv::OpShiftRightLogical, Op::shift_right},
    {spv::OpShiftRightArithmetic, Op::shift_right_signed},
    {spv::OpConvertFToS, Op::float_to_int},
    {spv::OpConvertFToU, Op::float_to_uint},
    {spv::OpConvertSToF, Op::int_to_float},
    {spv::OpConvertUToF, Op::uint_to_float},
    {spv::OpBitcast, Op::reinterpret},
    {spv::OpIEqual, Op::int_equal},
    {spv::OpINotEqual, Op::int_equal, false, true},
    {spv::OpSLessThan, Op::int_less},
    {spv::OpSLessThanEqual, Op::int_less_equal},
    {spv::OpSGreaterThan, Op::int_less, true},
    {spv::OpSGreaterThanEqual, Op::int_less_equal, true},
    {spv::OpULessThan, Op::uint_less},
    {spv::OpULessThanEqual, Op::uint_less_equal},
    {spv::OpUGreaterThan, Op::uint_less, true},
    {spv::OpUGreaterThanEqual, Op::uint_less_equal, true},
    {spv::OpFOrdEqual, Op::equal},
    {spv::OpFUnordEqual, Op::equal},  // GLSL has no unordered comparison: the result for NaN is undefined
    {spv::OpFOrdNotEqual, Op::not_equal},
    {spv::OpFUnordNotEqual, Op::not_equal},
    {spv::OpFOrdLessThan, Op::less},
    {spv::OpFOrdLessThanEqual, Op::less_equal},
    {spv::OpFOrdGreaterThan, Op::less, true},
    {spv::OpFOrdGreaterThanEqual, Op::less_equal, true},
    {spv::OpFUnordLessThan, Op::less_equal, true, true},
    {spv::OpFUnordLessThanEqual, Op::less, true, true},
    {spv::OpFUnordGreaterThan, Op::less_equal, false, true},
    {spv::OpFUnordGreaterThanEqual, Op::less, false, true},
    {spv::OpIsInf, Op::is_infinite},
    {spv::OpLogicalNot, Op::mask_not},
    {spv::OpLogicalAnd, Op::mask_and},
    {spv::OpLogicalOr, Op::mask_or},
    {spv::OpLogicalNotEqual, Op::mask_xor},
    {spv::OpLogicalEqual, Op::mask_xor, false, true},
};

// Returns true if an arithmetic instruction accepts words of either sign and returns its result type.
bool takes_any_sign(Op op) {
  return op == Op::int_divide || op == Op::int_remainder || op == Op::int_modulo || op == Op::uint_divide ||
         op == Op::uint_modulo || op == Op::shift_right || op == Op::shift_right_signed || op == Op::int_less ||
         op == Op::int_less_equal || op == Op::uint_less || op == Op::uint_less_equal || op == Op::float_to_int ||
         op == Op::float_to_uint || op == Op::int_to_float || op == Op::uint_to_float || op == Op::int_minimum ||
         op == Op::int_maximum || op == Op::uint_minimum || op == Op::uint_maximum || op == Op::int_absolute ||
         op == Op::int_sign;
}

Kind kind_of_shape(Shape shape) {
  return shape == Shape::whole ? Kind::whole : shape == Shape::natural ? Kind::natural : Kind::number;
}

}  // namespace

ValueTranslator::ValueTranslator(const SpirvModule& module) : m_(module), b_(program_) {
  program_.stage = module.stage;
  program_.running = b_.make(Kind::mask, Role::running);
  lanes_ = program_.running;
}

void ValueTranslator::fail(const SpirvInstruction& one, const std::string& what) const {
  throw ShaderError(one.line, what);
}

Kind ValueTranslator::kind_of(uint32_t id) const {
  const SpirvType& type = m_.type(id);
  switch (type.kind) {
    case TypeClass::boolean: return Kind::mask;
    case TypeClass::signed_integer: return Kind::whole;
    case TypeClass::unsigned_integer: return Kind::natural;
    case TypeClass::vector:
    case TypeClass::matrix:
    case TypeClass::array: return kind_of(type.element);
    default: return Kind::number;
  }
}

void ValueTranslator::append_kinds(uint32_t id, std::vector<Kind>& kinds) const {
  const SpirvType& type = m_.type(id);
  if (type.kind == TypeClass::structure) {
    for (const uint32_t member : type.members) append_kinds(member, kinds);
  } else if (type.kind == TypeClass::array) {
    for (uint32_t i = 0; i < type.count; ++i) append_kinds(type.element, kinds);
  } else {
    kinds.insert(kinds.end(), type.scalars, kind_of(id));
  }
}

Id ValueTranslator::emit(Op op, Kind kind, std::initializer_list<Id> operands) {
  const Id made = b_.emit(op, kind, operands);
  if (lanes_ != program_.running) made_in_[made] = lanes_;
  return made;
}

Id ValueTranslator::choose(Id lanes, Id yes, Id no) {
  const Kind kind = program_.value(yes).kind;
  return emit(kind == Kind::mask ? Op::mask_select : Op::select, kind, {lanes, yes, no});
}

Values ValueTranslator::operand(const SpirvInstruction& one, size_t i) {
  Values values = value(one.at(i), one.line);
  if (values.empty()) fail(one, "an operand has no value");
  return values;
}

Values ValueTranslator::value(uint32_t id, uint32_t line) {
  const auto made = values_.find(id);
  if (made != values_.end()) return made->second;
  const SpirvInstruction& one = m_.definition_of(id);
  if (one.op < spv::OpConstantTrue || (one.op > spv::OpSpecConstantComposite && one.op != spv::OpUndef)) {
    if (one.op != spv::OpUndef) throw ShaderError(line, "a value is used before it is made");
  }
  Values values = constant(one);
  values_[id] = values;
  return values;
}

Values ValueTranslator::constant(const SpirvInstruction& one) {
  if (one.op == spv::OpConstantComposite || one.op == spv::OpSpecConstantComposite) {
    Values all;
    for (const uint32_t part : one.operands) {
      const Values some = ValueTranslator::value(part, one.line);
      all.insert(all.end(), some.begin(), some.end());
      if (all.size() > kMaxScalars) fail(one, "a constant is too large");
    }
    return all;
  }
  const auto bits = m_.constants.find(one.result);
  if (bits != m_.constants.end()) return {b_.constant(kind_of(one.type), bits->second)};
  std::vector<Kind> kinds;  // OpConstantNull, OpUndef
  append_kinds(one.type, kinds);
  Values zeros;
  for (const Kind kind : kinds) zeros.push_back(b_.constant(kind, 0));
  return zeros;
}

bool ValueTranslator::translate_value(const SpirvInstruction& one) {
  switch (one.op) {
    case spv::OpLine:
    case spv::OpNoLine:
    case spv::OpNop:
    case spv::OpName:
    case spv::OpLoopMerge:
    case spv::OpSelectionMerge: return true;
    case spv::OpUndef: values_[one.result] = constant(one); return true;
    default: break;
  }
  for (const Simple& simple : kSimple) {
    if (simple.spirv != one.op) continue;
    apply(one, simple.op, 0, simple.swapped, simple.inverted);
    return true;
  }
  return translate_memory(one) || translate_composite(one) || translate_matrix(one) || translate_function(one);
}

// Applies an operation to each component of the operands from `first` on. Scalar operands are broadcast.
void ValueTranslator::apply(const SpirvInstruction& one, Op op, size_t first, bool swapped, bool inverted) {
  const Signature& signature = signature_of(op);
  std::array<Values, 3> operands;
  for (size_t i = 0; i < signature.operands; ++i) operands[i] = operand(one, first + i);
  if (swapped) std::swap(operands[0], operands[1]);
  const uint32_t count = m_.type(one.type).scalars;
  const Kind kind = kind_of(one.type);
  Values& result = values_[one.result];
  result.clear();
  for (uint32_t c = 0; c < count; ++c) {
    std::array<Id, 3> ids{};
    for (size_t i = 0; i < signature.operands; ++i) {
      const Values& components = operands[i];
      if (components.size() != 1 && components.size() != count) fail(one, "operands of different sizes");
      ids[i] = components.size() == 1 ? components[0] : components[c];
      const Kind wanted = kind_of_shape(signature.operand[i]);
      if (takes_any_sign(op) && program_.value(ids[i]).kind != wanted) ids[i] = emit(Op::reinterpret, wanted, {ids[i]});
    }
    const Kind makes = takes_any_sign(op) && kind != Kind::mask ? kind_of_shape(signature.result) : kind;
    Id made = signature.operands == 1   ? emit(op, makes, {ids[0]})
              : signature.operands == 2 ? emit(op, makes, {ids[0], ids[1]})
                                        : emit(op, makes, {ids[0], ids[1], ids[2]});
    if (makes != kind) made = emit(Op::reinterpret, kind, {made});
    result.push_back(inverted ? emit(Op::mask_not, Kind::mask, {made}) : made);
  }
}

Id ValueTranslator::dot(std::span<const Id> a, std::span<const Id> b) {
  Id sum = number_op(Op::multiply, {a[0], b[0]});
  for (size_t i = 1; i < a.size(); ++i) sum = number_op(Op::multiply_add, {a[i], b[i], sum});
  return sum;
}

bool ValueTranslator::translate_composite(const SpirvInstruction& one) {
  Values result;
  switch (one.op) {
    case spv::OpCopyLogical:
    case spv::OpCopyObject: result = operand(one, 0); break;
    case spv::OpCompositeConstruct:
      for (size_t i = 0; i < one.operands.size(); ++i) {
        const Values part = operand(one, i);
        result.insert(result.end(), part.begin(), part.end());
      }
      break;
    case spv::OpCompositeExtract:
    case spv::OpCompositeInsert: {
      const size_t whole = one.op == spv::OpCompositeInsert ? 1 : 0;
      const Values composite = operand(one, whole);
      // The composite's type. For an insertion it is the result's type, otherwise that of the definition.
      uint32_t type = whole == 1 ? one.type : m_.definition_of(one.at(0)).type, offset = 0;
      for (size_t i = whole + 1; i < one.operands.size(); ++i) offset += offset_in(type, one.operands[i], one.line);
      const uint32_t count = m_.type(type).scalars;
      if (offset + count > composite.size()) fail(one, "a component out of bounds");
      result.assign(composite.begin() + offset, composite.begin() + offset + count);
      if (whole == 1) {
        const Values part = operand(one, 0);
        if (part.size() != count) fail(one, "a component of the wrong size");
        result = composite;
        std::copy(part.begin(), part.end(), result.begin() + offset);
      }
      break;
    }
    case spv::OpVectorShuffle: {
      Values both = operand(one, 0);
      const Values second = operand(one, 1);
      both.insert(both.end(), second.begin(), second.end());
      for (size_t i = 2; i < one.operands.size(); ++i)
        result.push_back(both[one.operands[i] < both.size() ? one.operands[i] : 0]);
      break;
    }
    default: return translate_choice(one);
  }
  if (result.size() != m_.type(one.type).scalars) fail(one, "a value of the wrong size");
  values_[one.result] = std::move(result);
  return true;
}

// Selections between values, and any/all over components.
bool ValueTranslator::translate_choice(const SpirvInstruction& one) {
  Values result;
  switch (one.op) {
    case spv::OpVectorExtractDynamic: {
      const Values vector = operand(one, 0);
      const Id index = whole_of(scalar(one, 1));
      result = {vector[0]};
      for (uint32_t i = 1; i < vector.size(); ++i)
        result[0] = choose(emit(Op::int_equal, Kind::mask, {index, b_.whole(int32_t(i))}), vector[i], result[0]);
      break;
    }
    case spv::OpVectorInsertDynamic: {
      result = operand(one, 0);
      const Id part = scalar(one, 1), index = whole_of(scalar(one, 2));
      for (uint32_t i = 0; i < result.size(); ++i)
        result[i] = choose(emit(Op::int_equal, Kind::mask, {index, b_.whole(int32_t(i))}), part, result[i]);
      break;
    }
    case spv::OpSelect: {
      const Values lanes = operand(one, 0), yes = operand(one, 1), no = operand(one, 2);
      if (yes.size() != no.size() || (lanes.size() != 1 && lanes.size() != yes.size())) fail(one, "sizes differ");
      for (size_t i = 0; i < yes.size(); ++i) result.push_back(choose(lanes[lanes.size() == 1 ? 0 : i], yes[i], no[i]));
      break;
    }
    case spv::OpAny:
    case spv::OpAll: {
      const Values truths = operand(one, 0);
      result = {truths[0]};
      for (size_t i = 1; i < truths.size(); ++i)
        result[0] = emit(one.op == spv::OpAny ? Op::mask_or : Op::mask_and, Kind::mask, {result[0], truths[i]});
      break;
    }
    case spv::OpIsNan: {
      for (const Id x : operand(one, 0)) result.push_back(emit(Op::not_equal, Kind::mask, {x, x}));
      break;
    }
    default: return false;
  }
  if (result.size() != m_.type(one.type).scalars) fail(one, "a value of the wrong size");
  values_[one.result] = std::move(result);
  return true;
}

bool ValueTranslator::translate_matrix(const SpirvInstruction& one) {
  Values result;
  switch (one.op) {
    case spv::OpDot: {
      const Values a = operand(one, 0), b = operand(one, 1);
      if (a.size() != b.size()) fail(one, "vectors of different sizes");
      result = {dot(a, b)};
      break;
    }
    case spv::OpMatrixTimesVector:
    case spv::OpMatrixTimesMatrix: {
      const Values a = operand(one, 0), b = operand(one, 1);
      const size_t rows =
          one.op == spv::OpMatrixTimesVector ? m_.type(one.type).count : m_.type(m_.type(one.type).element).count;
      if (rows == 0 || a.size() % rows != 0 || b.size() % (a.size() / rows) != 0) fail(one, "sizes differ");
      const size_t inner = a.size() / rows;
      for (size_t column = 0; column < b.size() / inner; ++column) {
        for (size_t row = 0; row < rows; ++row) {
          Values along;
          for (size_t i = 0; i < inner; ++i) along.push_back(a[i * rows + row]);
          result.push_back(dot(along, std::span(b).subspan(column * inner, inner)));
        }
      }
      break;
    }
    case spv::OpVectorTimesMatrix: {
      const Values a = operand(one, 0), b = operand(one, 1);
      if (b.size() % a.size() != 0) fail(one, "sizes differ");
      for (size_t column = 0; column < b.size(); column += a.size())
        result.push_back(dot(a, std::span(b).subspan(column, a.size())));
      break;
    }
    case spv::OpOuterProduct: {
      const Values a = operand(one, 0);
      for (const Id y : operand(one, 1))
        for (const Id x : a) result.push_back(number_op(Op::multiply, {x, y}));
      break;
    }
    case spv::OpTranspose: {
      const Values a = operand(one, 0);
      const size_t columns = m_.type(m_.type(one.type).element).count;
      if (columns == 0 || a.size() % columns != 0) fail(one, "sizes differ");
      for (size_t row = 0; row < a.size() / columns; ++row)
        for (size_t column = 0; column < columns; ++column) result.push_back(a[column * (a.size() / columns) + row]);
      break;
    }
    default: return false;
  }
  if (result.size() != m_.type(one.type).scalars) fail(one, "a value of the wrong size");
  values_[one.result] = std::move(result);
  return true;
}

}  // namespace brokkr::shader
