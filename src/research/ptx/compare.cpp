// Comparisons, selections, and predicates.
#include "ptx/lanes.h"
#include "ptx/program.h"

namespace brokkr::ptx {
namespace {

struct Equal {
  template <class T>
  static bool run(T a, T b) {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
  static bool run(T a, T b) {
    return a < b || a > b;
  }
};
struct Less {
  template <class T>
  static bool run(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  static bool run(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  static bool run(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
  static bool run(T a, T b) {
    return a >= b;
  }
};
struct EqualOr {
  template <class T>
  static bool run(T a, T b) {
    return !(a < b || a > b);
  }
};
struct NotEqualOr {
  template <class T>
  static bool run(T a, T b) {
    return a != b;
  }
};
struct LessOr {
  template <class T>
  static bool run(T a, T b) {
    return !(a >= b);
  }
};
struct LessEqualOr {
  template <class T>
  static bool run(T a, T b) {
    return !(a > b);
  }
};
struct GreaterOr {
  template <class T>
  static bool run(T a, T b) {
    return !(a <= b);
  }
};
struct GreaterEqualOr {
  template <class T>
  static bool run(T a, T b) {
    return !(a < b);
  }
};
struct Number {
  template <class T>
  static bool run(T a, T b) {
    return a == a && b == b;
  }
};
struct NotNumber {
  template <class T>
  static bool run(T a, T b) {
    return a != a || b != b;
  }
};

enum class Combine { none, with_and, with_or, with_xor };

template <class T, class Comparison, Combine kCombine>
void compare(Warp& w, const Instruction& in, uint32_t lanes) {
  const WordOf<T>* const a = row<T>(w, in.a);
  const WordOf<T>* const b = row<T>(w, in.b);
  uint32_t p =
      lanes_where([&](uint32_t l) { return Comparison::template run<T>(from_word<T>(a[l]), from_word<T>(b[l])); });
  uint32_t q = ~p;
  if constexpr (kCombine != Combine::none) {
    const uint32_t c = w.bits(in.c, in.c_negated);
    if constexpr (kCombine == Combine::with_and) p &= c, q &= c;
    if constexpr (kCombine == Combine::with_or) p |= c, q |= c;
    if constexpr (kCombine == Combine::with_xor) p ^= c, q ^= c;
  }
  if (in.d != kNowhere) {
    uint32_t& d = *w.words(in.d);
    d = (d & ~lanes) | (p & lanes);
  }
  if (in.e != kNowhere) {
    uint32_t& e = *w.words(in.e);
    e = (e & ~lanes) | (q & lanes);
  }
}
// Handlers of a comparison, by how a third operand is combined with it.
using CombinedHandler = Handler (*)(std::string_view combine);
template <class T, class Comparison>
Handler combined(std::string_view combine) {
  constexpr Named<Handler> kCombinations[] = {{"", &compare<T, Comparison, Combine::none>},
                                              {"and", &compare<T, Comparison, Combine::with_and>},
                                              {"or", &compare<T, Comparison, Combine::with_or>},
                                              {"xor", &compare<T, Comparison, Combine::with_xor>}};
  return find(kCombinations, combine);
}
template <class T>
CombinedHandler integer_comparison(std::string_view name) {
  using U = Unsigned<T>;
  constexpr Named<CombinedHandler> kComparisons[] = {{"eq", &combined<T, Equal>},   {"ne", &combined<T, NotEqual>},
                                                     {"lt", &combined<T, Less>},    {"le", &combined<T, LessEqual>},
                                                     {"gt", &combined<T, Greater>}, {"ge", &combined<T, GreaterEqual>},
                                                     {"lo", &combined<U, Less>},    {"ls", &combined<U, LessEqual>},
                                                     {"hi", &combined<U, Greater>}, {"hs", &combined<U, GreaterEqual>}};
  return find(kComparisons, name);
}
template <class T>
CombinedHandler float_comparison(std::string_view name) {
  constexpr Named<CombinedHandler> kComparisons[] = {
      {"eq", &combined<T, Equal>},        {"ne", &combined<T, NotEqual>},    {"lt", &combined<T, Less>},
      {"le", &combined<T, LessEqual>},    {"gt", &combined<T, Greater>},     {"ge", &combined<T, GreaterEqual>},
      {"equ", &combined<T, EqualOr>},     {"neu", &combined<T, NotEqualOr>}, {"ltu", &combined<T, LessOr>},
      {"leu", &combined<T, LessEqualOr>}, {"gtu", &combined<T, GreaterOr>},  {"geu", &combined<T, GreaterEqualOr>},
      {"num", &combined<T, Number>},      {"nan", &combined<T, NotNumber>}};
  return find(kComparisons, name);
}

template <class W>
void select(Warp& w, const Instruction& in, uint32_t lanes) {
  const W* const a = row<W>(w, in.a);
  const W* const b = row<W>(w, in.b);
  const uint32_t p = w.bits(in.c, in.c_negated);
  W results[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) results[l] = (p >> l & 1) != 0 ? a[l] : b[l];
  keep(row<W>(w, in.d), results, lanes);
}

// On predicates: f works on words that hold all lanes' bits; one operand or two.
template <class Op, bool kTwo>
void predicate(Warp& w, const Instruction& in, uint32_t lanes) {
  const uint32_t a = w.bits(in.a, in.a_negated);
  const uint32_t b = kTwo ? w.bits(in.b, in.b_negated) : 0;
  uint32_t& d = *w.words(in.d);
  d = (d & ~lanes) | (Op::run(a, b) & lanes);
}
struct BothBits {
  static uint32_t run(uint32_t a, uint32_t b) { return a & b; }
};
struct AnyBit {
  static uint32_t run(uint32_t a, uint32_t b) { return a | b; }
};
struct OneBit {
  static uint32_t run(uint32_t a, uint32_t b) { return a ^ b; }
};
struct NotBit {
  static uint32_t run(uint32_t a, uint32_t) { return ~a; }
};
struct SameBit {
  static uint32_t run(uint32_t a, uint32_t) { return a; }
};

}  // namespace

Handler compare_handler(std::string_view comparison, std::string_view combine, Type t) {
  const auto combined_with = [&](CombinedHandler make) { return make == nullptr ? nullptr : make(combine); };
  if (t == Type::f32) return combined_with(float_comparison<float>(comparison));
  if (t == Type::f64) return combined_with(float_comparison<double>(comparison));
  if (t == Type::f16) return combined_with(float_comparison<Half>(comparison));
  return for_integer(t,
                     [&](auto tag) -> Handler { return combined_with(integer_comparison<decltype(tag)>(comparison)); });
}

Handler select_handler(Type t) { return is_wide(t) ? &select<uint64_t> : &select<uint32_t>; }

Handler predicate_handler(std::string_view operation) {
  constexpr Named<Handler> kOperations[] = {{"and", &predicate<BothBits, true>},
                                            {"or", &predicate<AnyBit, true>},
                                            {"xor", &predicate<OneBit, true>},
                                            {"not", &predicate<NotBit, false>},
                                            {"mov", &predicate<SameBit, false>}};
  return find(kOperations, operation);
}

}  // namespace brokkr::ptx
