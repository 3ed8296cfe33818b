// The content of the lane types (machine/lane.h) in shaders that are compiled at run time. It uses the compiler's own
// vectors. cpu_lane.h uses std::experimental::simd instead, whose templates take longer to parse than all shaders of a
// game. The compiled text defines BROKKR_LANES.
#pragma once

#include <cstdint>
#include <type_traits>

BROKKR_MACHINE_BEGIN

inline constexpr int kWidth = BROKKR_LANES;

template <class T>
struct NativeOf {
  typedef T type __attribute__((vector_size(sizeof(T) * BROKKR_LANES)));
};
template <class T>
using Native = typename NativeOf<T>::type;
template <class T>
using Truth = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;  // all bits are set for true

template <class T>
struct VectorMask {
  Native<Truth<T>> n;
  VectorMask() = default;
  BROKKR_FN VectorMask(bool b) : n(Native<Truth<T>>{} - Truth<T>(b)) {}
  BROKKR_FN explicit VectorMask(Native<Truth<T>> raw) : n(raw) {}
  BROKKR_FN friend VectorMask operator&(VectorMask a, VectorMask b) { return VectorMask(a.n & b.n); }
  BROKKR_FN friend VectorMask operator|(VectorMask a, VectorMask b) { return VectorMask(a.n | b.n); }
  BROKKR_FN friend VectorMask operator^(VectorMask a, VectorMask b) { return VectorMask(a.n ^ b.n); }
  BROKKR_FN VectorMask operator~() const { return VectorMask(~n); }
  BROKKR_FN friend VectorMask operator&&(VectorMask a, VectorMask b) { return a & b; }
  BROKKR_FN friend VectorMask operator||(VectorMask a, VectorMask b) { return a | b; }
  BROKKR_FN friend VectorMask operator!=(VectorMask a, VectorMask b) { return a ^ b; }
  BROKKR_FN VectorMask operator!() const { return ~*this; }
};

template <class T>
struct Vector {
  Native<T> n;
  Vector() = default;
  BROKKR_FN Vector(T s) : n(s - Native<T>{}) {}
  BROKKR_FN explicit Vector(Native<T> raw) : n(raw) {}
#define BROKKR_VECTOR_BINARY(op) \
  BROKKR_FN friend Vector operator op(Vector a, Vector b) { return Vector(a.n op b.n); }
  BROKKR_VECTOR_BINARY(+)
  BROKKR_VECTOR_BINARY(-)
  BROKKR_VECTOR_BINARY(*)
  BROKKR_VECTOR_BINARY(/)
  BROKKR_VECTOR_BINARY(&)
  BROKKR_VECTOR_BINARY(|)
  BROKKR_VECTOR_BINARY(^)
  BROKKR_VECTOR_BINARY(<<)
  BROKKR_VECTOR_BINARY(>>)
#undef BROKKR_VECTOR_BINARY
#define BROKKR_VECTOR_COMPARE(op) \
  BROKKR_FN friend VectorMask<T> operator op(Vector a, Vector b) { return VectorMask<T>(a.n op b.n); }
  BROKKR_VECTOR_COMPARE(<)
  BROKKR_VECTOR_COMPARE(<=)
  BROKKR_VECTOR_COMPARE(>)
  BROKKR_VECTOR_COMPARE(>=)
  BROKKR_VECTOR_COMPARE(==)
  BROKKR_VECTOR_COMPARE(!=)
#undef BROKKR_VECTOR_COMPARE
  BROKKR_FN Vector operator-() const { return Vector(-n); }
  BROKKR_FN Vector operator~() const { return Vector(~n); }
};

template <class To, class From>
BROKKR_FN Vector<To> convert_lanes(const Vector<From>& from) {
  return Vector<To>(__builtin_convertvector(from.n, Native<To>));
}
template <class To, class T>
BROKKR_FN To convert_mask(const VectorMask<T>& from) {
  return To(__builtin_convertvector(from.n, decltype(To::n)));
}

BROKKR_MACHINE_END

#include "machine/lane.h"

#define BROKKR_EXPORTED __attribute__((visibility("default")))

BROKKR_MACHINE_BEGIN

