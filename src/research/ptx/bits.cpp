// Bits and bytes: moves, packing, permutation, shifts, insertion; the clock.
#include <algorithm>
#include <cstring>
#include <string>

#include "ptx/lanes.h"
#include "ptx/program.h"

namespace brokkr::ptx {
namespace {

template <class W>
void move(Warp& w, const Instruction& in, uint32_t lanes) {
  W results[kLanes];
  std::memcpy(results, row<W>(w, in.a), sizeof results);
  keep(row<W>(w, in.d), results, lanes);
}

// mov between a vector of registers and one register. Parts are in d/e/b/c or a/b/c/m.
template <class P, class W, int kParts>
void pack(Warp& w, const Instruction& in, uint32_t lanes) {
  const Place parts[4] = {in.a, in.b, in.c, in.m};
  constexpr int kPart = int(sizeof(W)) * 8 / kParts;
  W results[kLanes] = {};
  for (int i = 0; i < kParts; ++i) {
    const P* const a = row<P>(w, parts[i]);
    for (uint32_t l = 0; l < kLanes; ++l) results[l] |= (W(a[l]) & W((W(1) << kPart) - 1)) << (i * kPart);
  }
  keep(row<W>(w, in.d), results, lanes);
}
template <class P, class W, int kParts>
void unpack(Warp& w, const Instruction& in, uint32_t lanes) {
  const Place parts[4] = {in.d, in.e, in.b, in.c};
  constexpr int kPart = int(sizeof(W)) * 8 / kParts;
  W a[kLanes];
  std::memcpy(a, row<W>(w, in.a), sizeof a);
  for (int i = 0; i < kParts; ++i) {
    if (parts[i] == kNowhere) continue;
    P results[kLanes];
    for (uint32_t l = 0; l < kLanes; ++l) results[l] = P(a[l] >> (i * kPart) & W((W(1) << kPart) - 1));
    keep(row<P>(w, parts[i]), results, lanes);
  }
}

struct Prmt {
  static uint32_t selected(uint32_t a, uint32_t b, uint32_t selector) {
    const uint64_t all = uint64_t(b) << 32 | a;
    uint32_t r = 0;
    for (int i = 0; i < 4; ++i) {
      const uint32_t s = selector >> (4 * i) & 15;
      uint32_t byte = uint32_t(all >> (8 * (s & 7))) & 255;
      if ((s & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
      r |= byte << (8 * i);
    }
    return r;
  }
  template <class T>
  static uint32_t run(T a, T b, T c) {
    return selected(a, b, c);
  }
};
template <int kMode>  // f4e, b4e, rc8, ecl, ecr, rc16
struct PrmtMode {
  template <class T>
  static uint32_t run(T a, T b, T c) {
    constexpr uint16_t kTable[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
                                       {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
                                       {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
    return Prmt::selected(a, b, kTable[kMode][c & 3]);
  }
};
template <bool kLeft, bool kClamp>
struct Funnel {
  template <class T>
  static uint32_t run(T a, T b, T c) {
    const uint32_t n = kClamp ? std::min<uint32_t>(c, 32) : c & 31;
    const uint64_t both = uint64_t(b) << 32 | a;
    return kLeft ? uint32_t(both << n >> 32) : uint32_t(n == 32 ? b : uint32_t(both >> n));
  }
};
struct Bfe {
  template <class T>
  static T run(T a, uint32_t position, uint32_t length) {
    const uint32_t at = position & 255, n = length & 255, most = uint32_t(kBits<T>);
    if (n == 0) return 0;
    const uint32_t top = std::min(at + n - 1, most - 1);
    const bool negative = std::is_signed_v<T> && (Unsigned<T>(a) >> top & 1) != 0;
    Unsigned<T> field = 0;
    if (at < most) field = Unsigned<T>(Unsigned<T>(a) >> at);
    if (n < most) field &= Unsigned<T>((Unsigned<T>(1) << n) - 1);
    const uint32_t have = at > top ? 0 : top - at + 1;
    if (negative && have < most) field |= Unsigned<T>(~Unsigned<T>(0) << have);
    return T(field);
  }
};
void lop3(Warp& w, const Instruction& in, uint32_t lanes) {
  const uint32_t *a = w.words(in.a), *b = w.words(in.b), *c = w.words(in.c);
  uint32_t results[kLanes] = {};
  for (uint32_t i = 0; i < 8; ++i) {
    if ((in.offset >> i & 1) == 0) continue;
    const uint32_t x = (i & 4) != 0 ? 0 : ~0u, y = (i & 2) != 0 ? 0 : ~0u, z = (i & 1) != 0 ? 0 : ~0u;
    for (uint32_t l = 0; l < kLanes; ++l) results[l] |= (a[l] ^ x) & (b[l] ^ y) & (c[l] ^ z);
  }
  keep(w.words(in.d), results, lanes);
}
template <class T>
void bfi(Warp& w, const Instruction& in, uint32_t lanes) {
  const T *a = row<T>(w, in.a), *b = row<T>(w, in.b);
  const uint32_t *c = w.words(in.c), *n = w.words(in.m);
  T results[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint32_t at = c[l] & 255, length = n[l] & 255;
    T mask = length >= uint32_t(kBits<T>) ? T(~T(0)) : T((T(1) << length) - 1);
    mask = at >= uint32_t(kBits<T>) ? T(0) : T(mask << at);
    results[l] = T((b[l] & ~mask) | ((at >= uint32_t(kBits<T>) ? T(0) : T(a[l] << at)) & mask));
  }
  keep(row<T>(w, in.d), results, lanes);
}
template <bool kSignedA, bool kSignedB>
struct Dot4 {
  template <class T>
  static uint32_t run(T a, T b, T c) {
    uint32_t sum = c;
    for (int i = 0; i < 4; ++i) {
      const int32_t x = kSignedA ? int8_t(a >> (8 * i)) : uint8_t(a >> (8 * i));
      const int32_t y = kSignedB ? int8_t(b >> (8 * i)) : uint8_t(b >> (8 * i));
      sum += uint32_t(x * y);
    }
    return sum;
  }
};

template <bool kWide, bool kHigh>
void time(Warp& w, const Instruction& in, uint32_t lanes) {
  const uint64_t t = w.clock() >> (kHigh ? 32 : 0);
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    if constexpr (kWide)
      w.longs(in.d)[l] = t;
    else
      w.words(in.d)[l] = uint32_t(t);
  }
}
void active_mask(Warp& w, const Instruction& in, uint32_t lanes) {
  uint32_t* const d = w.words(in.d);
  for (uint32_t m = lanes; m != 0; m &= m - 1) d[__builtin_ctz(m)] = lanes;
}

}  // namespace

Handler special_handler(std::string_view operation, std::string_view mode, Type t) {
  using U = uint32_t;
  constexpr Named<Handler> kOperations[] = {
      {"lop3", &lop3},
      {"prmt", &ternary<Prmt, U, U, U, U>},
      {"prmt.f4e", &ternary<PrmtMode<0>, U, U, U, U>},
      {"prmt.b4e", &ternary<PrmtMode<1>, U, U, U, U>},
      {"prmt.rc8", &ternary<PrmtMode<2>, U, U, U, U>},
      {"prmt.ecl", &ternary<PrmtMode<3>, U, U, U, U>},
      {"prmt.ecr", &ternary<PrmtMode<4>, U, U, U, U>},
      {"prmt.rc16", &ternary<PrmtMode<5>, U, U, U, U>},
      {"shf.l.wrap", &ternary<Funnel<true, false>, U, U, U, U>},
      {"shf.l.clamp", &ternary<Funnel<true, true>, U, U, U, U>},
      {"shf.r.wrap", &ternary<Funnel<false, false>, U, U, U, U>},
      {"shf.r.clamp", &ternary<Funnel<false, true>, U, U, U, U>},
      {"dp4a.u32.u32", &ternary<Dot4<false, false>, U, U, U, U>},
      {"dp4a.s32.s32", &ternary<Dot4<true, true>, U, U, U, U>},
      {"dp4a.u32.s32", &ternary<Dot4<false, true>, U, U, U, U>},
      {"dp4a.s32.u32", &ternary<Dot4<true, false>, U, U, U, U>},
  };
  if (operation == "bfi") return is_wide(t) ? &bfi<uint64_t> : &bfi<uint32_t>;
  if (operation == "bfe") {
    return for_integer(t, [](auto tag) -> Handler {
      using T = decltype(tag);
      return &ternary<Bfe, T, T, U, U>;
    });
  }
  return find(kOperations, mode.empty() ? std::string(operation) : std::string(operation) + "." + std::string(mode));
}

Handler move_handler(bool wide) { return wide ? &move<uint64_t> : &move<uint32_t>; }

Handler pack_handler(size_t parts, bool wide_parts, bool wide, bool is_unpack) {
  using U = uint32_t;
  using L = uint64_t;
  if (wide_parts) return nullptr;
  if (parts == 2 && wide) return is_unpack ? &unpack<U, L, 2> : &pack<U, L, 2>;
  if (parts == 4 && wide) return is_unpack ? &unpack<U, L, 4> : &pack<U, L, 4>;
  if (parts == 2) return is_unpack ? &unpack<U, U, 2> : &pack<U, U, 2>;
  if (parts == 4) return is_unpack ? &unpack<U, U, 4> : &pack<U, U, 4>;
  return nullptr;
}

Handler time_handler(bool wide, bool high) {
  return wide ? &time<true, false> : high ? &time<false, true> : &time<false, false>;
}
Handler active_mask_handler() { return &active_mask; }

}  // namespace brokkr::ptx
