// The warp of the CUDA machine: a thread holds one lane, so lane types wrap a plain scalar and cost nothing.
#pragma once

#include <cstdint>
#include <type_traits>

BROKKR_MACHINE_BEGIN

BROKKR_CONSTANT int kWidth = 32;
template <class T>
using Vector = T;
template <class T>
using VectorMask = bool;
template <class To, class From>
__host__ __device__ __forceinline__ To convert_lanes(From from) {
  return To(from);
}
template <class To>
__host__ __device__ __forceinline__ bool convert_mask(bool from) {
  return from;
}

BROKKR_MACHINE_END

#include "machine/lane.h"

BROKKR_MACHINE_BEGIN

template <class T>
BROKKR_FN Lane<T> select(Mask m, Lane<T> a, Lane<T> b) {
  return m.m ? a.v : b.v;
}
template <class T>
BROKKR_FN Lane<T> lesser_of(Lane<T> a, Lane<T> b) {
  return a.v < b.v ? a.v : b.v;
}
template <class T>
BROKKR_FN Lane<T> greater_of(Lane<T> a, Lane<T> b) {
  return a.v > b.v ? a.v : b.v;
}
BROKKR_FN Uint as_uint(Float a) { return __float_as_uint(a.v); }
BROKKR_FN Uint as_uint(Int a) { return uint32_t(a.v); }
BROKKR_FN Int as_int(Float a) { return __float_as_int(a.v); }
BROKKR_FN Int as_int(Uint a) { return int32_t(a.v); }
BROKKR_FN Float as_float(Uint a) { return __uint_as_float(a.v); }
BROKKR_FN Float as_float(Int a) { return __int_as_float(a.v); }
BROKKR_FN Ulong as_ulong(Double a) { return uint64_t(__double_as_longlong(a.v)); }
BROKKR_FN Float floor(Float a) { return ::floorf(a.v); }
BROKKR_FN Double floor(Double a) { return ::floor(a.v); }
BROKKR_FN Float sqrt(Float a) { return __fsqrt_rn(a.v); }
BROKKR_FN Int to_int(Float a) { return __float2int_rz(a.v); }
BROKKR_FN Int to_int(Double a) { return __double2int_rz(a.v); }
BROKKR_FN Float to_float(Int a) { return __int2float_rn(a.v); }
BROKKR_FN Float to_float(Double a) { return __double2float_rn(a.v); }
BROKKR_FN Double to_double(Int a) { return double(a.v); }
BROKKR_FN Double to_double(Float a) { return double(a.v); }
BROKKR_FN Int round_to_int(Float a) { return __float2int_rn(a.v); }

BROKKR_MACHINE_END

#include "machine/near_words.h"

BROKKR_MACHINE_BEGIN

class Warp : public NearWords<Warp> {
 public:
  static constexpr WordPairs pairs = WordPairs::none;
  static constexpr int width = 32;
  static constexpr bool takes_turns = false;  // for_distinct makes one call for all lanes
  static constexpr unsigned kAll = 0xffffffffu;
  using Float = brokkr::Float;
  using Int = brokkr::Int;
  using Uint = brokkr::Uint;
  using Mask = brokkr::Mask;

  int index = 0;  // index of this warp in its block

  BROKKR_FN static void host_turn() {}  // no thread of the host is a warp

  BROKKR_FN static Int lane() { return number(); }
  BROKKR_FN static Mask first_lanes(int n) { return number() < n; }
#if defined(BROKKR_LONE_LANES)
  // In a program compiled this way, threads diverge. A vote asks each thread separately, and each thread has its own
  // control flow. Such a program must not use other collectives.
  BROKKR_FN static bool any(Mask m) { return m.m; }
#else
  BROKKR_FN static bool any(Mask m) { return __any_sync(kAll, m.m); }
#endif
  BROKKR_FN static bool all(Mask m) { return __all_sync(kAll, m.m); }
  BROKKR_FN static uint32_t ballot(Mask m) { return __ballot_sync(kAll, m.m); }
  BROKKR_FN static int count(Mask m) { return __popc(ballot(m)); }
  // The number of set lanes up to and including each lane.
  BROKKR_FN static Uint inclusive_count(Mask m) {
    return uint32_t(__popc(ballot(m) & (0xffffffffu >> (31 - number()))));
  }
  BROKKR_FN static Mask lanes_of(uint32_t bits) { return ((bits >> number()) & 1u) != 0; }

  template <class T>
  BROKKR_FN static Lane<T> shuffle(Lane<T> a, Int from) {
    return __shfl_sync(kAll, a.v, from.v & 31);
  }
  template <class T>
  BROKKR_FN static T broadcast(Lane<T> a, int from) {
    return __shfl_sync(kAll, a.v, from);
  }
  template <class T>
  BROKKR_FN static Lane<T> inclusive_sum(Lane<T> a) {
    for (int step = 1; step < 32; step *= 2) {
      const T below = __shfl_up_sync(kAll, a.v, unsigned(step));
      if (number() >= step) a += below;
    }
    return a;
  }
#define BROKKR_REDUCE(name, combined)                        \
  template <class T>                                         \
  BROKKR_FN static T reduce_##name(Lane<T> a) {              \
    if constexpr (kReducesInOne<T>)                          \
      return __reduce_##name##_sync(kAll, a.v);              \
    else                                                     \
      return reduce(a.v, [](T x, T y) { return combined; }); \
  }
  BROKKR_REDUCE(add, x + y)
  BROKKR_REDUCE(min, y < x ? y : x)
  BROKKR_REDUCE(max, x < y ? y : x)