using MaskBits = VectorMask<float>;

// Applies f with the processor's instruction if this compiler has it under that name, otherwise lane by lane.
#define BROKKR_HAS(builtin) __has_builtin(__builtin_ia32_##builtin)
#if defined(__AVX2__) && BROKKR_LANES == 8 && BROKKR_HAS(roundps256) && BROKKR_HAS(sqrtps256) && \
    BROKKR_HAS(minps256) && BROKKR_HAS(maxps256) && BROKKR_HAS(ptestz256)
#define BROKKR_LANES_BY_AVX2
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && BROKKR_LANES == 16 && \
    BROKKR_HAS(cvtd2mask512) && BROKKR_HAS(gathersiv16si) && BROKKR_HAS(gathersiv8di)
#define BROKKR_LANES_BY_AVX512
#endif

template <class T>
BROKKR_FN Lane<T> select(Mask m, Lane<T> a, Lane<T> b) {
  return Lane<T>(Vector<T>(m.as<T>().n ? a.v.n : b.v.n));
}
BROKKR_FN bool any(Mask m) {
#if defined(BROKKR_LANES_BY_AVX2)
  typedef long long Quads __attribute__((vector_size(32)));
  return !__builtin_ia32_ptestz256(Quads(m.m.n), Quads(m.m.n));
#elif defined(BROKKR_LANES_BY_AVX512)
  return __builtin_ia32_cvtd2mask512(m.m.n) != 0;
#else
  int32_t some = 0;
  for (int i = 0; i < kWidth; ++i) some |= m.m.n[i];
  return some != 0;
#endif
}

// a < b ? a : b and a > b ? a : b, which return b if a or b is NaN.
template <class T>
BROKKR_FN Lane<T> lesser_of(Lane<T> a, Lane<T> b) {
#if defined(BROKKR_LANES_BY_AVX2)
  if constexpr (std::is_same_v<T, float>) return Lane<T>(Vector<T>(__builtin_ia32_minps256(a.v.n, b.v.n)));
#elif defined(BROKKR_LANES_BY_AVX512) && BROKKR_HAS(minps512_mask)
  if constexpr (std::is_same_v<T, float>)
    return Lane<T>(Vector<T>(__builtin_ia32_minps512_mask(a.v.n, b.v.n, a.v.n, 0xffff, 4)));  // rounding mode: current
#elif defined(BROKKR_LANES_BY_AVX512) && BROKKR_HAS(minps512)
  if constexpr (std::is_same_v<T, float>) return Lane<T>(Vector<T>(__builtin_ia32_minps512(a.v.n, b.v.n, 4)));
#endif
  return Lane<T>(Vector<T>(a.v.n < b.v.n ? a.v.n : b.v.n));
}
template <class T>
BROKKR_FN Lane<T> greater_of(Lane<T> a, Lane<T> b) {
#if defined(BROKKR_LANES_BY_AVX2)
  if constexpr (std::is_same_v<T, float>) return Lane<T>(Vector<T>(__builtin_ia32_maxps256(a.v.n, b.v.n)));
#elif defined(BROKKR_LANES_BY_AVX512) && BROKKR_HAS(maxps512_mask)
  if constexpr (std::is_same_v<T, float>)
    return Lane<T>(Vector<T>(__builtin_ia32_maxps512_mask(a.v.n, b.v.n, a.v.n, 0xffff, 4)));  // rounding mode: current
#elif defined(BROKKR_LANES_BY_AVX512) && BROKKR_HAS(maxps512)
  if constexpr (std::is_same_v<T, float>) return Lane<T>(Vector<T>(__builtin_ia32_maxps512(a.v.n, b.v.n, 4)));
#endif
  return Lane<T>(Vector<T>(a.v.n > b.v.n ? a.v.n : b.v.n));
}

