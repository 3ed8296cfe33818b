// atomic_ref for a word in global memory, unsigned with 32 or 64 bits. libcu++ emits generic instructions, which
// determine the memory of an address at run time, because its inline assembly hides the address from the compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda/atomic>
#include <type_traits>

BROKKR_MACHINE_BEGIN

// One instruction on the word: `name` with order, scope, address space and `type` by size, followed by `list`, its
// operands. It writes `out` and reads `in`.
#define BROKKR_SIZED(name, type, list, out, in)                                       \
  if constexpr (sizeof(T) == 4)                                                       \
    asm volatile(name ".global" type "32 " list ";" : out("r") : in("r") : "memory"); \
  else                                                                                \
    asm volatile(name ".global" type "64 " list ";" : out("l") : in("l") : "memory")
#define BROKKR_SCOPED(name, type, list, out, in)    \
  if constexpr (kSystem) {                          \
    BROKKR_SIZED(name ".sys", type, list, out, in); \
  } else {                                          \
    BROKKR_SIZED(name ".gpu", type, list, out, in); \
  }
// A read-modify-write operation. `order` is a compile-time constant.
#define BROKKR_ATOM(type, list, in)                                                                          \
  switch (order) {                                                                                           \
    case ::cuda::std::memory_order_relaxed: BROKKR_SCOPED("atom.relaxed", type, list, BROKKR_OLD, in) break; \
    case ::cuda::std::memory_order_release: BROKKR_SCOPED("atom.release", type, list, BROKKR_OLD, in) break; \
    case ::cuda::std::memory_order_acq_rel: BROKKR_SCOPED("atom.acq_rel", type, list, BROKKR_OLD, in) break; \
    default: BROKKR_SCOPED("atom.acquire", type, list, BROKKR_OLD, in)                                       \
  }
#define BROKKR_NONE(size)
#define BROKKR_OLD(size) "=" size(old)
#define BROKKR_PLACE(size) "l"(address_)
#define BROKKR_PLACE_VALUE(size) "l"(address_), size(value)
#define BROKKR_PLACE_PAIR(size) "l"(address_), size(expected), size(value)

// kSystem: ordered with the host too; otherwise, only among the device's blocks.
template <class T, bool kSystem>
class GlobalAtomic {
  static_assert(std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>);

 public:
  using Order = ::cuda::std::memory_order;

  BROKKR_FN explicit GlobalAtomic(T& word) : address_(__cvta_generic_to_global(&word)) {}

  BROKKR_FN T load(Order order) const {
    begin(order);
    T old;
    if (order == ::cuda::std::memory_order_relaxed) {
      BROKKR_SCOPED("ld.relaxed", ".b", "%0, [%1]", BROKKR_OLD, BROKKR_PLACE)
    } else {
      BROKKR_SCOPED("ld.acquire", ".b", "%0, [%1]", BROKKR_OLD, BROKKR_PLACE)
    }
    return old;
  }
  BROKKR_FN void store(T value, Order order) const {
    begin(order);
    if (order == ::cuda::std::memory_order_release) {
      BROKKR_SCOPED("st.release", ".b", "[%0], %1", BROKKR_NONE, BROKKR_PLACE_VALUE)
    } else {
      BROKKR_SCOPED("st.relaxed", ".b", "[%0], %1", BROKKR_NONE, BROKKR_PLACE_VALUE)
    }
  }

#define BROKKR_FETCH(name, type)                          \
  BROKKR_FN T name(T value, Order order) const {          \
    begin(order);                                         \
    T old;                                                \
    BROKKR_ATOM(type, "%0, [%1], %2", BROKKR_PLACE_VALUE) \
    return old;                                           \
  }
  BROKKR_FETCH(fetch_add, ".add.u")
  BROKKR_FETCH(fetch_or, ".or.b")
  BROKKR_FETCH(fetch_and, ".and.b")
  BROKKR_FETCH(exchange, ".exch.b")
#undef BROKKR_FETCH
  BROKKR_FN T fetch_sub(T value, Order order) const { return fetch_add(T(0) - value, order); }

  // A failed exchange has the same order as a successful one.
  BROKKR_FN bool compare_exchange_strong(T& expected, T value, Order order) const {
    begin(order);
    T old;
    BROKKR_ATOM(".cas.b", "%0, [%1], %2, %3", BROKKR_PLACE_PAIR)
    const bool same = old == expected;
    expected = old;
    return same;
  }
  BROKKR_FN bool compare_exchange_strong(T& expected, T value, Order order, Order) const {
    return compare_exchange_strong(expected, value, order);
  }
  BROKKR_FN bool compare_exchange_weak(T& expected, T value, Order order) const {
    return compare_exchange_strong(expected, value, order);
  }

 private:
  size_t address_;

  BROKKR_FN static void begin(Order order) {
    if (order == ::cuda::std::memory_order_seq_cst) {
      if constexpr (kSystem)
        asm volatile("fence.sc.sys;" ::: "memory");
      else
        asm volatile("fence.sc.gpu;" ::: "memory");
    }
  }
};

#undef BROKKR_SIZED
#undef BROKKR_SCOPED
#undef BROKKR_ATOM
#undef BROKKR_NONE
#undef BROKKR_OLD
#undef BROKKR_PLACE
#undef BROKKR_PLACE_VALUE
#undef BROKKR_PLACE_PAIR

BROKKR_MACHINE_END