#undef BROKKR_REDUCE

  template <class T>
  BROKKR_FN static Lane<T> load(const T* p) {
    return p[number()];
  }
  template <class T>
  BROKKR_FN static Lane<T> load(const T* p, Mask m, std::type_identity_t<T> otherwise = T(0)) {
    return m.m ? p[number()] : otherwise;
  }
  template <class T>
  BROKKR_FN static void store(T* p, std::type_identity_t<Lane<T>> a) {
    p[number()] = a.v;
  }
  template <class T>
  BROKKR_FN static void store(T* p, std::type_identity_t<Lane<T>> a, Mask m) {
    if (m.m) p[number()] = a.v;
  }
  template <class T>
  BROKKR_FN static void merge(T* p, std::type_identity_t<Lane<T>> a, Mask m) {
    store(p, a, m);
  }
  template <class T>
  BROKKR_FN static int compress_store(T* p, std::type_identity_t<Lane<T>> a, Mask m) {
    const uint32_t bits = ballot(m);
    if (m.m) p[__popc(bits & ((1u << number()) - 1u))] = a.v;
    return __popc(bits);
  }
  template <class T>
  BROKKR_FN static Lane<T> gather(const T* p, Int at, Mask m, std::type_identity_t<T> otherwise = T(0)) {
    return m.m ? p[at.v] : otherwise;
  }
  template <class T>
  BROKKR_FN static void scatter(T* p, Int at, std::type_identity_t<Lane<T>> a, Mask m) {
    if (m.m) p[at.v] = a.v;
  }
  BROKKR_FN static void scatter_quads(uint32_t* p, Int at, Uint a, Mask m) { scatter(p, at, a, m); }
  BROKKR_FN static void scatter_or(uint32_t* p, Int at, Uint a, Mask m) {
    if (m.m) atomicOr(p + at.v, a.v);
  }
  BROKKR_FN static void scatter_min(uint32_t* p, Int at, Uint a, Mask m) {
    if (m.m) atomicMin(p + at.v, a.v);
  }
  BROKKR_FN static Uint scatter_fetch_or(uint32_t* p, Int at, Uint a, Mask m) {
    return m.m ? atomicOr(p + at.v, a.v) : 0u;
  }
  template <class F>
  BROKKR_FN static void for_lanes(Mask m, F&& f) {
    if (m.m) f(number());
    __syncwarp();
  }
  template <class F>
  BROKKR_FN static void for_distinct(Uint key, Mask m, F&& f) {
    if (m.m) f(key.v, Mask(true));
    __syncwarp();
  }
  template <class T>
  struct Spilled {
    T value;
    BROKKR_FN T operator[](int) const { return value; }
    BROKKR_FN void set(int, T v) { value = v; }
    BROKKR_FN Lane<T> lanes() const { return value; }
  };
  template <class T>
  requires std::is_arithmetic_v<T> BROKKR_FN static Spilled<T> spill(T all) { return spill(Lane<T>(all)); }
  template <class T>
  BROKKR_FN static Spilled<T> spill(Lane<T> a) {
    return Spilled<T>{a.v};
  }
  template <class F>
  BROKKR_FN static void once(F&& f) {
    if (number() == 0) f();
    __syncwarp();
  }
  template <class F>
  BROKKR_FN static auto uniform(F&& f) {
    using T = decltype(f());
    if constexpr (sizeof(T) < 4) {
      int value = 0;
      if (number() == 0) value = int(f());
      return T(__shfl_sync(kAll, value, 0));
    } else {
      T value{};
      if (number() == 0) value = f();
      return __shfl_sync(kAll, value, 0);
    }
  }
  BROKKR_FN static void sync() { __syncwarp(); }

 private:
  // A single instruction for 32-bit integers from Ampere on.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  template <class T>
  static constexpr bool kReducesInOne = std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t>;
#else
  template <class T>
  static constexpr bool kReducesInOne = false;
#endif

  BROKKR_FN static int number() { return int(threadIdx.x & 31u); }
  template <class T, class F>
  BROKKR_FN static T reduce(T a, F&& combine) {
    for (int step = 16; step > 0; step /= 2) a = combine(a, __shfl_xor_sync(kAll, a, step));
    return a;
  }
};

// Returns p, which is known to point into the block's shared storage. The compiler cannot derive that from a reference.
// With the hint, it emits shared loads with 32-bit addresses; generic loads determine the address space at run time.
// Give the hint only once: if nvcc 13.0 gets it again for a pointer derived from such a pointer, it sees a
// contradiction and drops the code.
template <class T>
BROKKR_FN T* in_shared_memory(T* p) {
  __builtin_assume(__isShared(p));
  return p;
}

template <class Shared>
struct Block {
  int index = 0;
  int blocks = 1;
  int warps = 1;
  Warp warp;
  Shared* shared = nullptr;

  BROKKR_FN void sync() const { __syncthreads(); }
  BROKKR_FN bool leader() const { return warp.index == 0; }
};

BROKKR_MACHINE_END