BROKKR_FN Uint as_uint(Float a) { return Uint(Vector<uint32_t>(Native<uint32_t>(a.v.n))); }
BROKKR_FN Uint as_uint(Int a) { return Uint(Vector<uint32_t>(Native<uint32_t>(a.v.n))); }
BROKKR_FN Int as_int(Float a) { return Int(Vector<int32_t>(Native<int32_t>(a.v.n))); }
BROKKR_FN Int as_int(Uint a) { return Int(Vector<int32_t>(Native<int32_t>(a.v.n))); }
BROKKR_FN Float as_float(Uint a) { return Float(Vector<float>(Native<float>(a.v.n))); }
BROKKR_FN Float as_float(Int a) { return Float(Vector<float>(Native<float>(a.v.n))); }

BROKKR_FN Float floor(Float a) {
#if defined(BROKKR_LANES_BY_AVX2)
  return Float(Vector<float>(__builtin_ia32_roundps256(a.v.n, 9)));  // rounds down, without exceptions
#else
  for (int i = 0; i < kWidth; ++i) a.v.n[i] = __builtin_floorf(a.v.n[i]);
  return a;
#endif
}
#if defined(BROKKR_LANES_BY_AVX512) && BROKKR_HAS(fixupimmps512_mask)
#define BROKKR_FIXES_FLOATS
// Replaces infinities and NaN by 0. The table of the instruction specifies 0 for these classes.
BROKKR_FN Float finite_by_table(Float a) {
  const Native<int32_t> table = Native<int32_t>{} + 0x00880088;
  return Float(Vector<float>(__builtin_ia32_fixupimmps512_mask(a.v.n, a.v.n, table, 0, uint16_t(0xffff), 4)));
}
#endif
BROKKR_FN Float sqrt(Float a) {
#if defined(BROKKR_LANES_BY_AVX2)
  return Float(Vector<float>(__builtin_ia32_sqrtps256(a.v.n)));
#else
  for (int i = 0; i < kWidth; ++i) a.v.n[i] = __builtin_sqrtf(a.v.n[i]);
  return a;
#endif
}
BROKKR_FN Double floor(Double a) {
  for (int i = 0; i < kWidth; ++i) a.v.n[i] = __builtin_floor(a.v.n[i]);
  return a;
}
BROKKR_FN Int to_int(Float a) { return Int(a); }
BROKKR_FN Int to_int(Double a) { return Int(a); }
BROKKR_FN Float to_float(Int a) { return Float(a); }
BROKKR_FN Double to_double(Int a) { return Double(a); }

// For halves of words, see machine/halves.h.
#if BROKKR_LANES == 16 && defined(__AVX512BW__) && (BROKKR_HAS(pmaddwd512_mask) || BROKKR_HAS(pmaddwd512))
#define BROKKR_DOTS_HALVES 512
#elif BROKKR_LANES == 8 && defined(__AVX2__) && BROKKR_HAS(pmaddwd256)
#define BROKKR_DOTS_HALVES 256
#elif BROKKR_LANES == 4 && defined(__SSE2__) && BROKKR_HAS(pmaddwd128)
#define BROKKR_DOTS_HALVES 128
#endif
#if defined(BROKKR_DOTS_HALVES)
typedef uint16_t Halves __attribute__((vector_size(4 * BROKKR_LANES)));
typedef int16_t SignedHalves __attribute__((vector_size(4 * BROKKR_LANES)));
BROKKR_FN Uint multiply_halves(Uint a, Uint b) {
  return Uint(Vector<uint32_t>(Native<uint32_t>(Halves(a.v.n) * Halves(b.v.n))));
}
BROKKR_FN Uint upper_bytes_of_halves(Uint a) { return Uint(Vector<uint32_t>(Native<uint32_t>(Halves(a.v.n) >> 8))); }
#if __has_builtin(__builtin_shufflevector) && BROKKR_LANES % 8 == 0
#define BROKKR_REPEATS_HALVES
BROKKR_FN Uint lower_half_twice(Uint a) {
  const auto h = Halves(a.v.n);
#if BROKKR_LANES == 8
  const Halves twice = __builtin_shufflevector(h, h, 0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14);
#else
  const Halves twice = __builtin_shufflevector(h, h, 0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14, 16, 16, 18,
                                               18, 20, 20, 22, 22, 24, 24, 26, 26, 28, 28, 30, 30);
#endif
  return Uint(Vector<uint32_t>(Native<uint32_t>(twice)));
}
#endif
BROKKR_FN Int dot_halves(Uint a, Uint b) {
  const auto x = SignedHalves(a.v.n), y = SignedHalves(b.v.n);
#if BROKKR_DOTS_HALVES == 128
  return Int(Vector<int32_t>(__builtin_ia32_pmaddwd128(x, y)));
#elif BROKKR_DOTS_HALVES == 256
  return Int(Vector<int32_t>(__builtin_ia32_pmaddwd256(x, y)));
#elif BROKKR_HAS(pmaddwd512)
  return Int(Vector<int32_t>(__builtin_ia32_pmaddwd512(x, y)));
#else
  return Int(Vector<int32_t>(__builtin_ia32_pmaddwd512_mask(x, y, Native<int32_t>{}, uint16_t(0xffff))));
#endif
}
#endif

