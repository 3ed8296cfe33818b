// The warp of the CUDA machine: a thread holds one lane, so lane types are plain scalars and cost nothing.
#pragma once

#include <cstdint>
#include <type_traits>

BROKKR_MACHINE_BEGIN

template <class T>
using Lane = T;
using Float = float;
using Int = int32_t;
using Uint = uint32_t;
using Double = double;
using Ulong = uint64_t;
using Mask = bool;
BROKKR_CONSTANT int kWidth = 32;

template <class T>
BROKKR_FN T select(bool m, T a, T b) {
  return m ? a : b;
}
template <class T>
BROKKR_FN T lesser_of(T a, T b) {
  return a < b ? a : b;
}
template <class T>
BROKKR_FN T greater_of(T a, T b) {
  return a > b ? a : b;
}
BROKKR_FN Uint as_uint(float a) { return __float_as_uint(a); }
BROKKR_FN Uint as_uint(int32_t a) { return uint32_t(a); }
BROKKR_FN Int as_int(float a) { return __float_as_int(a); }
BROKKR_FN Int as_int(uint32_t a) { return int32_t(a); }
BROKKR_FN Float as_float(uint32_t a) { return __uint_as_float(a); }
BROKKR_FN Float as_float(int32_t a) { return __int_as_float(a); }
BROKKR_FN Float floor(float a) { return ::floorf(a); }
BROKKR_FN Double floor(double a) { return ::floor(a); }
BROKKR_FN Float sqrt(float a) { return __fsqrt_rn(a); }
BROKKR_FN Int to_int(float a) { return __float2int_rz(a); }
BROKKR_FN Int to_int(double a) { return __double2int_rz(a); }
BROKKR_FN Float to_float(int32_t a) { return __int2float_rn(a); }
BROKKR_FN Float to_float(double a) { return __double2float_rn(a); }
BROKKR_FN Double to_double(int32_t a) { return double(a); }
BROKKR_FN Double to_double(float a) { return double(a); }
BROKKR_FN Int round_to_int(float a) { return __float2int_rn(a); }

class Warp {
 public:
  static constexpr int width = 32;
  static constexpr unsigned kAll = 0xffffffffu;
  using Float = float;
  using Int = int32_t;
  using Uint = uint32_t;
  using Mask = bool;

  int index = 0;  // of this warp in its block
  // Integers of 32 bits: one instruction from Ampere on.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  template <class T>
  static constexpr bool kReducesInOne = std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t>;
#else
  template <class T>
  static constexpr bool kReducesInOne = false;
#endif

  BROKKR_FN static Int lane() { return int(threadIdx.x & 31u); }
  BROKKR_FN static Mask first_lanes(int n) { return lane() < n; }
  BROKKR_FN static bool any(bool m) { return __any_sync(kAll, m); }
  BROKKR_FN static bool all(bool m) { return __all_sync(kAll, m); }
  BROKKR_FN static uint32_t ballot(bool m) { return __ballot_sync(kAll, m); }
  BROKKR_FN static int count(bool m) { return __popc(ballot(m)); }
  // Set lanes up to and with each.
  BROKKR_FN static Uint inclusive_count(bool m) { return uint32_t(__popc(ballot(m) & (0xffffffffu >> (31 - lane())))); }
  BROKKR_FN static Mask lanes_of(uint32_t bits) { return (bits >> lane()) & 1u; }

