// Functions on the bits of words: fields, counts, packing, exponents. All become sequences of simpler instructions.
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp>

#include "shader/translator.h"

namespace brokkr::shader {

Id ValueTranslator::as_kind(Kind kind, Id v) {
  return program_.value(v).kind == kind ? v : emit(Op::reinterpret, kind, {v});
}

Id ValueTranslator::bit_count(Id v) {
  const Id halves = word_op(Op::int_subtract, v, word_op(Op::bits_and, shifted_right(v, 1), word(0x55555555)));
  const Id fours = word_op(Op::int_add, word_op(Op::bits_and, halves, word(0x33333333)),
                           word_op(Op::bits_and, shifted_right(halves, 2), word(0x33333333)));
  const Id bytes = word_op(Op::bits_and, word_op(Op::int_add, fours, shifted_right(fours, 4)), word(0x0f0f0f0f));
  return shifted_right(word_op(Op::int_multiply, bytes, word(0x01010101)), 24);
}

Id ValueTranslator::bits_reversed(Id v) {
  const std::pair<uint32_t, uint32_t> swaps[] = {
      {1, 0x55555555}, {2, 0x33333333}, {4, 0x0f0f0f0f}, {8, 0x00ff00ff}, {16, 0x0000ffff}};
  for (const auto& [by, mask] : swaps) {
    const Id upper = word_op(Op::bits_and, shifted_right(v, by), word(mask));
    v = word_op(Op::bits_or, upper, word_op(Op::shift_left, word_op(Op::bits_and, v, word(mask)), word(by)));
  }
  return v;
}

// The number of the highest set bit; -1 if none is set.
Id ValueTranslator::highest_bit(Id v) {
  for (const uint32_t by : {1u, 2u, 4u, 8u, 16u}) v = word_op(Op::bits_or, v, shifted_right(v, by));
  return word_op(Op::int_subtract, bit_count(v), word(1));
}

Id ValueTranslator::lowest_bit(Id v) {
  const Id alone = word_op(Op::bits_and, v, emit(Op::int_negate, Kind::natural, {v}));
  return highest_bit(alone);
}

// A mask of the lowest `count` bits. Shift counts are modulo 32.
Id ValueTranslator::low_bits(Id count) {
  const Id all = emit(Op::uint_less_equal, Kind::mask, {word(32), count});
  return choose(all, word(~0u), word_op(Op::int_subtract, word_op(Op::shift_left, word(1), count), word(1)));
}

// Extracts `count` bits from `offset` on.
Id ValueTranslator::bit_field(Id v, Id offset, Id count, bool is_signed) {
  if (!is_signed) return word_op(Op::bits_and, word_op(Op::shift_right, v, offset), low_bits(count));
  const Id unused = word_op(Op::int_subtract, word(32), count);
  const Id upmost = word_op(Op::shift_left, v, word_op(Op::int_subtract, unused, offset));
  const Id field =
      emit(Op::shift_right_signed, Kind::whole, {as_kind(Kind::whole, upmost), as_kind(Kind::whole, unused)});
  const Id none = emit(Op::int_equal, Kind::mask, {count, word(0)});
  return choose(none, word(0), as_kind(Kind::natural, field));
}

bool ValueTranslator::translate_bits(const SpirvInstruction& one) {
  const auto bits = [&](size_t i) {
    Values values = operand(one, i);
    for (Id& v : values) v = as_kind(Kind::natural, v);
    return values;
  };
  Values result;
  switch (one.op) {
    case spv::OpBitCount:
    case spv::OpBitReverse:
      for (const Id v : bits(0)) result.push_back(one.op == spv::OpBitCount ? bit_count(v) : bits_reversed(v));
      break;
    case spv::OpBitFieldUExtract:
    case spv::OpBitFieldSExtract: {
      const Id offset = bits(1).front(), count = bits(2).front();
      for (const Id v : bits(0)) result.push_back(bit_field(v, offset, count, one.op == spv::OpBitFieldSExtract));
      break;
    }
    case spv::OpBitFieldInsert: {
      const Values base = bits(0), insert = bits(1);
      const Id offset = bits(2).front(), mask = word_op(Op::shift_left, low_bits(bits(3).front()), offset);
      if (base.size() != insert.size()) fail(one, "operands of different sizes");
      for (size_t i = 0; i < base.size(); ++i) {
        const Id put = word_op(Op::bits_and, word_op(Op::shift_left, insert[i], offset), mask);
        const Id rest = word_op(Op::bits_and, base[i], emit(Op::bits_not, Kind::natural, {mask}));
        result.push_back(word_op(Op::bits_or, rest, put));
      }
      break;
    }
    default: return translate_wide(one);
  }
  if (result.size() != m_.type(one.type).scalars) fail(one, "a value of the wrong size");
  for (Id& v : result) v = as_kind(kind_of(one.type), v);
  values_[one.result] = std::move(result);
  return true;
}

// Instructions with two result words: sum and carry, or low and high word of a product.
bool ValueTranslator::translate_wide(const SpirvInstruction& one) {
  const bool adds = one.op == spv::OpIAddCarry, subtracts = one.op == spv::OpISubBorrow;
  const bool is_signed = one.op == spv::OpSMulExtended;
  if (!adds && !subtracts && !is_signed && one.op != spv::OpUMulExtended) return false;
  const Values a = operand(one, 0), b = operand(one, 1);
  if (a.size() != b.size()) fail(one, "operands of different sizes");
  Values low, high;
  for (size_t i = 0; i < a.size(); ++i) {
    const Id x = as_kind(Kind::natural, a[i]), y = as_kind(Kind::natural, b[i]);
    if (adds || subtracts) {
      low.push_back(word_op(adds ? Op::int_add : Op::int_subtract, x, y));
      const Id carries =
          adds ? emit(Op::uint_less, Kind::mask, {low.back(), x}) : emit(Op::uint_less, Kind::mask, {x, y});
      high.push_back(choose(carries, word(1), word(0)));
    } else {
      low.push_back(as_kind(program_.value(a[i]).kind, word_op(Op::int_multiply, x, y)));
      high.push_back(as_kind(program_.value(a[i]).kind, high_product(x, y, is_signed)));
    }
  }
  low.insert(low.end(), high.begin(), high.end());
  values_[one.result] = std::move(low);
  return true;
}

// Multiplies in 16-bit halves. A negative factor, taken as unsigned, is 2^32 too large, so we subtract the other factor
// from the high word.
Id ValueTranslator::high_product(Id x, Id y, bool is_signed) {
  const auto half = [&](Id v) { return word_op(Op::bits_and, v, word(0xffff)); };
  const auto times = [&](Id a, Id b) { return word_op(Op::int_multiply, a, b); };
  const auto plus = [&](Id a, Id b) { return word_op(Op::int_add, a, b); };
  const Id x0 = half(x), x1 = shifted_right(x, 16), y0 = half(y), y1 = shifted_right(y, 16);
  const Id first = plus(times(x1, y0), shifted_right(times(x0, y0), 16));
  const Id second = plus(times(x0, y1), half(first));
  Id high = plus(plus(times(x1, y1), shifted_right(first, 16)), shifted_right(second, 16));
  for (const auto& [factor, other] : {std::pair(x, y), std::pair(y, x)}) {
    if (!is_signed) break;
    const Id is_negative = emit(Op::int_less, Kind::mask, {as_kind(Kind::whole, factor), b_.whole(0)});
    high = word_op(Op::int_subtract, high, choose(is_negative, other, word(0)));
  }
  return high;
}

// Returns x * 2^e in two steps, so that each factor is a normal float.
Id ValueTranslator::times_power(Id x, Id e) {
  const Id bounded =
      emit(Op::int_minimum, Kind::whole,
           {emit(Op::int_maximum, Kind::whole, {as_kind(Kind::whole, e), b_.whole(-252)}), b_.whole(254)});
  const Id half = emit(Op::shift_right_signed, Kind::whole, {bounded, b_.whole(1)});
  const Id rest = emit(Op::int_subtract, Kind::whole, {bounded, half});
  for (const Id power : {half, rest}) {
    const Id biased = word_op(Op::int_add, as_kind(Kind::natural, power), word(127));
    x = number_op(Op::multiply, {x, as_kind(Kind::number, word_op(Op::shift_left, biased, word(23)))});
  }
  return x;
}

// Splits x into a mantissa in [0.5, 1) and an exponent; both are 0 for 0.
std::pair<Id, Id> ValueTranslator::taken_apart(Id x) {
  const Id bits = as_kind(Kind::natural, x);
  const Id exponent = word_op(Op::bits_and, shifted_right(bits, 23), word(0xff));
  const Id is_zero = emit(Op::int_equal, Kind::mask, {exponent, word(0)});
  const Id part = word_op(Op::bits_or, word_op(Op::bits_and, bits, word(0x807fffff)), word(0x3f000000));
  const Id power = as_kind(Kind::whole, word_op(Op::int_subtract, exponent, word(126)));
  return {choose(is_zero, x, as_kind(Kind::number, part)), choose(is_zero, b_.whole(0), power)};
}

Id ValueTranslator::half_of(Id x) {
  const Id bits = as_kind(Kind::natural, x), size = word_op(Op::bits_and, bits, word(0x7fffffff));
  const Id sign = word_op(Op::bits_and, shifted_right(bits, 16), word(0x8000));
  // Rounds to nearest even on the bits. Below 2^-14, the steps are 2^-24.
  const Id odd = word_op(Op::bits_and, shifted_right(size, 13), word(1));
  const Id raised = word_op(Op::int_add, word_op(Op::int_add, size, word(0xfffu - 0x38000000u)), odd);
  const Id steps =
      number_op(Op::round_even, {number_op(Op::multiply, {as_kind(Kind::number, size), b_.number(16777216)})});
  const auto less = [&](Id a, uint32_t b) { return emit(Op::uint_less, Kind::mask, {a, word(b)}); };
  Id half = choose(less(size, 0x38800000), emit(Op::float_to_uint, Kind::natural, {steps}), shifted_right(raised, 13));
  half = choose(less(size, 0x477ff000), half, word(0x7c00));
  half = choose(less(size, 0x7f800001), half, word(0x7e00));
  return word_op(Op::bits_or, half, sign);
}

Id ValueTranslator::number_of_half(Id half) {
  const Id size = word_op(Op::bits_and, half, word(0x7fff));
  const Id sign = word_op(Op::shift_left, word_op(Op::bits_and, half, word(0x8000)), word(16));
  const auto less = [&](uint32_t b) { return emit(Op::uint_less, Kind::mask, {size, word(b)}); };
  const Id raised = word_op(Op::shift_left, size, word(13));
  const Id small = number_op(Op::multiply, {emit(Op::uint_to_float, Kind::number, {size}), b_.number(0x1p-24f)});
  const Id normal = choose(less(0x7c00), word_op(Op::int_add, raised, word(0x38000000)),
                           word_op(Op::bits_or, raised, word(0x7f800000)));
  const Id bits = choose(less(0x400), as_kind(Kind::natural, small), normal);
  return as_kind(Kind::number, word_op(Op::bits_or, bits, sign));
}

namespace {

// A packed format: the bits of each number and its conversion.
struct Packing {
  uint32_t function = 0, bits = 0;
  bool packs = false, is_signed = false;
};
constexpr Packing kPackings[] = {
    {GLSLstd450PackUnorm4x8, 8, true, false},      {GLSLstd450PackSnorm4x8, 8, true, true},
    {GLSLstd450PackUnorm2x16, 16, true, false},    {GLSLstd450PackSnorm2x16, 16, true, true},
    {GLSLstd450UnpackUnorm4x8, 8, false, false},   {GLSLstd450UnpackSnorm4x8, 8, false, true},
    {GLSLstd450UnpackUnorm2x16, 16, false, false}, {GLSLstd450UnpackSnorm2x16, 16, false, true}};

}  // namespace

bool ValueTranslator::translate_packing(const SpirvInstruction& one, uint32_t function) {
  Values result;
  if (function == GLSLstd450PackHalf2x16) {
    const Values v = operand(one, 2);
    if (v.size() != 2) fail(one, "two numbers are packed");
    result = {word_op(Op::bits_or, half_of(v[0]), word_op(Op::shift_left, half_of(v[1]), word(16)))};
  } else if (function == GLSLstd450UnpackHalf2x16) {
    const Id v = as_kind(Kind::natural, scalar(one, 2));
    result = {number_of_half(word_op(Op::bits_and, v, word(0xffff))), number_of_half(shifted_right(v, 16))};
  } else {
    const auto* const found = std::find_if(std::begin(kPackings), std::end(kPackings),
                                           [&](const Packing& known) { return known.function == function; });
    if (found == std::end(kPackings)) return false;
    const uint32_t count = 32 / found->bits;
    const float max_code = float((1u << (found->bits - (found->is_signed ? 1 : 0))) - 1);
    const Id low = b_.number(found->is_signed ? -1.0f : 0.0f);
    const Values v = operand(one, 2);
    if (v.size() != (found->packs ? count : 1)) fail(one, "numbers of another count are packed");
    Id packed = word(0);
    for (uint32_t i = 0; i < count; ++i) {
      const Id place = word(i * found->bits), size = word(found->bits);
      if (found->packs) {
        const Id bounded = number_op(Op::clamp, {v[i], low, b_.number(1)});
        const Id steps = number_op(Op::round_even, {number_op(Op::multiply, {bounded, b_.number(max_code)})});
        const Id bits = as_kind(Kind::natural, emit(Op::float_to_int, Kind::whole, {steps}));
        const Id field = word_op(Op::bits_and, bits, low_bits(size));
        packed = word_op(Op::bits_or, packed, word_op(Op::shift_left, field, place));
      } else {
        const Id field = bit_field(as_kind(Kind::natural, v[0]), place, size, found->is_signed);
        const Id steps = found->is_signed ? emit(Op::int_to_float, Kind::number, {as_kind(Kind::whole, field)})
                                          : emit(Op::uint_to_float, Kind::number, {field});
        result.push_back(
            number_op(Op::clamp, {number_op(Op::divide, {steps, b_.number(max_code)}), low, b_.number(1)}));
      }
    }
    if (found->packs) result = {packed};
  }
  if (result.size() != m_.type(one.type).scalars) fail(one, "a value of the wrong size");
  for (Id& v : result) v = as_kind(kind_of(one.type), v);
  values_[one.result] = std::move(result);
  return true;
}

}  // namespace brokkr::shader