// Converts both halves of each word (IEEE half precision) if all are finite; otherwise returns false, because
// processors make signalling NaNs quiet.
#if defined(__F16C__) && BROKKR_LANES % 8 == 0 && BROKKR_HAS(vcvtph2ps256)
#define BROKKR_CONVERTS_HALVES
BROKKR_FN bool finite_halves(Uint word, Float& low, Float& high) {
  typedef uint16_t Lower __attribute__((vector_size(2 * BROKKR_LANES)));
  typedef short Eight __attribute__((vector_size(16)));
  typedef float Floats __attribute__((vector_size(32)));
  const Uint exponents = word & 0x7c007c00u;
  if (any((exponents & 0xffffu) == 0x7c00u || (exponents >> 16u) == 0x7c00u)) return false;
  const auto converted = [](Native<uint32_t> halves) {
    const Lower narrow = __builtin_convertvector(halves, Lower);
    Eight from[kWidth / 8];
    Floats to[kWidth / 8];
    __builtin_memcpy(from, &narrow, sizeof from);
    for (int i = 0; i < kWidth / 8; ++i) to[i] = __builtin_ia32_vcvtph2ps256(from[i]);
    Native<float> all;
    __builtin_memcpy(&all, to, sizeof all);
    return Float(Vector<float>(all));
  };
  low = converted((word & 0xffffu).v.n);
  high = converted((word >> 16u).v.n);
  return true;
}
#endif

BROKKR_MACHINE_END

#include "machine/near_words.h"

BROKKR_MACHINE_BEGIN

// The part of the warp that headers of compiled shaders need. It is one thread that holds all lanes.
class Warp : public NearWords<Warp> {
 public:
  static constexpr int width = kWidth;
  static constexpr bool takes_turns = true;
  using Float = brokkr::Float;
  using Int = brokkr::Int;
  using Uint = brokkr::Uint;
  using Mask = brokkr::Mask;