  template <class T>
  BROKKR_FN static T shuffle(T a, Int from) {
    return __shfl_sync(kAll, a, from & 31);
  }
  template <class T>
  BROKKR_FN static T broadcast(T a, int from) {
    return __shfl_sync(kAll, a, from);
  }
  template <class T>
  BROKKR_FN static T inclusive_sum(T a) {
    for (int step = 1; step < 32; step *= 2) {
      const T below = __shfl_up_sync(kAll, a, unsigned(step));
      if (lane() >= step) a = a + below;
    }
    return a;
  }
  template <class T>
  BROKKR_FN static T reduce_add(T a) {
    if constexpr (kReducesInOne<T>) {
      return __reduce_add_sync(kAll, a);
    } else {
      for (int step = 16; step > 0; step /= 2) a = a + __shfl_xor_sync(kAll, a, step);
      return a;
    }
  }
  template <class T>
  BROKKR_FN static T reduce_min(T a) {
    if constexpr (kReducesInOne<T>) {
      return __reduce_min_sync(kAll, a);
    } else {
      for (int step = 16; step > 0; step /= 2) {
        const T b = __shfl_xor_sync(kAll, a, step);
        a = b < a ? b : a;
      }
      return a;
    }
  }
  template <class T>
  BROKKR_FN static T reduce_max(T a) {
    if constexpr (kReducesInOne<T>) {
      return __reduce_max_sync(kAll, a);
    } else {
      for (int step = 16; step > 0; step /= 2) {
        const T b = __shfl_xor_sync(kAll, a, step);
        a = a < b ? b : a;
      }
      return a;
    }
  }

  template <class T>
  BROKKR_FN static T load(const T* p) {
    return p[lane()];
  }
  template <class T>
  BROKKR_FN static T load(const T* p, bool m, T otherwise) {
    return m ? p[lane()] : otherwise;
  }
  template <class T>
  BROKKR_FN static void store(T* p, T a) {
    p[lane()] = a;
  }
  template <class T>
  BROKKR_FN static void store(T* p, T a, bool m) {
    if (m) p[lane()] = a;
  }
  template <class T>
  BROKKR_FN static int compress_store(T* p, T a, bool m) {
    const uint32_t bits = ballot(m);
    if (m) p[__popc(bits & ((1u << lane()) - 1u))] = a;
    return __popc(bits);
  }
  template <class T>
  BROKKR_FN static T gather(const T* p, Int at, bool m, T otherwise = T(0)) {
    return m ? p[at] : otherwise;
  }
  template <class T>
  BROKKR_FN static void scatter(T* p, Int at, T a, bool m) {
    if (m) p[at] = a;
  }
  BROKKR_FN static void scatter_or(uint32_t* p, Int at, Uint a, bool m) {
    if (m) atomicOr(p + at, a);
  }
  BROKKR_FN static void scatter_min(uint32_t* p, Int at, Uint a, bool m) {
    if (m) atomicMin(p + at, a);
  }
  BROKKR_FN static Uint scatter_fetch_or(uint32_t* p, Int at, Uint a, bool m) { return m ? atomicOr(p + at, a) : 0u; }
  template <class F>
  BROKKR_FN static void for_lanes(bool m, F&& f) {
    if (m) f(lane());
    __syncwarp();
  }
  template <class F>
  BROKKR_FN static void for_distinct(Uint key, bool m, F&& f) {
    if (m) f(key, true);
    __syncwarp();
  }
  template <class T>
  struct Spilled {
    T value;
    BROKKR_FN T operator[](int) const { return value; }
    BROKKR_FN void set(int, T v) { value = v; }
    BROKKR_FN T lanes() const { return value; }
  };
  template <class T>
  BROKKR_FN static Spilled<T> spill(T a) {
    return Spilled<T>{a};
  }
  template <class F>
  BROKKR_FN static void once(F&& f) {
    if (lane() == 0) f();
    __syncwarp();
  }
  template <class F>
  BROKKR_FN static auto uniform(F&& f) {
    using T = decltype(f());
    if constexpr (sizeof(T) < 4) {
      int value = 0;
      if (lane() == 0) value = int(f());
      return T(__shfl_sync(kAll, value, 0));
    } else {
      T value{};
      if (lane() == 0) value = f();
      return __shfl_sync(kAll, value, 0);
    }
  }
  BROKKR_FN static void sync() { __syncwarp(); }
};

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

#include "machine/lane_math.h"
