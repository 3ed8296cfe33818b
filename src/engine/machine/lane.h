// Lane types hold one value per lane of a warp, and have the same operators on every machine. The machine defines their
// content: Vector<T> is a vector on the CPU, and a plain scalar on CUDA, where a thread holds one lane.
//
// An operator takes lanes on both sides, or lanes and a scalar that all lanes share. Comparisons return a Mask. A Mask
// is not a bool: no `if`, `?:` or `&&` can skip a part of an expression for some lanes, so all lanes of a warp reach
// every collective in it. w.any(m) and w.all(m) turn a Mask into a condition for a branch.
#pragma once

#include <cstdint>
#include <type_traits>

#if defined(__CUDACC__)
#define BROKKR_LANE_FN __host__ __device__ __forceinline__  // GLM calls them from host and device functions
#else
#define BROKKR_LANE_FN BROKKR_FN
#endif

BROKKR_MACHINE_BEGIN

// One bool per lane.
struct Mask {
  VectorMask<float> m;
  Mask() = default;
  BROKKR_LANE_FN Mask(bool b) : m(b) {}
  template <class Raw>
  requires(std::is_same_v<Raw, VectorMask<float>> && !std::is_same_v<Raw, bool>) BROKKR_LANE_FN explicit Mask(Raw raw)
      : m(raw) {}
  template <class T>
  BROKKR_LANE_FN static Mask from(T raw) {
    return Mask(convert_mask<VectorMask<float>>(raw));
  }
  template <class T>
  BROKKR_LANE_FN VectorMask<T> as() const {
    return convert_mask<VectorMask<T>>(m);
  }
  BROKKR_LANE_FN friend Mask operator&&(Mask a, Mask b) { return Mask(a.m && b.m); }
  BROKKR_LANE_FN friend Mask operator||(Mask a, Mask b) { return Mask(a.m || b.m); }
  BROKKR_LANE_FN friend Mask operator!=(Mask a, Mask b) { return Mask(a.m != b.m); }
  BROKKR_LANE_FN friend Mask operator!(Mask a) { return Mask(!a.m); }
};

// One T per lane.
template <class T>
struct Lane {
  using value_type = T;
  Vector<T> v;
  Lane() = default;
  BROKKR_LANE_FN Lane(T s) : v(s) {}
  BROKKR_LANE_FN explicit Lane(Vector<T> raw) requires(!std::is_same_v<Vector<T>, T>) : v(raw) {}
  template <class U>
  BROKKR_LANE_FN explicit Lane(Lane<U> o) : v(convert_lanes<T, U>(o.v)) {}

#define BROKKR_LANE_BINARY(op)                                                                   \
  BROKKR_LANE_FN friend Lane operator op(Lane a, Lane b) { return Lane(Vector<T>(a.v op b.v)); } \
  BROKKR_LANE_FN Lane& operator op##=(Lane b) { return *this = *this op b; }
  BROKKR_LANE_BINARY(+)
  BROKKR_LANE_BINARY(-)
  BROKKR_LANE_BINARY(*)
  BROKKR_LANE_BINARY(/)
#undef BROKKR_LANE_BINARY
#define BROKKR_LANE_BITS(op)                                                              \
  BROKKR_LANE_FN friend Lane operator op(Lane a, Lane b) requires std::is_integral_v<T> { \
    return Lane(Vector<T>(a.v op b.v));                                                   \
  }                                                                                       \
  BROKKR_LANE_FN Lane& operator op##=(Lane b) requires std::is_integral_v<T> { return *this = *this op b; }
  BROKKR_LANE_BITS(&)
  BROKKR_LANE_BITS(|)
  BROKKR_LANE_BITS(^)
  BROKKR_LANE_BITS(<<)
  BROKKR_LANE_BITS(>>)
#undef BROKKR_LANE_BITS
#define BROKKR_LANE_COMPARE(op) \
  BROKKR_LANE_FN friend Mask operator op(Lane a, Lane b) { return Mask::from(a.v op b.v); }
  BROKKR_LANE_COMPARE(<)
  BROKKR_LANE_COMPARE(<=)
  BROKKR_LANE_COMPARE(>)
  BROKKR_LANE_COMPARE(>=)
  BROKKR_LANE_COMPARE(==)
  BROKKR_LANE_COMPARE(!=)
#undef BROKKR_LANE_COMPARE
  BROKKR_LANE_FN Lane operator-() const { return Lane(Vector<T>(-v)); }
  BROKKR_LANE_FN Lane operator~() const requires std::is_integral_v<T> { return Lane(Vector<T>(~v)); }
};

using Float = Lane<float>;
using Int = Lane<int32_t>;
using Uint = Lane<uint32_t>;
using Double = Lane<double>;
using Ulong = Lane<uint64_t>;

static_assert(!std::is_convertible_v<Mask, bool> && !std::is_constructible_v<bool, Mask>);
static_assert(std::is_same_v<decltype(Int() < Int()), Mask>);

// select(m, a, b) is a in lanes of m and b in the others. (For two Lanes, the machine defines it.) One or both of a and
// b may be scalars.
template <class T>
BROKKR_LANE_FN Lane<T> select(Mask m, Lane<T> a, std::type_identity_t<T> b) {
  return select(m, a, Lane<T>(b));
}
template <class T>
BROKKR_LANE_FN Lane<T> select(Mask m, std::type_identity_t<T> a, Lane<T> b) {
  return select(m, Lane<T>(a), b);
}
template <class T>
requires std::is_arithmetic_v<T> BROKKR_LANE_FN Lane<T> select(Mask m, T a, T b) {
  return select(m, Lane<T>(a), Lane<T>(b));
}

BROKKR_MACHINE_END