  BROKKR_FN static Int lane() {
    Native<int32_t> number;
    for (int i = 0; i < kWidth; ++i) number[i] = i;
    return Int(Vector<int32_t>(number));
  }
  template <class T>
  BROKKR_FN static Lane<T> shuffle(Lane<T> a, Int from) {
    Native<T> values;
    for (int i = 0; i < kWidth; ++i) values[i] = a.v.n[from.v.n[i] & (kWidth - 1)];
    return Lane<T>(Vector<T>(values));
  }
  BROKKR_FN static bool any(Mask m) { return brokkr::any(m); }
  BROKKR_FN static uint32_t ballot(Mask m) {
#if defined(BROKKR_LANES_BY_AVX2) && BROKKR_HAS(movmskps256)
    return uint32_t(__builtin_ia32_movmskps256(Native<float>(m.m.n)));
#elif defined(BROKKR_LANES_BY_AVX512)
    return uint32_t(uint16_t(__builtin_ia32_cvtd2mask512(m.m.n)));
#else
    uint32_t bits = 0;
    for (int i = 0; i < kWidth; ++i) bits |= (uint32_t(m.m.n[i]) & 1u) << i;
    return bits;
#endif
  }
  BROKKR_FN static int broadcast(Int a, int lane) {
    int32_t values[kWidth];
    __builtin_memcpy(values, &a.v.n, sizeof values);
    return values[lane];
  }
  // Lanes outside m read nothing and get 0.
  BROKKR_FN static Uint gather(const uint32_t* p, Int at, Mask m) {
#if defined(BROKKR_LANES_BY_AVX512)
    const Native<int32_t> values =
        __builtin_ia32_gathersiv16si(Native<int32_t>{}, p, at.v.n, uint16_t(ballot(m)), int(sizeof *p));
    return Uint(Vector<uint32_t>(Native<uint32_t>(values)));
#elif defined(BROKKR_LANES_BY_AVX2) && (BROKKR_HAS(gathersiv8si) || BROKKR_HAS(gatherd_d256))
    const int* const words = reinterpret_cast<const int*>(p);
#if BROKKR_HAS(gathersiv8si)
    const Native<int32_t> values = __builtin_ia32_gathersiv8si(Native<int32_t>{}, words, at.v.n, m.m.n, 4);
#else
    const Native<int32_t> values = __builtin_ia32_gatherd_d256(Native<int32_t>{}, words, at.v.n, m.m.n, 4);
#endif
    return Uint(Vector<uint32_t>(Native<uint32_t>(values)));
#else
    Native<uint32_t> values{};
    for (int i = 0; i < kWidth; ++i) {
      if (m.m.n[i] != 0) values[i] = p[at.v.n[i]];
    }
    return Uint(Vector<uint32_t>(values));
#endif
  }
  BROKKR_FN static void scatter(uint32_t* p, Int at, Uint a, Mask m) {
    for (int i = 0; i < kWidth; ++i) {
      if (m.m.n[i] != 0) p[at.v.n[i]] = a.v.n[i];
    }
  }

#if BROKKR_LANES == 8 && defined(BROKKR_CONVERTS_HALVES) && __has_builtin(__builtin_shufflevector)
  static constexpr bool has_half_rows = true;
  BROKKR_FN static void load_half_rows(const uint32_t* p, Int words, Float (&column)[8]) {
    typedef short EightHalves __attribute__((vector_size(16)));
    int32_t at[kWidth];
    __builtin_memcpy(at, &words.v.n, sizeof at);
    keep_in_memory(at);
    Native<float> row[kWidth];
    for (int i = 0; i < kWidth; ++i) {
      EightHalves halves;
      __builtin_memcpy(&halves, p + at[i], sizeof halves);
      row[i] = __builtin_ia32_vcvtph2ps256(halves);
    }
    for (int k = 0; k < 8; k += 4) {  // four columns of lanes 0 .. 3 lie beside those of lanes 4 .. 7
      Native<float> side[4];
      for (int i = 0; i < 4; ++i) {
        side[i] = k == 0 ? __builtin_shufflevector(row[i], row[i + 4], 0, 1, 2, 3, 8, 9, 10, 11)
                         : __builtin_shufflevector(row[i], row[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
      }
      const auto low = [](Native<float> a, Native<float> b) {
        return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
      };
      const auto high = [](Native<float> a, Native<float> b) {
        return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
      };
      const auto set = [&](int c, Native<float> a, Native<float> b) {
        column[k + c] = Float(Vector<float>(__builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)));
        column[k + c + 1] = Float(Vector<float>(__builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)));
      };
      set(0, low(side[0], side[1]), low(side[2], side[3]));
      set(2, high(side[0], side[1]), high(side[2], side[3]));
    }
  }
#endif

 private:
  friend NearWords<Warp>;
#if defined(BROKKR_LANES_BY_AVX512)
  static constexpr WordPairs pairs = WordPairs::of_some_lanes;
  using Words = Native<uint32_t>;
  typedef int32_t Eight __attribute__((vector_size(32)));
  typedef long long Pairs __attribute__((vector_size(64)));

  // Loads the words p[at_i] and the words after them; 0 in lanes whose bits are not set.
  BROKKR_FN static void gather_pairs(const uint32_t* p, Int at, uint32_t lanes, Uint& first, Uint& second) {
    const auto eight_pairs = [&](Eight half, uint32_t bits) {
      return Words(__builtin_ia32_gathersiv8di(Pairs{}, p, half, uint8_t(bits), int(sizeof *p)));
    };
    Eight half[2];
    __builtin_memcpy(half, &at.v.n, sizeof half);
    const Words low = eight_pairs(half[0], lanes), high = eight_pairs(half[1], lanes >> 8);
    first = Uint(Vector<uint32_t>(
        __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)));
    second = Uint(Vector<uint32_t>(
        __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)));
  }
