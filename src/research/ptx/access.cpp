// Loads, stores, atomics, and addresses.
#include <algorithm>

#include "ptx/lanes.h"
#include "ptx/memory.h"
#include "ptx/program.h"

namespace brokkr::ptx {
namespace {

// The host addresses of an access's lanes, checked together.
struct Places {
  alignas(64) uint64_t at[kLanes];
  bool in_a_row;  // all 32 lanes access neighbouring memory, in their order
};

// With fewer lanes, a look at each lane is faster.
constexpr int kFewLanes = 4;

template <class A>
__attribute__((noinline)) bool are_same(const A* addresses, A first, uint32_t lanes) {
  A other = 0;
  for (uint32_t l = 0; l < kLanes; ++l) other |= (lanes >> l & 1) != 0 ? addresses[l] ^ first : A(0);
  return other == 0;
}

// Finds the addresses of all lanes; returns false if an access of `bytes` at one of them is wrong or must be checked
// separately. These are loops over all lanes, so that the compiler vectorizes.
template <bool kShared, class A>
__attribute__((noinline)) bool find_places(const Warp& w, const A* addresses, const Instruction& in, uint32_t bytes,
                                           uint32_t lanes, Places& places) {
  const uint64_t shared = kShared ? reinterpret_cast<uint64_t>(w.shared()) : 0;
  Warp::Window window{shared, w.shared_bytes() - bytes, false};
  if (kShared ? w.shared_bytes() < bytes
              : !w.find_window(addresses[__builtin_ctz(lanes)] + in.offset, bytes, in.kinds, window))
    return false;
  for (uint32_t l = 0; l < kLanes; ++l)
    places.at[l] = (kShared ? A(addresses[l] + in.offset) : addresses[l] + in.offset) + shared;
  const uint64_t begin = window.begin, stride = window.is_local ? kLocalBytes : 0;
  const int shift = __builtin_ctz(bytes);
  uint64_t out = 0, low = 0, apart = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint64_t a = places.at[l], mask = (lanes >> l & 1) != 0 ? ~uint64_t(0) : 0;
    const uint64_t behind = a - begin - (stride & uint64_t(l) * kLocalBytes);
    out |= mask & (behind | (window.most - behind));  // has the highest bit if `behind` is not within the window
    low |= mask & a;
    apart |= (a - (uint64_t(l) << shift)) ^ places.at[0];
  }
  places.in_a_row = apart == 0 && lanes == kAllLanes;
  return (out >> 63) == 0 && (low & (bytes - 1)) == 0;
}

// The host address of one lane.
template <bool kShared, class A>
__attribute__((noinline)) uint64_t place_of_lane(Warp& w, const A* addresses, const Instruction& in, uint32_t bytes,
                                                 uint32_t lane) {
  const uint64_t address = addresses[lane] + in.offset;
  return reinterpret_cast<uint64_t>(kShared ? w.shared_at(A(address), bytes, in, lane)
                                            : w.at(address, bytes, in, lane, in.kinds));
}

// The addresses of an access: a register or a constant, plus an offset.
template <bool kShared, bool kWide>
class Addresses {
 public:
  Addresses(Warp& w, const Instruction& in, uint32_t bytes) : w_(w), in_(in), bytes_(bytes), all_(row<A>(w, in.a)) {}
  // Returns true if all lanes have one address.
  bool are_one(uint32_t lanes) const {
    return (in_.a & 3) == kConstant || (lanes & (lanes - 1)) == 0 || are_same(all_, all_[__builtin_ctz(lanes)], lanes);
  }
  // Finds the addresses of these lanes together if that is possible.
  void find(uint32_t lanes) {
    found_ = __builtin_popcount(lanes) >= kFewLanes && find_places<kShared>(w_, all_, in_, bytes_, lanes, places_);
  }
  uint64_t of_lane(uint32_t lane) const {
    return found_ ? places_.at[lane] : place_of_lane<kShared>(w_, all_, in_, bytes_, lane);
  }
  // The memory that all 32 lanes access in their order, as one piece; nullptr if it is not one.
  void* in_a_row() const {
    return found_ && places_.in_a_row && !w_.is_crowded() ? reinterpret_cast<void*>(places_.at[0]) : nullptr;
  }

