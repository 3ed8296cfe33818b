// Loads, stores, atomics, and addresses.
#include <algorithm>

#include "ptx/lanes.h"
#include "ptx/memory.h"
#include "ptx/program.h"

namespace brokkr::ptx {
namespace {

constexpr uint32_t readable(Space s) {
  switch (s) {
    case Space::global: return kGlobalRange | kPinnedRange | kConstRange;
    case Space::local: return kLocalRange;
    case Space::constant: return kConstRange;
    case Space::parameter: return kParamRange | kLocalRange;
    default: return kAnyRange;
  }
}
constexpr uint32_t writable(Space s) { return readable(s) & kWritableRanges; }

// A lane's address: a register or a constant, plus an offset.
template <Space kSpace, bool kWide>
struct Address {
  const uint64_t* wide;
  const uint32_t* narrow;
  uint64_t offset;
  Address(const Warp& w, const Instruction& in) : wide(w.longs(in.a)), narrow(w.words(in.a)), offset(in.offset) {}
  uint8_t* of(Warp& w, const Instruction& in, uint32_t l, uint32_t bytes, uint32_t kinds) const {
    const uint64_t address = (kWide ? wide[l] : narrow[l]) + offset;
    if constexpr (kSpace == Space::shared) {
      return w.shared_at(kWide ? address : uint32_t(address), bytes, in, l);
    } else {
      return w.at(address, bytes, in, l, kinds);
    }
  }
};

// The parts of a vector are in d, e, b and c.
inline Place part(const Instruction& in, uint32_t i) {
  const Place parts[4] = {in.d, in.e, in.b, in.c};
  return parts[i];
}

constexpr bool is_private(Space s) { return s == Space::local || s == Space::parameter || s == Space::constant; }

// Host words that other host threads may access. On x86, the instructions are the same as for unordered accesses.
template <class T, int kOrder>
inline T look(const uint8_t* from) {
  return __atomic_load_n(reinterpret_cast<const T*>(from), kOrder);
}
template <class T, int kOrder>
inline void leave(uint8_t* to, T v) {
  __atomic_store_n(reinterpret_cast<T*>(to), v, kOrder);
}

template <class T, class W, uint32_t kParts, Space kSpace, bool kWide>
void load(Warp& w, const Instruction& in, uint32_t lanes) {
  const Address<kSpace, kWide> address(w, in);
  W* to[kParts];
  for (uint32_t i = 0; i < kParts; ++i)
    to[i] = part(in, i) == kNowhere ? nullptr : reinterpret_cast<W*>(w.words(part(in, i)));
  const bool watched = w.is_watched() && !is_private(kSpace);
  const bool acquire = !is_private(kSpace) && (in.mode & kAcquire) != 0;
  w.each(lanes, [&](uint32_t l) {
    const uint8_t* const from = address.of(w, in, l, sizeof(T) * kParts, readable(kSpace));
    T v[kParts];
    if (watched) [[unlikely]] {
      w.watched_load(in, l, from, v, sizeof v);
    } else if (acquire) {
      for (uint32_t i = 0; i < kParts; ++i) v[i] = look<T, __ATOMIC_ACQUIRE>(from + i * sizeof(T));
    } else {
      for (uint32_t i = 0; i < kParts; ++i) v[i] = look<T, __ATOMIC_RELAXED>(from + i * sizeof(T));
    }
    for (uint32_t i = 0; i < kParts; ++i) {
      if (kParts == 1 || to[i] != nullptr) to[i][l] = W(v[i]);
    }
  });
}

template <class T, class W, uint32_t kParts, Space kSpace, bool kWide>
void store(Warp& w, const Instruction& in, uint32_t lanes) {
  const Address<kSpace, kWide> address(w, in);
  const W* from[kParts];
  for (uint32_t i = 0; i < kParts; ++i) from[i] = reinterpret_cast<const W*>(w.words(part(in, i)));
  const bool watched = w.is_watched() && !is_private(kSpace);
  const bool release = !is_private(kSpace) && (in.mode & kRelease) != 0;
  w.each(lanes, [&](uint32_t l) {
    uint8_t* const to = address.of(w, in, l, sizeof(T) * kParts, writable(kSpace));
    T v[kParts];
    for (uint32_t i = 0; i < kParts; ++i) v[i] = T(from[i][l]);
    if (watched) [[unlikely]]
      return w.watched_store(in, l, to, v, sizeof v);
    if (release) {
      for (uint32_t i = 0; i < kParts; ++i) leave<T, __ATOMIC_RELEASE>(to + i * sizeof(T), v[i]);
    } else {
      for (uint32_t i = 0; i < kParts; ++i) leave<T, __ATOMIC_RELAXED>(to + i * sizeof(T), v[i]);
    }
  });
}

struct AtomAdd {
  template <class T>
  static T run(T old, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return old + b;
    else
      return T(std::make_unsigned_t<T>(old) + std::make_unsigned_t<T>(b));
  }
};
struct AtomMin {
  template <class T>
  static T run(T old, T b) {
    return std::min(old, b);
  }
};
struct AtomMax {
  template <class T>
  static T run(T old, T b) {
    return std::max(old, b);
  }
};
struct AtomAnd {
  template <class T>
  static T run(T old, T b) {
    return old & b;
  }
};
struct AtomOr {
  template <class T>
  static T run(T old, T b) {
    return old | b;
  }
};
struct AtomXor {
  template <class T>
  static T run(T old, T b) {
    return old ^ b;
  }
};
struct AtomExch {
  template <class T>
  static T run(T, T b) {
    return b;
  }
};
struct AtomInc {
  template <class T>
  static T run(T old, T b) {
    return old >= b ? T(0) : T(old + 1);
  }
};
struct AtomDec {
  template <class T>
  static T run(T old, T b) {
    return old == 0 || old > b ? b : T(old - 1);
  }
};

template <size_t kBytes>
using Raw = std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>;

// `f` computes a lane's new word from the old one. If one host thread runs all lanes, only copies by the host can
// happen between load and store. A word that does not change must not be stored, because that would overwrite such a
// copy.
template <class T, Space kSpace, bool kWide, class F>
void change(Warp& w, const Instruction& in, uint32_t lanes, F&& f) {
  using R = Raw<sizeof(T)>;
  const Address<kSpace, kWide> address(w, in);
  WordOf<T>* const d = in.d == kNowhere ? nullptr : row<T>(w, in.d);
  const bool crowded = w.is_crowded();
  w.each(lanes, [&](uint32_t l) {
    uint8_t* const to = address.of(w, in, l, sizeof(T), writable(kSpace));
    if (w.is_watched()) [[unlikely]]
      w.before_atomic(in, l, to, sizeof(T));
    R* const word = reinterpret_cast<R*>(to);
    R old = __atomic_load_n(word, __ATOMIC_RELAXED);
    R v = R(f(l, WordOf<T>(old)));
    if (!crowded) {
      if (v != old) __atomic_store_n(word, v, __ATOMIC_RELAXED);
    } else {
      while (!__atomic_compare_exchange_n(word, &old, v, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        v = R(f(l, WordOf<T>(old)));
    }
    if (d != nullptr) d[l] = WordOf<T>(old);
  });
}
template <class T, class Op, Space kSpace, bool kWide>
void atomic(Warp& w, const Instruction& in, uint32_t lanes) {
  const WordOf<T>* const b = row<T>(w, in.b);
  change<T, kSpace, kWide>(w, in, lanes, [&](uint32_t l, WordOf<T> old) {
    return to_word<T>(Op::template run<T>(from_word<T>(old), from_word<T>(b[l])));
  });
}
template <class T, Space kSpace, bool kWide>
void exchange_if(Warp& w, const Instruction& in, uint32_t lanes) {
  const WordOf<T>*const b = row<T>(w, in.b), *const c = row<T>(w, in.c);
  change<T, kSpace, kWide>(w, in, lanes, [&](uint32_t l, WordOf<T> old) { return T(old) == T(b[l]) ? c[l] : old; });
}

void fence(Warp& w, const Instruction&, uint32_t lanes) { w.fence(lanes); }

template <bool kToShared, bool kWide>
void shared_address(Warp& w, const Instruction& in, uint32_t lanes) {
  const uint64_t window = reinterpret_cast<uint64_t>(w.shared());
  uint64_t v[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint64_t a = kWide ? w.longs(in.a)[l] : w.words(in.a)[l];
    v[l] = kToShared ? a - window : a + window;
  }
  keep(w.longs(in.d), v, lanes);
}

template <Space kSpace>
void is_space(Warp& w, const Instruction& in, uint32_t lanes) {
  uint32_t p = 0;
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    const uint32_t kind = Memory::instance().range_of(w.longs(in.a)[l]).kind;
    const uint32_t wanted = kSpace == Space::shared ? uint32_t(kSharedRange) : readable(kSpace);
    p |= uint32_t((kind & wanted) != 0) << l;
  }
  uint32_t& d = *w.words(in.d);
  d = (d & ~lanes) | p;
}

// sust.b.2d.b32.trap [surface, {x, y}], {value}: x in bytes.
void store_surface(Warp& w, const Instruction& in, uint32_t lanes) {
  w.each(lanes, [&](uint32_t l) {
    const Surface* const s = surface_of(w.longs(in.a)[l]);
    const uint32_t x = w.words(in.b)[l], y = w.words(in.c)[l];
    if (s == nullptr) w.fail(in, 1u << l, "no such surface");
    if (x + 4 > s->pitch || y >= s->height) w.fail(in, 1u << l, "store outside the surface");
    std::memcpy(s->data + size_t(y) * s->pitch + x, &w.words(in.m)[l], 4);
  });
}

// Turns values that are known when an instruction is built into template arguments.
template <class F>
Handler with_space(Space s, F&& f) {
  switch (s) {
    case Space::generic: return f.template operator()<Space::generic>();
    case Space::global: return f.template operator()<Space::global>();
    case Space::shared: return f.template operator()<Space::shared>();
    case Space::local: return f.template operator()<Space::local>();
    case Space::constant: return f.template operator()<Space::constant>();
    case Space::parameter: return f.template operator()<Space::parameter>();
  }
  return nullptr;
}
template <class F>
Handler with_type(Type t, F&& f) {
  switch (t) {
    case Type::b8:
    case Type::u8: return f(uint8_t());
    case Type::s8: return f(int8_t());
    case Type::b16:
    case Type::u16:
    case Type::f16: return f(uint16_t());
    case Type::s16: return f(int16_t());
    case Type::b32:
    case Type::u32:
    case Type::f32: return f(uint32_t());
    case Type::s32: return f(int32_t());
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64: return f(uint64_t());
    default: return nullptr;
  }
}

}  // namespace

namespace {

// The handler for an access of parts of a type, in registers of a given width. `f` builds it from these.
template <class T, Space kSpace, class F>
Handler with_parts(bool wide_register, uint32_t parts, F&& f) {
  if (parts == 1 && wide_register) return f.template operator()<T, uint64_t, 1, kSpace>();
  if constexpr (sizeof(T) == 8) {
    if (parts == 2) return f.template operator()<T, uint64_t, 2, kSpace>();
  } else if (!wide_register) {
    if (parts == 1) return f.template operator()<T, uint32_t, 1, kSpace>();
    if (parts == 2) return f.template operator()<T, uint32_t, 2, kSpace>();
    if (parts == 4) return f.template operator()<T, uint32_t, 4, kSpace>();
  }
  return nullptr;
}

}  // namespace

Handler load_handler(Type t, bool wide_register, uint32_t parts, Space space, bool wide_address) {
  const auto handler = [&]<class T, class W, uint32_t kParts, Space kSpace>() -> Handler {
    return wide_address ? &load<T, W, kParts, kSpace, true> : &load<T, W, kParts, kSpace, false>;
  };
  return with_space(space, [&]<Space kSpace>() -> Handler {
    return with_type(t, [&](auto v) { return with_parts<decltype(v), kSpace>(wide_register, parts, handler); });
  });
}

Handler store_handler(Type t, bool wide_register, uint32_t parts, Space space, bool wide_address) {
  const auto handler = [&]<class T, class W, uint32_t kParts, Space kSpace>() -> Handler {
    return wide_address ? &store<T, W, kParts, kSpace, true> : &store<T, W, kParts, kSpace, false>;
  };
  return with_space(space, [&]<Space kSpace>() -> Handler {
    return with_type(t, [&](auto v) {
      return with_parts<std::make_unsigned_t<decltype(v)>, kSpace>(wide_register, parts, handler);
    });
  });
}

namespace {

using AtomicHandler = Handler (*)(bool wide_address);
template <class T, class Op, Space kSpace>
Handler atomic_of(bool wide_address) {
  return wide_address ? &atomic<T, Op, kSpace, true> : &atomic<T, Op, kSpace, false>;
}
template <class T, Space kSpace>
Handler exchange_if_of(bool wide_address) {
  return wide_address ? &exchange_if<T, kSpace, true> : &exchange_if<T, kSpace, false>;
}
template <class T, Space kSpace>
AtomicHandler atomic_named(std::string_view operation) {
  if constexpr (std::is_floating_point_v<T>) {
    return operation == "add" ? &atomic_of<T, AtomAdd, kSpace> : nullptr;
  } else if constexpr (sizeof(T) == 2) {
    return operation == "cas" ? &exchange_if_of<T, kSpace> : nullptr;
  } else {
    constexpr Named<AtomicHandler> kOperations[] = {
        {"add", &atomic_of<T, AtomAdd, kSpace>},   {"min", &atomic_of<T, AtomMin, kSpace>},
        {"max", &atomic_of<T, AtomMax, kSpace>},   {"and", &atomic_of<T, AtomAnd, kSpace>},
        {"or", &atomic_of<T, AtomOr, kSpace>},     {"xor", &atomic_of<T, AtomXor, kSpace>},
        {"inc", &atomic_of<T, AtomInc, kSpace>},   {"dec", &atomic_of<T, AtomDec, kSpace>},
        {"exch", &atomic_of<T, AtomExch, kSpace>}, {"cas", &exchange_if_of<T, kSpace>}};
    return find(kOperations, operation);
  }
}
template <Space kSpace>
AtomicHandler atomic_in(std::string_view operation, Type t) {
  switch (t) {
    case Type::b16:
    case Type::u16: return atomic_named<uint16_t, kSpace>(operation);
    case Type::b32:
    case Type::u32: return atomic_named<uint32_t, kSpace>(operation);
    case Type::s32: return atomic_named<int32_t, kSpace>(operation);
    case Type::b64:
    case Type::u64: return atomic_named<uint64_t, kSpace>(operation);
    case Type::s64: return atomic_named<int64_t, kSpace>(operation);
    case Type::f32: return atomic_named<float, kSpace>(operation);
    case Type::f64: return atomic_named<double, kSpace>(operation);
    default: return nullptr;
  }
}

}  // namespace

Handler atomic_handler(std::string_view operation, Type t, Space space, bool wide_address) {
  AtomicHandler make = nullptr;
  if (space == Space::generic) make = atomic_in<Space::generic>(operation, t);
  if (space == Space::global) make = atomic_in<Space::global>(operation, t);
  if (space == Space::shared) make = atomic_in<Space::shared>(operation, t);
  return make == nullptr ? nullptr : make(wide_address);
}

Handler fence_handler() { return &fence; }
Handler shared_address_handler(bool to_shared, bool wide) {
  if (to_shared) return wide ? &shared_address<true, true> : nullptr;
  return wide ? &shared_address<false, true> : &shared_address<false, false>;
}
Handler is_space_handler(Space space) {
  return with_space(space, []<Space kSpace>() -> Handler { return &is_space<kSpace>; });
}
Handler surface_store_handler() { return &store_surface; }

}  // namespace brokkr::ptx
