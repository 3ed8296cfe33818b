// GLSL's functions, by their numbers in SPIR-V's instruction set GLSL.std.450.
#include <spirv/unified1/GLSL.std.450.h>
#include <algorithm>
#include <bit>
#include <spirv/unified1/spirv.hpp>

#include "shader/translator.h"

namespace brokkr::shader {

namespace {

struct ComponentFunction {
  uint32_t number;
  Op op;
};
constexpr ComponentFunction kOfComponents[] = {
    {GLSLstd450Round, Op::round_even},
    {GLSLstd450RoundEven, Op::round_even},
    {GLSLstd450Trunc, Op::truncate},
    {GLSLstd450FAbs, Op::absolute},
    {GLSLstd450SAbs, Op::int_absolute},
    {GLSLstd450FSign, Op::sign},
    {GLSLstd450SSign, Op::int_sign},
    {GLSLstd450Floor, Op::floor},
    {GLSLstd450Ceil, Op::ceiling},
    {GLSLstd450Fract, Op::fraction},
    {GLSLstd450Sin, Op::sine},
    {GLSLstd450Cos, Op::cosine},
    {GLSLstd450Tan, Op::tangent},
    {GLSLstd450Asin, Op::arc_sine},
    {GLSLstd450Acos, Op::arc_cosine},
    {GLSLstd450Atan, Op::arc_tangent},
    {GLSLstd450Atan2, Op::arc_tangent2},
    {GLSLstd450Sinh, Op::hyperbolic_sine},
    {GLSLstd450Cosh, Op::hyperbolic_cosine},
    {GLSLstd450Tanh, Op::hyperbolic_tangent},
    {GLSLstd450Exp, Op::exp},
    {GLSLstd450Log, Op::log},
    {GLSLstd450Exp2, Op::exp2},
    {GLSLstd450Log2, Op::log2},
    {GLSLstd450Sqrt, Op::square_root},
    {GLSLstd450InverseSqrt, Op::inverse_root},
    {GLSLstd450FMin, Op::minimum},
    {GLSLstd450NMin, Op::minimum},
    {GLSLstd450UMin, Op::uint_minimum},
    {GLSLstd450SMin, Op::int_minimum},
    {GLSLstd450FMax, Op::maximum},
    {GLSLstd450NMax, Op::maximum},
    {GLSLstd450UMax, Op::uint_maximum},
    {GLSLstd450SMax, Op::int_maximum},
    {GLSLstd450FClamp, Op::clamp},
    {GLSLstd450NClamp, Op::clamp},
    {GLSLstd450FMix, Op::mix},
    {GLSLstd450Step, Op::step},
    {GLSLstd450SmoothStep, Op::smooth_step},
    {GLSLstd450Fma, Op::multiply_add},
};

}  // namespace

bool ValueTranslator::translate_function(const SpirvInstruction& one) {
  switch (one.op) {
    case spv::OpDPdx:
    case spv::OpDPdxFine:
    case spv::OpDPdxCoarse:
    case spv::OpDPdy:
    case spv::OpDPdyFine:
    case spv::OpDPdyCoarse:
    case spv::OpFwidth:
    case spv::OpFwidthFine:
    case spv::OpFwidthCoarse: {
      const bool x = one.op == spv::OpDPdx || one.op == spv::OpDPdxFine || one.op == spv::OpDPdxCoarse;
      const bool y = one.op == spv::OpDPdy || one.op == spv::OpDPdyFine || one.op == spv::OpDPdyCoarse;
      Values result;
      for (const Id v : operand(one, 0)) {
        const auto change = [&](Op op) { return change_of(op, v); };
        result.push_back(x   ? change(Op::change_x)
                         : y ? change(Op::change_y)
                             : number_op(Op::add, {number_op(Op::absolute, {change(Op::change_x)}),
                                                   number_op(Op::absolute, {change(Op::change_y)})}));
      }
      values_[one.result] = std::move(result);
      return true;
    }
    case spv::OpExtInst: break;
    default: return translate_bits(one);
  }
  const uint32_t number = one.at(1);
  if (number == GLSLstd450Pow) return translate_power(one), true;
  for (const ComponentFunction& function : kOfComponents) {
    if (function.number != number) continue;
    apply(one, function.op, 2, false, false);
    return true;
  }
  if (translate_structured(one, number) || translate_inverse(one, number) || translate_packing(one, number) ||
      translate_interpolation(one, number) || translate_vector_function(one, number))
    return true;
  fail(one, "function " + std::to_string(number) + " of GLSL.std.450 is not supported");
}

// The change needs the mask of the lanes for which `v` was computed, because other lanes hold the result of another
// path. Inactive lanes may never have set a cell.
Id ValueTranslator::change_of(Op op, Id v) {
  const auto made = made_in_.find(v);
  if (made != made_in_.end()) return number_op(op, {v, made->second});
  return number_op(op, {v, program_.value(v).role == Role::cell ? lanes_ : program_.running});
}

// x^e of each component. GLSL leaves powers of negative numbers open; drivers multiply where the exponent is a small
// whole number, and texts count on it.
void ValueTranslator::translate_power(const SpirvInstruction& one) {
  const Values base = operand(one, 2), exponents = operand(one, 3);
  if (base.size() != exponents.size()) fail(one, "vectors of different sizes");
  Values result;
  for (size_t i = 0; i < base.size(); ++i) {
    const Id x = base[i], e = exponents[i];
    const auto is = [&](float number) {
      const Value& exponent = program_.value(e);
      return exponent.role == Role::constant && exponent.payload == std::bit_cast<uint32_t>(number);
    };
    const bool multiplies = is(2) || is(3) || is(4);
    const Id square = multiplies ? number_op(Op::multiply, {x, x}) : number_op(Op::power, {x, e});
    result.push_back(!multiplies || is(2) ? square : number_op(Op::multiply, {square, is(3) ? x : square}));
  }
  values_[one.result] = std::move(result);
}

bool ValueTranslator::translate_vector_function(const SpirvInstruction& one, uint32_t function) {
  const Values a = operand(one, 2);
  const auto scaled = [&](const Values& v, Id by) {
    Values result;
    for (const Id x : v) result.push_back(number_op(Op::multiply, {x, by}));
    return result;
  };
  const auto of_same_size = [&](size_t i) {
    Values v = operand(one, i);
    if (v.size() != a.size()) fail(one, "vectors of different sizes");
    return v;
  };
  Values result;
  switch (function) {
    case GLSLstd450Radians: result = scaled(a, b_.number(0.0174532925199433f)); break;
    case GLSLstd450Degrees: result = scaled(a, b_.number(57.2957795130823f)); break;
    case GLSLstd450SClamp:
    case GLSLstd450UClamp: {
      const bool is_signed = function == GLSLstd450SClamp;
      const Values low = of_same_size(3), high = of_same_size(4);
      for (size_t i = 0; i < a.size(); ++i) {
        const Kind kind = is_signed ? Kind::whole : Kind::natural;
        const Id raised = emit(is_signed ? Op::int_maximum : Op::uint_maximum, kind, {a[i], low[i]});
        result.push_back(emit(is_signed ? Op::int_minimum : Op::uint_minimum, kind, {raised, high[i]}));
      }
      break;
    }
    case GLSLstd450Asinh:
    case GLSLstd450Acosh:
    case GLSLstd450Atanh:
      for (const Id x : a) result.push_back(inverse_hyperbolic(function, x));
      break;
    case GLSLstd450Length: result = {number_op(Op::square_root, {dot(a, a)})}; break;
    case GLSLstd450Distance: {
      const Values b = of_same_size(3);
      Values way;
      for (size_t i = 0; i < a.size(); ++i) way.push_back(number_op(Op::subtract, {a[i], b[i]}));
      result = {number_op(Op::square_root, {dot(way, way)})};
      break;
    }
    case GLSLstd450Normalize: result = scaled(a, number_op(Op::inverse_root, {dot(a, a)})); break;
    case GLSLstd450Cross: {
      const Values b = of_same_size(3);
      if (a.size() != 3) fail(one, "a cross product takes vectors of three components");
      for (size_t i = 0; i < 3; ++i) {
        const size_t j = (i + 1) % 3, k = (i + 2) % 3;
        result.push_back(
            number_op(Op::subtract, {number_op(Op::multiply, {a[j], b[k]}), number_op(Op::multiply, {a[k], b[j]})}));
      }
      break;
    }
    case GLSLstd450FaceForward: {
      const Id faces = emit(Op::less, Kind::mask, {dot(of_same_size(4), of_same_size(3)), b_.number(0)});
      for (const Id x : a) result.push_back(choose(faces, x, number_op(Op::negate, {x})));
      break;
    }
    case GLSLstd450Reflect: {
      const Values n = of_same_size(3);
      const Id twice = number_op(Op::multiply, {b_.number(-2), dot(n, a)});
      for (size_t i = 0; i < a.size(); ++i) result.push_back(number_op(Op::multiply_add, {n[i], twice, a[i]}));
      break;
    }
    case GLSLstd450Refract: result = refracted(a, of_same_size(3), operand(one, 4).front()); break;
    default: return false;
  }
  values_[one.result] = std::move(result);
  return true;
}

// Functions with two results, and functions on exponents and bits.
bool ValueTranslator::translate_structured(const SpirvInstruction& one, uint32_t function) {
  Values first, second;
  switch (function) {
    case GLSLstd450Modf:
    case GLSLstd450ModfStruct:
      for (const Id x : operand(one, 2)) {
        second.push_back(number_op(Op::truncate, {x}));
        first.push_back(number_op(Op::subtract, {x, second.back()}));
      }
      break;
    case GLSLstd450Frexp:
    case GLSLstd450FrexpStruct:
      for (const Id x : operand(one, 2)) {
        const auto [part, exponent] = taken_apart(x);
        first.push_back(part);
        second.push_back(exponent);
      }
      break;
    case GLSLstd450Ldexp: {
      const Values x = operand(one, 2), e = operand(one, 3);
      if (x.size() != e.size()) fail(one, "operands of different sizes");
      for (size_t i = 0; i < x.size(); ++i) first.push_back(times_power(x[i], e[i]));
      break;
    }
    case GLSLstd450FindILsb:
    case GLSLstd450FindUMsb:
    case GLSLstd450FindSMsb:
      for (const Id v : operand(one, 2)) {
        Id bits = as_kind(Kind::natural, v);
        if (function == GLSLstd450FindSMsb) {
          const Id is_negative = emit(Op::int_less, Kind::mask, {as_kind(Kind::whole, v), b_.whole(0)});
          bits = choose(is_negative, emit(Op::bits_not, Kind::natural, {bits}), bits);
        }
        const Id found = function == GLSLstd450FindILsb ? lowest_bit(bits) : highest_bit(bits);
        first.push_back(as_kind(kind_of(one.type), found));
      }
      break;
    default: return false;
  }
  if (function == GLSLstd450Modf || function == GLSLstd450Frexp) {
    store(one, pointer(one, 3), second);
  } else {
    first.insert(first.end(), second.begin(), second.end());
  }
  if (first.size() != m_.type(one.type).scalars) fail(one, "a value of the wrong size");
  values_[one.result] = std::move(first);
  return true;
}

// The signed minor: the determinant without one column and one row, times the cofactor's sign.
Id ValueTranslator::minor(const Values& matrix, size_t size, size_t column, size_t row) {
  Values rest;
  for (size_t c = 0; c < size; ++c) {
    for (size_t r = 0; r < size; ++r) {
      if (c != column && r != row) rest.push_back(matrix[c * size + r]);
    }
  }
  const Id value = determinant(rest, size - 1);
  return (column + row) % 2 == 0 ? value : number_op(Op::negate, {value});
}

Id ValueTranslator::determinant(const Values& matrix, size_t size) {
  if (size == 1) return matrix[0];
  Values minors;
  for (size_t row = 0; row < size; ++row) minors.push_back(minor(matrix, size, 0, row));
  return dot(std::span(matrix).first(size), minors);
}

bool ValueTranslator::translate_inverse(const SpirvInstruction& one, uint32_t function) {
  if (function != GLSLstd450Determinant && function != GLSLstd450MatrixInverse) return false;
  const Values matrix = operand(one, 2);
  const size_t size = matrix.size() == 4 ? 2 : matrix.size() == 9 ? 3 : 4;
  if (matrix.size() != size * size) fail(one, "the matrix is not square");
  Values result;
  if (function == GLSLstd450Determinant) {
    result = {determinant(matrix, size)};
  } else {
    const Id whole = number_op(Op::divide, {b_.number(1), determinant(matrix, size)});
    for (size_t column = 0; column < size; ++column) {
      for (size_t row = 0; row < size; ++row)
        result.push_back(number_op(Op::multiply, {minor(matrix, size, row, column), whole}));
    }
  }
  if (result.size() != m_.type(one.type).scalars) fail(one, "a value of the wrong size");
  values_[one.result] = std::move(result);
  return true;
}

// The position of a sample relative to the pixel's centre, in pixels.
Values ValueTranslator::place_of_sample(Id number) {
  const Values packed = sample_words(SampleWord::places_x, Kind::natural, 2);
  const Id natural = emit(Op::reinterpret, Kind::natural, {number});
  const Id bits = emit(Op::shift_left, Kind::natural, {natural, b_.constant(Kind::natural, 2)});
  Values place;
  for (const Id places : packed) {
    const Id at = emit(Op::shift_right, Kind::natural, {places, bits});
    const Id part = emit(Op::bits_and, Kind::natural, {at, b_.constant(Kind::natural, 15)});
    const Id number_of_part = emit(Op::uint_to_float, Kind::number, {part});
    place.push_back(number_op(Op::multiply_add, {number_of_part, b_.number(1.0f / 16), b_.number(-0.5f)}));
  }
  return place;
}

// Interpolates at another position in the pixel, from the value at its centre and the changes within the quad.
bool ValueTranslator::translate_interpolation(const SpirvInstruction& one, uint32_t function) {
  if (function != GLSLstd450InterpolateAtCentroid && function != GLSLstd450InterpolateAtSample &&
      function != GLSLstd450InterpolateAtOffset)
    return false;
  Values result = load(one, pointer(one, 2));
  const Values offset = function == GLSLstd450InterpolateAtCentroid
                            ? sample_words(SampleWord::centroid_x, Kind::number, 2)
                        : function == GLSLstd450InterpolateAtSample ? place_of_sample(scalar(one, 3))
                                                                    : operand(one, 3);
  if (offset.size() != 2) fail(one, "an offset has two numbers");
  for (Id& v : result) {
    const Id x = number_op(Op::multiply, {change_of(Op::change_x, v), offset[0]});
    const Id y = number_op(Op::multiply, {change_of(Op::change_y, v), offset[1]});
    v = number_op(Op::add, {v, number_op(Op::add, {x, y})});
  }
  values_[one.result] = std::move(result);
  return true;
}

// Computes ln(1 + x) without losing the digits of x (W. Kahan): with u = 1 + x, it is x ln u / (u - 1), or x if u = 1.
Id ValueTranslator::log_of_one_and(Id x) {
  const Id one = b_.number(1), u = number_op(Op::add, {one, x});
  const Id is_one = emit(Op::equal, Kind::mask, {u, one});
  const Id ratio = number_op(Op::divide, {number_op(Op::log, {u}), number_op(Op::subtract, {u, one})});
  return choose(is_one, x, number_op(Op::multiply, {x, ratio}));
}

// asinh |x| = ln(1 + |x| + x^2 / (1 + sqrt(x^2 + 1))), acosh x = ln(1 + t + sqrt(2 t + t^2)) with t = x - 1, atanh |x|
// = ln(1 + 2 |x| / (1 - |x|)) / 2. Beyond 1e8 the first two are ln(2 |x|).
Id ValueTranslator::inverse_hyperbolic(uint32_t function, Id x) {
  const Id one = b_.number(1), two = b_.number(2), size = number_op(Op::absolute, {x});
  const auto add = [&](Id a, Id b) { return number_op(Op::add, {a, b}); };
  const auto multiply = [&](Id a, Id b) { return number_op(Op::multiply, {a, b}); };
  const auto root = [&](Id a) { return number_op(Op::square_root, {a}); };
  const auto signed_as_x = [&](Id a) {
    return choose(emit(Op::less, Kind::mask, {x, b_.number(0)}), number_op(Op::negate, {a}), a);
  };
  if (function == GLSLstd450Atanh) {
    const Id ratio = number_op(Op::divide, {multiply(two, size), number_op(Op::subtract, {one, size})});
    return signed_as_x(multiply(b_.number(0.5f), log_of_one_and(ratio)));
  }
  const Id is_large = emit(Op::less, Kind::mask, {b_.number(1e8f), size});
  const Id large = add(number_op(Op::log, {size}), b_.number(0.693147181f));
  if (function == GLSLstd450Acosh) {
    const Id t = number_op(Op::subtract, {x, one});
    return choose(is_large, large, log_of_one_and(add(t, root(add(multiply(two, t), multiply(t, t))))));
  }
  const Id square = multiply(size, size);
  const Id rest = number_op(Op::divide, {square, add(one, root(add(square, one)))});
  return signed_as_x(choose(is_large, large, log_of_one_and(add(size, rest))));
}

// k = 1 - eta^2 (1 - (n.i)^2). The result is 0 if k < 0, otherwise eta i - (eta n.i + sqrt k) n.
Values ValueTranslator::refracted(const Values& i, const Values& n, Id eta) {
  const Id one = b_.number(1), zero = b_.number(0), cosine = dot(n, i);
  const Id sine2 = number_op(Op::subtract, {one, number_op(Op::multiply, {cosine, cosine})});
  const Id k = number_op(Op::subtract, {one, number_op(Op::multiply, {number_op(Op::multiply, {eta, eta}), sine2})});
  const Id reflects = emit(Op::less, Kind::mask, {k, zero});
  const Id root = number_op(Op::square_root, {number_op(Op::maximum, {k, zero})});
  const Id along = number_op(Op::multiply_add, {eta, cosine, root});
  Values result;
  for (size_t c = 0; c < i.size(); ++c) {
    const Id bent =
        number_op(Op::subtract, {number_op(Op::multiply, {eta, i[c]}), number_op(Op::multiply, {along, n[c]})});
    result.push_back(choose(reflects, zero, bent));
  }
  return result;
}

}  // namespace brokkr::shader
