// Arithmetic: one, two or three operands of a type.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "ptx/lanes.h"
#include "ptx/program.h"

namespace brokkr::ptx {
namespace {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

// Integers wrap around: signed ones are computed as unsigned ones.
struct Add {
  template <class T>
  static T run(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return T(Unsigned<T>(a) + Unsigned<T>(b));
    else
      return a + b;
  }
};
struct Sub {
  template <class T>
  static T run(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return T(Unsigned<T>(a) - Unsigned<T>(b));
    else
      return a - b;
  }
};
struct Mul {
  template <class T>
  static T run(T a, T b) {
    if constexpr (sizeof(T) == 2 && std::is_integral_v<T>)
      return T(uint32_t(a) * uint32_t(b));
    else if constexpr (std::is_integral_v<T>)
      return T(Unsigned<T>(a) * Unsigned<T>(b));
    else
      return a * b;
  }
};
struct MulHigh {
  template <class T>
  static T run(T a, T b) {
    if constexpr (sizeof(T) == 8) {
      using Wide = std::conditional_t<std::is_signed_v<T>, Int128, Uint128>;
      return T(Wide(a) * Wide(b) >> 64);
    } else {
      using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
      return T(Wide(a) * Wide(b) >> kBits<T>);
    }
  }
};
struct MulWide {
  template <class T>
  static auto run(T a, T b) {
    using Wide = std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
                                    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
    return Wide(a) * Wide(b);
  }
};
struct MadLow {
  template <class T>
  static T run(T a, T b, T c) {
    return Add::run<T>(Mul::run<T>(a, b), c);
  }
};
struct MadHigh {
  template <class T>
  static T run(T a, T b, T c) {
    return Add::run<T>(MulHigh::run<T>(a, b), c);
  }
};
struct MadWide {
  template <class T, class W>
  static W run(T a, T b, W c) {
    return Add::run<W>(W(MulWide::run<T>(a, b)), c);
  }
};
struct Fma {
  template <class T>
  static T run(T a, T b, T c) {
    if constexpr (std::is_same_v<T, Half>)
      return Half(float(a) * float(b) + float(c));
    else
      return std::fma(a, b, c);
  }
};
struct Div {
  static constexpr bool kCareful = true;
  template <class T>
  static T run(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return T(~T(0));
      if (std::is_signed_v<T> && b == T(-1)) return T(Unsigned<T>(0) - Unsigned<T>(a));
      return T(a / b);
    }
  }
};
struct FloatDiv {
  template <class T>
  static T run(T a, T b) {
    return a / b;
  }
};
struct Rem {
  static constexpr bool kCareful = true;
  template <class T>
  static T run(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == T(-1)) return 0;
    return T(a % b);
  }
};
struct Min {
  template <class T>
  static T run(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return b < a ? b : a;
    } else {
      const T least = a < b || (a == b && std::signbit(Wider<T>(a))) ? a : b;
      return b != b ? a : a != a ? b : least;
    }
  }
};
struct Max {
  template <class T>
  static T run(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return a < b ? b : a;
    } else {
      const T most = a > b || (a == b && !std::signbit(Wider<T>(a))) ? a : b;
      return b != b ? a : a != a ? b : most;
    }
  }
};
struct And {
  template <class T>
  static T run(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T run(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T run(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  static T run(T a) {
    return T(~a);
  }
};
struct Cnot {
  template <class T>
  static T run(T a) {
    return T(a == 0);
  }
};
struct Neg {
  template <class T>
  static T run(T a) {
    if constexpr (std::is_integral_v<T>)
      return T(Unsigned<T>(0) - Unsigned<T>(a));
    else
      return -a;
  }
};
struct Abs {
  template <class T>
  static T run(T a) {
    if constexpr (std::is_integral_v<T>)
      return a < 0 ? Neg::run<T>(a) : a;
    else
      return T(std::fabs(Wider<T>(a)));
  }
};
struct Shl {
  template <class T>
  static T run(T a, uint32_t n) {
    return n < uint32_t(kBits<T>) ? T(a << n) : T(0);
  }
};
struct Shr {
  template <class T>
  static T run(T a, uint32_t n) {
    if constexpr (std::is_signed_v<T>)
      return T(a >> std::min(n, uint32_t(kBits<T>) - 1));
    else
      return n < uint32_t(kBits<T>) ? T(a >> n) : T(0);
  }
};
struct Popc {
  template <class T>
  static uint32_t run(T a) {
    return uint32_t(std::popcount(a));
  }
};
struct Clz {
  template <class T>
  static uint32_t run(T a) {
    return uint32_t(std::countl_zero(a));
  }
};
struct Brev {
  template <class T>
  static T run(T a) {
    T r = 0;
    for (int i = 0; i < kBits<T>; ++i) r |= T((a >> i & 1) << (kBits<T> - 1 - i));
    return r;
  }
};
template <bool kShift>
struct Bfind {
  template <class T>
  static uint32_t run(T a) {
    const auto bits = Unsigned<T>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (bits == 0) return ~0u;
    const uint32_t above = uint32_t(std::countl_zero(bits));
    return kShift ? above : uint32_t(kBits<T>) - 1 - above;
  }
};
struct CopySign {
  template <class T>
  static T run(T a, T b) {
    return T(std::copysign(Wider<T>(b), Wider<T>(a)));
  }
};

// Functions that a GPU approximates are exact here. Code whose results must agree with a CPU must not use them.
struct Sqrt {
  template <class T>
  static T run(T a) {
    return std::sqrt(a);
  }
};
struct Rcp {
  template <class T>
  static T run(T a) {
    return T(1) / a;
  }
};
struct Rsqrt {
  template <class T>
  static T run(T a) {
    return T(1.0 / std::sqrt(double(a)));
  }
};
struct Sin {
  static constexpr bool kCareful = true;
  template <class T>
  static T run(T a) {
    return T(std::sin(double(a)));
  }
};
struct Cos {
  static constexpr bool kCareful = true;
  template <class T>
  static T run(T a) {
    return T(std::cos(double(a)));
  }
};
struct Ex2 {
  static constexpr bool kCareful = true;
  template <class T>
  static T run(T a) {
    return T(std::exp2(double(a)));
  }
};
struct Lg2 {
  static constexpr bool kCareful = true;
  template <class T>
  static T run(T a) {
    return T(std::log2(double(a)));
  }
};
struct Tanh {
  static constexpr bool kCareful = true;
  template <class T>
  static T run(T a) {
    return T(std::tanh(double(a)));
  }
};

// An operation whose rounding mode the host's compiler must not move.
template <class Op, class T, class... More>
__attribute__((noinline)) T rounded(T a, More... more) {
  return opaque(Op::template run<T>(opaque(a), opaque(more)...));
}

template <class Op, class T, int kOperands>
void odd(Warp& w, const Instruction& in, uint32_t lanes) {
  const uint8_t mode = in.mode;
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    const auto get = [&](Place p) {
      const T value = from_word<T>(row<T>(w, p)[l]);
      return (mode & 4) != 0 ? flushed(value) : value;
    };
    T result;
    {
      const Rounded way(mode);
      if constexpr (kOperands == 1) result = rounded<Op, T>(get(in.a));
      if constexpr (kOperands == 2) result = rounded<Op, T>(get(in.a), get(in.b));
      if constexpr (kOperands == 3) result = rounded<Op, T>(get(in.a), get(in.b), get(in.c));
    }
    row<T>(w, in.d)[l] = to_word<T>(finished(result, mode));
  }
}

struct SaturatedAdd {
  template <class T>
  static T run(T a, T b) {
    const int64_t sum = int64_t(a) + int64_t(b);
    return T(std::clamp<int64_t>(sum, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
};
struct SaturatedSub {
  template <class T>
  static T run(T a, T b) {
    const int64_t difference = int64_t(a) - int64_t(b);
    return T(std::clamp<int64_t>(difference, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
};
struct Sad {
  template <class T>
  static T run(T a, T b, T c) {
    return Add::run<T>(c, a < b ? Sub::run<T>(b, a) : Sub::run<T>(a, b));
  }
};

// Operations on floating-point numbers of a type; `is_odd`: with a non-default rounding.
using FloatHandler = Handler (*)(Type, bool is_odd);
template <class Op, bool kHalf = false>
Handler unary_float(Type t, bool is_odd) {
  if (t == Type::f32) return is_odd ? &odd<Op, float, 1> : &unary<Op, float, float>;
  if (t == Type::f64) return is_odd ? &odd<Op, double, 1> : &unary<Op, double, double>;
  if constexpr (kHalf) return &unary<Op, Half, Half>;
  return nullptr;
}
template <class Op, bool kHalf = true>
Handler binary_float(Type t, bool is_odd) {
  if (t == Type::f32) return is_odd ? &odd<Op, float, 2> : &binary<Op, float, float, float>;
  if (t == Type::f64) return is_odd ? &odd<Op, double, 2> : &binary<Op, double, double, double>;
  if constexpr (kHalf) return is_odd ? nullptr : &binary<Op, Half, Half, Half>;
  return nullptr;
}
template <class Op>
Handler ternary_float(Type t, bool is_odd) {
  if (t == Type::f32) return is_odd ? &odd<Op, float, 3> : &ternary<Op, float, float, float, float>;
  if (t == Type::f64) return is_odd ? &odd<Op, double, 3> : &ternary<Op, double, double, double, double>;
  return is_odd ? nullptr : &ternary<Op, Half, Half, Half, Half>;
}

// Operations on integers of a type.
using IntegerHandler = Handler (*)(Type);
template <class Op>
Handler unary_integer(Type t) {
  return for_integer(t, [](auto tag) -> Handler { return &unary<Op, decltype(tag), decltype(tag)>; });
}
template <class Op>
Handler unary_bits(Type t) {
  return is_wide(t) ? &unary<Op, uint64_t, uint64_t> : &unary<Op, uint32_t, uint32_t>;
}
template <class Op>
Handler count_in_bits(Type t) {
  return is_wide(t) ? &unary<Op, uint32_t, uint64_t> : &unary<Op, uint32_t, uint32_t>;
}
template <class Op>
Handler count_in_integer(Type t) {
  return for_integer(t, [](auto tag) -> Handler { return &unary<Op, uint32_t, decltype(tag)>; });
}
template <class Op>
Handler binary_integer(Type t) {
  return for_integer(t, [](auto tag) -> Handler { return &binary<Op, decltype(tag), decltype(tag), decltype(tag)>; });
}
template <class Op>
Handler binary_bits(Type t) {
  return for_bits(t, [](auto tag) -> Handler { return &binary<Op, decltype(tag), decltype(tag), decltype(tag)>; });
}
template <class Op>
Handler shift(Type t) {
  return for_integer(t, [](auto tag) -> Handler { return &binary<Op, decltype(tag), decltype(tag), uint32_t>; });
}
template <class Op>
Handler ternary_integer(Type t) {
  return for_integer(t, [](auto tag) -> Handler {
    using T = decltype(tag);
    return &ternary<Op, T, T, T, T>;
  });
}

constexpr Named<FloatHandler> kUnaryFloats[] = {
    {"neg", &unary_float<Neg, true>}, {"abs", &unary_float<Abs, true>}, {"sqrt", &unary_float<Sqrt>},
    {"rcp", &unary_float<Rcp>},       {"rsqrt", &unary_float<Rsqrt>},   {"sin", &unary_float<Sin>},
    {"cos", &unary_float<Cos>},       {"ex2", &unary_float<Ex2>},       {"lg2", &unary_float<Lg2>},
    {"tanh", &unary_float<Tanh>},
};
constexpr Named<IntegerHandler> kUnaryIntegers[] = {
    {"neg", &unary_integer<Neg>},
    {"abs", &unary_integer<Abs>},
    {"not", &unary_integer<Not>},
    {"cnot", &unary_integer<Cnot>},
    {"brev", &unary_bits<Brev>},
    {"popc", &count_in_bits<Popc>},
    {"clz", &count_in_bits<Clz>},
    {"bfind", &count_in_integer<Bfind<false>>},
    {"bfind.shiftamt", &count_in_integer<Bfind<true>>},
};
constexpr Named<FloatHandler> kBinaryFloats[] = {
    {"add", &binary_float<Add>},
    {"sub", &binary_float<Sub>},
    {"mul", &binary_float<Mul>},
    {"div", &binary_float<FloatDiv>},
    {"min", &binary_float<Min, false>},
    {"max", &binary_float<Max, false>},
    {"copysign", &binary_float<CopySign, false>},
};
constexpr Named<IntegerHandler> kBinaryIntegers[] = {
    {"add", &binary_integer<Add>},
    {"sub", &binary_integer<Sub>},
    {"mul", &binary_integer<Mul>},
    {"mul.lo", &binary_integer<Mul>},
    {"mul.hi", &binary_integer<MulHigh>},
    {"div", &binary_integer<Div>},
    {"rem", &binary_integer<Rem>},
    {"min", &binary_integer<Min>},
    {"max", &binary_integer<Max>},
    {"and", &binary_bits<And>},
    {"or", &binary_bits<Or>},
    {"xor", &binary_bits<Xor>},
    {"shl", &shift<Shl>},
    {"shr", &shift<Shr>},
};
constexpr Named<IntegerHandler> kTernaryIntegers[] = {
    {"mad", &ternary_integer<MadLow>},
    {"mad.lo", &ternary_integer<MadLow>},
    {"mad.hi", &ternary_integer<MadHigh>},
    {"sad", &ternary_integer<Sad>},
};

}  // namespace

Handler unary_handler(std::string_view operation, Type t, const Rounding& r) {
  if (is_float(t)) {
    const FloatHandler make = find(kUnaryFloats, operation);
    return make == nullptr ? nullptr : make(t, rounding_mode(r) != 0);
  }
  const IntegerHandler make = find(kUnaryIntegers, operation);
  return make == nullptr ? nullptr : make(t);
}

Handler binary_handler(std::string_view operation, Type t, const Rounding& r) {
  if (is_float(t)) {
    const FloatHandler make = find(kBinaryFloats, operation);
    return make == nullptr ? nullptr : make(t, rounding_mode(r) != 0 && operation != "copysign");
  }
  if (r.saturate && t == Type::s32 && operation == "add") return &binary<SaturatedAdd, int32_t, int32_t, int32_t>;
  if (r.saturate && t == Type::s32 && operation == "sub") return &binary<SaturatedSub, int32_t, int32_t, int32_t>;
  const IntegerHandler make = find(kBinaryIntegers, operation);
  return make == nullptr ? nullptr : make(t);
}

Handler ternary_handler(std::string_view operation, Type t, const Rounding& r) {
  if (operation == "fma" || (operation == "mad" && is_float(t))) return ternary_float<Fma>(t, rounding_mode(r) != 0);
  const IntegerHandler make = find(kTernaryIntegers, operation);
  return make == nullptr ? nullptr : make(t);
}

Handler wide_handler(std::string_view op, Type t) {
  const bool mad = op == "mad.wide";
  switch (t) {
    case Type::u16: return mad ? nullptr : &binary<MulWide, uint32_t, uint16_t, uint16_t>;
    case Type::s16: return mad ? nullptr : &binary<MulWide, int32_t, int16_t, int16_t>;
    case Type::u32:
      return mad ? &ternary<MadWide, uint64_t, uint32_t, uint32_t, uint64_t>
                 : &binary<MulWide, uint64_t, uint32_t, uint32_t>;
    case Type::s32:
      return mad ? &ternary<MadWide, int64_t, int32_t, int32_t, int64_t> : &binary<MulWide, int64_t, int32_t, int32_t>;
    default: return nullptr;
  }
}

}  // namespace brokkr::ptx