#elif BROKKR_LANES % 8 == 0 && __has_builtin(__builtin_shufflevector)
  static constexpr WordPairs pairs = WordPairs::of_all_lanes;
  typedef uint32_t Eight __attribute__((vector_size(32)));
  typedef uint64_t Pairs __attribute__((vector_size(32)));

  BROKKR_FN static void eight_pairs(const uint32_t* p, const int32_t* at, Eight& first, Eight& second) {
    typedef uint32_t Four __attribute__((vector_size(16)));
    const auto row = [&](int low, int high) {  // four words of a lane, of which two are used
      Four a, b;
      __builtin_memcpy(&a, p + at[low], sizeof a);
      __builtin_memcpy(&b, p + at[high], sizeof b);
      return Pairs(__builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7));
    };
    const Pairs r0 = row(0, 4), r1 = row(1, 5), r2 = row(2, 6), r3 = row(3, 7);
    const Pairs x = __builtin_shufflevector(r0, r1, 0, 4, 2, 6), y = __builtin_shufflevector(r2, r3, 0, 4, 2, 6);
#if BROKKR_HAS(shufps256)  // g++ 12 makes three instructions of each shuffle below
    typedef float Floats __attribute__((vector_size(32)));
    first = Eight(__builtin_ia32_shufps256(Floats(x), Floats(y), 0x88));
    second = Eight(__builtin_ia32_shufps256(Floats(x), Floats(y), 0xdd));
    return;
#endif
    first = __builtin_shufflevector(Eight(x), Eight(y), 0, 2, 8, 10, 4, 6, 12, 14);
    second = __builtin_shufflevector(Eight(x), Eight(y), 1, 3, 9, 11, 5, 7, 13, 15);
  }
  BROKKR_FN static void gather_pairs(const uint32_t* p, Int words, Uint& first, Uint& second) {
    int32_t at[kWidth];
    __builtin_memcpy(at, &words.v.n, sizeof at);
    keep_in_memory(at);
    Eight low[kWidth / 8], high[kWidth / 8];
    for (int i = 0; i < kWidth / 8; ++i) eight_pairs(p, at + 8 * i, low[i], high[i]);
    __builtin_memcpy(&first.v.n, low, sizeof low);
    __builtin_memcpy(&second.v.n, high, sizeof high);
  }
#else
  static constexpr WordPairs pairs = WordPairs::none;
#endif
#if BROKKR_LANES == 8 && __has_builtin(__builtin_shufflevector)
  static constexpr bool has_blocks = true;
  BROKKR_FN static bool find_block(Int at, int& first, int& second) {
    const Native<int32_t> rows = at.v.n - Native<int32_t>{0, 1, 0, 1, 2, 3, 2, 3};
    first = at.v.n[0];
    second = at.v.n[2];
    return !any(Int(Vector<int32_t>(rows)) !=
                Int(Vector<int32_t>(__builtin_shufflevector(rows, rows, 0, 0, 2, 2, 0, 0, 2, 2))));
  }
  BROKKR_FN static void fetch_beyond(const uint32_t* p, int first, int second) {
    const int64_t rows = 8 * (int64_t(second) - first);
    __builtin_prefetch(p + (first + rows));
    __builtin_prefetch(p + (second + rows));
  }
  BROKKR_FN static Uint load_block(const uint32_t* p, int first, int second) {
    typedef uint64_t TwoPairs __attribute__((vector_size(16)));
    TwoPairs low, high;
    __builtin_memcpy(&low, p + first, sizeof low);
    __builtin_memcpy(&high, p + second, sizeof high);
    return Uint(Vector<uint32_t>(Native<uint32_t>(__builtin_shufflevector(low, high, 0, 2, 1, 3))));
  }
#endif
};

BROKKR_MACHINE_END