 private:
  using A = std::conditional_t<kWide, uint64_t, uint32_t>;
  Warp& w_;
  const Instruction& in_;
  const uint32_t bytes_;
  const A* const all_;
  bool found_ = false;
  Places places_;
};

template <class W>
__attribute__((noinline)) void fill(W* to, W value, uint32_t lanes) {
  for (uint32_t l = 0; l < kLanes; ++l) to[l] = (lanes >> l & 1) != 0 ? value : to[l];
}

// The parts of a vector are in d, e, b and c.
inline Place part(const Instruction& in, uint32_t i) {
  const Place parts[4] = {in.d, in.e, in.b, in.c};
  return parts[i];
}

// Returns true if only one thread, or none, writes the memory.
bool is_private(const Instruction& in) { return (in.kinds & (kGlobalRange | kPinnedRange | kSharedRange)) == 0; }

// Host words that other host threads may access. On x86, the instructions are the same as for unordered accesses.
template <class T, int kOrder>
inline T look(const uint8_t* from) {
  return __atomic_load_n(reinterpret_cast<const T*>(from), kOrder);
}
template <class T, int kOrder>
inline void leave(uint8_t* to, T value) {
  __atomic_store_n(reinterpret_cast<T*>(to), value, kOrder);
}

template <class T, class W, uint32_t kParts, bool kShared, bool kWide>
void load(Warp& w, const Instruction& in, uint32_t lanes) {
  Addresses<kShared, kWide> addresses(w, in, sizeof(T) * kParts);
  W* to[kParts];
  for (uint32_t i = 0; i < kParts; ++i)
    to[i] = part(in, i) == kNowhere ? nullptr : reinterpret_cast<W*>(w.words(part(in, i)));
  const bool watched = w.is_watched() && !is_private(in);
  const bool acquire = !is_private(in) && (in.mode & kAcquire) != 0;
  const auto read = [&](uint32_t l, T* values) {
    const uint8_t* const from = reinterpret_cast<const uint8_t*>(addresses.of_lane(l));
    if (watched) [[unlikely]]
      return w.watched_load(in, l, from, values, sizeof(T) * kParts);
    for (uint32_t i = 0; i < kParts; ++i) {
      const uint8_t* const word = from + i * sizeof(T);
      values[i] = acquire ? look<T, __ATOMIC_ACQUIRE>(word) : look<T, __ATOMIC_RELAXED>(word);
    }
  };
  if (!watched && addresses.are_one(lanes)) {
    T values[kParts];
    read(uint32_t(__builtin_ctz(lanes)), values);
    for (uint32_t i = 0; i < kParts; ++i) {
      if (kParts == 1 || to[i] != nullptr) fill(to[i], W(values[i]), lanes);
    }
    return;
  }
  addresses.find(lanes);
  if constexpr (kParts == 1 && sizeof(T) == sizeof(W)) {
    if (const void* const from = addresses.in_a_row(); from != nullptr && !watched) {
      std::memcpy(to[0], from, kLanes * sizeof(T));
      return;
    }
  }
  w.each(lanes, [&](uint32_t l) {
    T values[kParts];
    read(l, values);
    for (uint32_t i = 0; i < kParts; ++i) {
      if (kParts == 1 || to[i] != nullptr) to[i][l] = W(values[i]);
    }
  });
}

template <class T, class W, uint32_t kParts, bool kShared, bool kWide>
void store(Warp& w, const Instruction& in, uint32_t lanes) {
  Addresses<kShared, kWide> addresses(w, in, sizeof(T) * kParts);
  const W* from[kParts];
  for (uint32_t i = 0; i < kParts; ++i) from[i] = reinterpret_cast<const W*>(w.words(part(in, i)));
  const bool watched = w.is_watched() && !is_private(in);
  const bool release = !is_private(in) && (in.mode & kRelease) != 0;
  addresses.find(lanes);
  if constexpr (kParts == 1 && sizeof(T) == sizeof(W)) {
    if (void* const to = addresses.in_a_row(); to != nullptr && !watched) {
      std::memcpy(to, from[0], kLanes * sizeof(T));
      return;
    }
  }
  w.each(lanes, [&](uint32_t l) {
    uint8_t* const to = reinterpret_cast<uint8_t*>(addresses.of_lane(l));
    T values[kParts];
    for (uint32_t i = 0; i < kParts; ++i) values[i] = T(from[i][l]);
    if (watched) [[unlikely]]
      return w.watched_store(in, l, to, values, sizeof values);
    for (uint32_t i = 0; i < kParts; ++i) {
      uint8_t* const word = to + i * sizeof(T);
      release ? leave<T, __ATOMIC_RELEASE>(word, values[i]) : leave<T, __ATOMIC_RELAXED>(word, values[i]);
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
template <class T, bool kShared, bool kWide, class F>
void change(Warp& w, const Instruction& in, uint32_t lanes, F&& f) {
  using R = Raw<sizeof(T)>;
  Addresses<kShared, kWide> addresses(w, in, sizeof(T));
  WordOf<T>* const d = in.d == kNowhere ? nullptr : row<T>(w, in.d);
  const bool crowded = w.is_crowded();
  addresses.find(lanes);
  w.each(lanes, [&](uint32_t l) {
    R* const word = reinterpret_cast<R*>(addresses.of_lane(l));
    if (w.is_watched()) [[unlikely]]
      w.before_atomic(in, l, reinterpret_cast<const uint8_t*>(word), sizeof(T));
    R old = __atomic_load_n(word, __ATOMIC_RELAXED);
    R changed = R(f(l, WordOf<T>(old)));
    if (!crowded) {
      if (changed != old) __atomic_store_n(word, changed, __ATOMIC_RELAXED);
    } else {
      while (!__atomic_compare_exchange_n(word, &old, changed, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        changed = R(f(l, WordOf<T>(old)));
    }
    if (d != nullptr) d[l] = WordOf<T>(old);
  });
}
template <class T, class Op, bool kShared, bool kWide>
void atomic(Warp& w, const Instruction& in, uint32_t lanes) {
  const WordOf<T>* const b = row<T>(w, in.b);
  change<T, kShared, kWide>(w, in, lanes, [&](uint32_t l, WordOf<T> old) {
    return to_word<T>(Op::template run<T>(from_word<T>(old), from_word<T>(b[l])));
  });
}
template <class T, bool kShared, bool kWide>
void exchange_if(Warp& w, const Instruction& in, uint32_t lanes) {
  const WordOf<T>*const b = row<T>(w, in.b), *const c = row<T>(w, in.c);
  change<T, kShared, kWide>(w, in, lanes, [&](uint32_t l, WordOf<T> old) { return T(old) == T(b[l]) ? c[l] : old; });
}

void fence(Warp& w, const Instruction&, uint32_t lanes) { w.fence(lanes); }

template <bool kToShared, bool kWide>
void shared_address(Warp& w, const Instruction& in, uint32_t lanes) {
  const uint64_t window = reinterpret_cast<uint64_t>(w.shared());
  uint64_t results[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint64_t a = kWide ? w.longs(in.a)[l] : w.words(in.a)[l];
    results[l] = kToShared ? a - window : a + window;
  }
  keep(w.longs(in.d), results, lanes);
}

template <Space kSpace>
void is_space(Warp& w, const Instruction& in, uint32_t lanes) {
  uint32_t p = 0;
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    const uint32_t kind = Memory::instance().range_of(w.longs(in.a)[l]).kind;
    const uint32_t wanted = kSpace == Space::shared ? uint32_t(kSharedRange) : ranges_of(kSpace, false);
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

// The handler for an access of parts of a type, in registers of a given width. `f` builds it from these.
template <class T, class F>
Handler with_parts(bool wide_register, uint32_t parts, F&& f) {
  if (parts == 1 && wide_register) return f.template operator()<T, uint64_t, 1>();
  if constexpr (sizeof(T) == 8) {
    if (parts == 2) return f.template operator()<T, uint64_t, 2>();
  } else if (!wide_register) {
    if (parts == 1) return f.template operator()<T, uint32_t, 1>();
    if (parts == 2) return f.template operator()<T, uint32_t, 2>();
    if (parts == 4) return f.template operator()<T, uint32_t, 4>();
  }
  return nullptr;
}

}  // namespace

uint8_t ranges_of(Space space, bool writes) {
  uint32_t ranges = kAnyRange;
  if (space == Space::global) ranges = kGlobalRange | kPinnedRange | kConstRange;
  if (space == Space::local) ranges = kLocalRange;
  if (space == Space::constant) ranges = kConstRange;
  if (space == Space::parameter) ranges = kParamRange | kLocalRange;
  return uint8_t(writes ? ranges & kWritableRanges : ranges);
}

Handler load_handler(Type t, bool wide_register, uint32_t parts, Space space, bool wide_address) {
  const bool shared = space == Space::shared;
  const auto handler = [&]<class T, class W, uint32_t kParts>() -> Handler {
    if (shared) return wide_address ? &load<T, W, kParts, true, true> : &load<T, W, kParts, true, false>;
    return wide_address ? &load<T, W, kParts, false, true> : &load<T, W, kParts, false, false>;
  };
  return with_type(t, [&](auto tag) { return with_parts<decltype(tag)>(wide_register, parts, handler); });
}

Handler store_handler(Type t, bool wide_register, uint32_t parts, Space space, bool wide_address) {
  const bool shared = space == Space::shared;
  const auto handler = [&]<class T, class W, uint32_t kParts>() -> Handler {
    if (shared) return wide_address ? &store<T, W, kParts, true, true> : &store<T, W, kParts, true, false>;
    return wide_address ? &store<T, W, kParts, false, true> : &store<T, W, kParts, false, false>;
  };
  return with_type(
      t, [&](auto tag) { return with_parts<std::make_unsigned_t<decltype(tag)>>(wide_register, parts, handler); });
}

namespace {

using AtomicHandler = Handler (*)(bool shared, bool wide_address);
template <class T, class Op>
Handler atomic_of(bool shared, bool wide_address) {
  if (shared) return wide_address ? &atomic<T, Op, true, true> : &atomic<T, Op, true, false>;
  return wide_address ? &atomic<T, Op, false, true> : &atomic<T, Op, false, false>;
}
template <class T>
Handler exchange_if_of(bool shared, bool wide_address) {
  if (shared) return wide_address ? &exchange_if<T, true, true> : &exchange_if<T, true, false>;
  return wide_address ? &exchange_if<T, false, true> : &exchange_if<T, false, false>;
}
template <class T>
AtomicHandler atomic_named(std::string_view operation) {
  if constexpr (std::is_floating_point_v<T>) {
    return operation == "add" ? &atomic_of<T, AtomAdd> : nullptr;
  } else if constexpr (sizeof(T) == 2) {
    return operation == "cas" ? &exchange_if_of<T> : nullptr;
  } else {
    constexpr Named<AtomicHandler> kOperations[] = {{"add", &atomic_of<T, AtomAdd>},   {"min", &atomic_of<T, AtomMin>},
                                                    {"max", &atomic_of<T, AtomMax>},   {"and", &atomic_of<T, AtomAnd>},
                                                    {"or", &atomic_of<T, AtomOr>},     {"xor", &atomic_of<T, AtomXor>},
                                                    {"inc", &atomic_of<T, AtomInc>},   {"dec", &atomic_of<T, AtomDec>},
                                                    {"exch", &atomic_of<T, AtomExch>}, {"cas", &exchange_if_of<T>}};
    return find(kOperations, operation);
  }
}
AtomicHandler atomic_for(std::string_view operation, Type t) {
  switch (t) {
    case Type::b16:
    case Type::u16: return atomic_named<uint16_t>(operation);
    case Type::b32:
    case Type::u32: return atomic_named<uint32_t>(operation);
    case Type::s32: return atomic_named<int32_t>(operation);
    case Type::b64:
    case Type::u64: return atomic_named<uint64_t>(operation);
    case Type::s64: return atomic_named<int64_t>(operation);
    case Type::f32: return atomic_named<float>(operation);
    case Type::f64: return atomic_named<double>(operation);
    default: return nullptr;
  }
}

}  // namespace

Handler atomic_handler(std::string_view operation, Type t, Space space, bool wide_address) {
  if (space != Space::generic && space != Space::global && space != Space::shared) return nullptr;
  const AtomicHandler make = atomic_for(operation, t);
  return make == nullptr ? nullptr : make(space == Space::shared, wide_address);
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
