// The content of the lane types (machine/lane.h) in shaders that are compiled while the program runs: the compiler's
// own vectors in the place of cpu_lane.h's std::experimental::simd, whose templates a compiler reads longer than all
// shaders of a game. The text that is compiled defines BROKKR_LANES.
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
using Truth = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;  // all bits of one that holds

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

// f of the vector by the processor's instruction, where this compiler has it under that name, else of each lane.
#define BROKKR_HAS(builtin) __has_builtin(__builtin_ia32_##builtin)
#if defined(__AVX2__) && BROKKR_LANES == 8 && BROKKR_HAS(roundps256) && BROKKR_HAS(sqrtps256) && \
    BROKKR_HAS(minps256) && BROKKR_HAS(maxps256) && BROKKR_HAS(ptestz256)
#define BROKKR_LANES_BY_AVX2
#endif

template <class T>
BROKKR_FN Lane<T> select(Mask m, Lane<T> a, Lane<T> b) {
  return Lane<T>(Vector<T>(m.as<T>().n ? a.v.n : b.v.n));
}
BROKKR_FN bool any(Mask m) {
#if defined(BROKKR_LANES_BY_AVX2)
  typedef long long Quads __attribute__((vector_size(32)));
  return !__builtin_ia32_ptestz256(Quads(m.m.n), Quads(m.m.n));
#else
  int32_t some = 0;
  for (int i = 0; i < kWidth; ++i) some |= m.m.n[i];
  return some != 0;
#endif
}

// a < b ? a : b and a > b ? a : b, which give b where a or b is no number.
template <class T>
BROKKR_FN Lane<T> lesser_of(Lane<T> a, Lane<T> b) {
#if defined(BROKKR_LANES_BY_AVX2)
  if constexpr (std::is_same_v<T, float>) return Lane<T>(Vector<T>(__builtin_ia32_minps256(a.v.n, b.v.n)));
#endif
  return Lane<T>(Vector<T>(a.v.n < b.v.n ? a.v.n : b.v.n));
}
template <class T>
BROKKR_FN Lane<T> greater_of(Lane<T> a, Lane<T> b) {
#if defined(BROKKR_LANES_BY_AVX2)
  if constexpr (std::is_same_v<T, float>) return Lane<T>(Vector<T>(__builtin_ia32_maxps256(a.v.n, b.v.n)));
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
  return Float(Vector<float>(__builtin_ia32_roundps256(a.v.n, 9)));  // down, without exceptions
#else
  for (int i = 0; i < kWidth; ++i) a.v.n[i] = __builtin_floorf(a.v.n[i]);
  return a;
#endif
}
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

BROKKR_MACHINE_END
