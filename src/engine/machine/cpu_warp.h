// The warp of the CPU-side machines: one thread that holds all lanes in vectors. The emulated machine has another
// width, and several warps (threads) per block with a real barrier between them.
#pragma once

#if defined(BROKKR_ISA_EMULATED) || !defined(NDEBUG)
#define BROKKR_CHECK_COLLECTIVES
#include <cstdio>
#include <cstdlib>
#endif

#include "machine/cpu_lane.h"
#include "machine/host_turn.h"
#include "machine/lane_math.h"
#include "machine/near_words.h"

BROKKR_MACHINE_BEGIN

// A collective needs all lanes of a warp. In a function that once, uniform, for_lanes or for_distinct calls, a lane
// acts alone; on CUDA, the other lanes would never arrive. In such a function, a collective aborts with a message on
// the emulated machine, which tests use, and on every machine in a build with assertions. The PTX interpreter reports a
// deadlock (docs/research/ptx.md).
#if defined(BROKKR_CHECK_COLLECTIVES)
inline constinit thread_local bool acts_alone = false;

inline void expect_all_lanes() {
  if (!acts_alone) return;
  std::fputs("a collective is called where one lane acts alone: in once, uniform, for_lanes or for_distinct\n", stderr);
  std::abort();
}
template <class F, class... Arguments>
inline auto act_alone(F&& f, Arguments... arguments) {
  struct Alone {
    Alone() { acts_alone = true; }
    ~Alone() { acts_alone = false; }
  } alone;
  return f(arguments...);
}
#else
BROKKR_FN void expect_all_lanes() {}
template <class F, class... Arguments>
BROKKR_FN auto act_alone(F&& f, Arguments... arguments) {
  return f(arguments...);
}
#endif

// The numbers of the set lanes of each mask of eight lanes, in order.
struct SetLanes {
  alignas(8) uint8_t numbers[256][8];
};
constexpr SetLanes set_lanes() {
  SetLanes lanes{};
  for (uint32_t bits = 0; bits < 256; ++bits) {
    int n = 0;
    for (uint8_t i = 0; i < 8; ++i) {
      if ((bits >> i & 1) != 0) lanes.numbers[bits][n++] = i;
    }
  }
  return lanes;
}
inline constexpr SetLanes kSetLanes = set_lanes();

class Warp : public NearWords<Warp> {
 public:
  static constexpr int width = kWidth;
  static constexpr bool takes_turns = true;  // for_distinct makes its calls one after another
  using Float = brokkr::Float;
  using Int = brokkr::Int;
  using Uint = brokkr::Uint;
  using Mask = brokkr::Mask;

  int index = 0;  // index of this warp in its block
  HostTurn turn;  // if the warp's thread is the one that waits for the launch

  // Lets the thread that waits for the launch look whether the launch must end.
  BROKKR_FN void host_turn() const {
    if (turn.look != nullptr) turn.look(turn.argument);
  }

  BROKKR_FN static Int lane() {
    return Int(Vector<int32_t>([](auto i) { return int32_t(i); }));
  }
  BROKKR_FN static Mask first_lanes(int n) { return lane() < n; }

  // Votes.
  BROKKR_FN static bool any(Mask m) {
    expect_all_lanes();
    return stdx::any_of(m.m);
  }
  BROKKR_FN static bool all(Mask m) {
    expect_all_lanes();
    return stdx::all_of(m.m);
  }
  // Bit i is lane i.
  BROKKR_FN static uint32_t ballot(Mask m) {
    expect_all_lanes();
    return bits_of(m);
  }
  BROKKR_FN static int count(Mask m) { return std::popcount(ballot(m)); }
  // The lanes whose bit is set.
  BROKKR_FN static Mask lanes_of(uint32_t bits) {
#if defined(__AVX512F__)
    if constexpr (kWidth == 16) return Mask(same_bits<VectorMask<float>>(__mmask16(bits)));
#endif
    const Uint own = Uint(1u) << Uint(lane());
    return (Uint(bits) & own) == own;
  }

  // Lane exchange.
  template <class T>
  BROKKR_FN static Lane<T> shuffle(Lane<T> a, Int from) {
    expect_all_lanes();
#if defined(__AVX512F__)
    if constexpr (kWidth == 16 && sizeof(T) == 4) {
      const __m512i v = same_bits<__m512i>(a.v), i = same_bits<__m512i>(from.v);
      return Lane<T>(same_bits<Vector<T>>(_mm512_permutexvar_epi32(i, v)));
    }
#endif
#if defined(__AVX2__)
    if constexpr (kWidth == 8 && sizeof(T) == 4) {
      const __m256i v = same_bits<__m256i>(a.v), i = same_bits<__m256i>(from.v);
      return Lane<T>(same_bits<Vector<T>>(_mm256_permutevar8x32_epi32(v, i)));
    }
#endif
    alignas(64) T values[width];
    alignas(64) int32_t index_of[width];
    a.v.copy_to(values, stdx::element_aligned);
    from.v.copy_to(index_of, stdx::element_aligned);
    return Lane<T>(Vector<T>([&](auto i) { return values[index_of[int(i)] & (width - 1)]; }));
  }
  template <class T>
  BROKKR_FN static T broadcast(Lane<T> a, int from) {
    expect_all_lanes();
    alignas(64) T values[width];
    a.v.copy_to(values, stdx::vector_aligned);
    return values[from];
  }
  template <class T>
  BROKKR_FN static Lane<T> inclusive_sum(Lane<T> a) {
    for (int step = 1; step < width; step *= 2) {
      a = a + select(lane() >= step, shuffle(a, lane() - step), Lane<T>(T(0)));
    }
    return a;
  }
  // The number of set lanes up to and including each lane.
  BROKKR_FN static Uint inclusive_count(Mask m) { return inclusive_sum(select(m, 1u, 0u)); }
  template <class T>
  BROKKR_FN static T reduce_add(Lane<T> a) {
    expect_all_lanes();
    return stdx::reduce(a.v);
  }
  template <class T>
  BROKKR_FN static T reduce_min(Lane<T> a) {
    expect_all_lanes();
    return stdx::hmin(a.v);
  }
  template <class T>
  BROKKR_FN static T reduce_max(Lane<T> a) {
    expect_all_lanes();
    return stdx::hmax(a.v);
  }

  // Memory, lane i at p[i].
  template <class T>
  BROKKR_FN static Lane<T> load(const T* p) {
    return Lane<T>(Vector<T>(p, stdx::element_aligned));
  }
  template <class T>
  BROKKR_FN static Lane<T> load(const T* p, Mask m, std::type_identity_t<T> otherwise = T(0)) {
    Vector<T> v(otherwise);
    stdx::where(m.as<T>(), v).copy_from(p, stdx::element_aligned);
    return Lane<T>(v);
  }
  template <class T>
  BROKKR_FN static void store(T* p, std::type_identity_t<Lane<T>> a) {
    a.v.copy_to(p, stdx::element_aligned);
  }
  template <class T>
  BROKKR_FN static void store(T* p, std::type_identity_t<Lane<T>> a, Mask m) {
    if constexpr (kWidth == 8 || kWidth == 16) {
      stdx::where(m.as<T>(), a.v).copy_to(p, stdx::element_aligned);
    } else {
      // SSE's masked store (maskmovdqu) bypasses the caches, and faults on bytes outside the mask.
      const auto values = spill(a);
      each_lane(m, [&](int i) { p[i] = values[i]; });
    }
  }
  // Does the same if p[0 .. width - 1] belong only to this warp. Vectors may then read and write all of them, which
  // takes AMD's processors a tenth of the time of a masked store.
  template <class T>
  BROKKR_FN static void merge(T* p, std::type_identity_t<Lane<T>> a, Mask m) {
    if constexpr (kWidth == 4 || kWidth == 8 || kWidth == 16) {
      store(p, select(m, a, load(p)));
    } else {
      store(p, a, m);
    }
  }
  // Stores the lanes of m to p[0], p[1], ... in lane order; returns their number.
  template <class T>
  BROKKR_FN static int compress_store(T* p, std::type_identity_t<Lane<T>> a, Mask m) {
    expect_all_lanes();
#if defined(__AVX512F__)
    if constexpr (kWidth == 16 && sizeof(T) == 4) {
      const auto k = same_bits<__mmask16>(m.m);
      const int n = std::popcount(uint32_t(k));
      _mm512_mask_storeu_epi32(p, __mmask16((1u << n) - 1u), _mm512_maskz_compress_epi32(k, same_bits<__m512i>(a.v)));
      return n;
    }
#endif
#if defined(__AVX2__)
    if constexpr (kWidth == 8 && sizeof(T) == 4) {
      const uint32_t bits = bits_of(m);
      const __m128i lanes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kSetLanes.numbers[bits]));
      const __m256i packed = _mm256_permutevar8x32_epi32(same_bits<__m256i>(a.v), _mm256_cvtepu8_epi32(lanes));
      const int n = std::popcount(bits);
      store(p, Lane<T>(same_bits<Vector<T>>(packed)), first_lanes(n));
      return n;
    }
#endif
    alignas(64) T values[width];
    a.v.copy_to(values, stdx::element_aligned);
    int n = 0;
    for (uint32_t bits = bits_of(m); bits != 0; bits &= bits - 1) p[n++] = values[std::countr_zero(bits)];
    return n;
  }
  // Loads lane i from p[at_i]; lanes outside m read nothing and get `otherwise`.
  template <class T>
  BROKKR_FN static Lane<T> gather(const T* p, Int at, Mask m, std::type_identity_t<T> otherwise = T(0)) {
#if defined(__AVX512F__)
    if constexpr (kWidth == 16 && sizeof(T) == 4) {
      const __m512i fill = same_bits<__m512i>(Vector<T>(otherwise));
      return Lane<T>(same_bits<Vector<T>>(
          _mm512_mask_i32gather_epi32(fill, same_bits<__mmask16>(m.m), same_bits<__m512i>(at.v), p, 4)));
    }
#endif
#if defined(__AVX2__)
    if constexpr (kWidth == 8 && sizeof(T) == 4) {
      const __m256i fill = same_bits<__m256i>(Vector<T>(otherwise)), lanes = same_bits<__m256i>(m.m);
      return Lane<T>(same_bits<Vector<T>>(
          _mm256_mask_i32gather_epi32(fill, reinterpret_cast<const int*>(p), same_bits<__m256i>(at.v), lanes, 4)));
    }
#endif
    alignas(64) T values[width];
    alignas(64) int32_t index_of[width];
    Vector<T>(otherwise).copy_to(values, stdx::element_aligned);
    at.v.copy_to(index_of, stdx::element_aligned);
    for (uint32_t bits = bits_of(m); bits != 0; bits &= bits - 1) {
      const int i = std::countr_zero(bits);
      values[i] = p[index_of[i]];
    }
    return Lane<T>(Vector<T>(values, stdx::element_aligned));
  }
  // Loads lane i from p[at_i % 32] of 32 numbers. If such a small table fits in registers, this takes less time than a
  // gather.
#if defined(BROKKR_ISA_V4)
  static constexpr bool has_small_tables = true;
#else
  static constexpr bool has_small_tables = false;
#endif
  BROKKR_FN static Float of_32(const float* p, Int at) {
#if defined(BROKKR_ISA_V4)
    const __m512 low = _mm512_loadu_ps(p), high = _mm512_loadu_ps(p + width);
    return Float(same_bits<Vector<float>>(_mm512_permutex2var_ps(low, same_bits<__m512i>(at.v), high)));
#else
    return gather(p, at & 31, true);
#endif
  }
  // Stores lane i to p[at_i]; if several lanes have the same address, one of them wins.
  template <class T>
  BROKKR_FN static void scatter(T* p, Int at, std::type_identity_t<Lane<T>> a, Mask m) {
    alignas(64) T values[width];
    alignas(64) int32_t index_of[width];
    a.v.copy_to(values, stdx::element_aligned);
    at.v.copy_to(index_of, stdx::element_aligned);
    for (uint32_t bits = bits_of(m); bits != 0; bits &= bits - 1) {
      const int i = std::countr_zero(bits);
      p[index_of[i]] = values[i];
    }
  }
  // Does the same if groups of four lanes, which start at a multiple of four, have adjacent addresses. All four words
  // must belong only to this warp, even in lanes outside m.
  BROKKR_FN static void scatter_quads(uint32_t* p, Int at, Uint a, Mask m) {
    typedef uint32_t Quad __attribute__((vector_size(16), aligned(4), may_alias));
    alignas(64) uint32_t values[width], kept[width];
    alignas(64) int32_t index_of[width];
    a.v.copy_to(values, stdx::vector_aligned);
    select(m, Uint(~0u), Uint(0u)).v.copy_to(kept, stdx::vector_aligned);
    at.v.copy_to(index_of, stdx::vector_aligned);
    for (int i = 0; i < width; i += 4) {
      const auto quad = [](uint32_t* first) -> Quad& { return *reinterpret_cast<Quad*>(first); };
      Quad& to = quad(p + index_of[i]);
      to = (quad(values + i) & quad(kept + i)) | (to & ~quad(kept + i));
    }
  }
  // p[at_i] |= a_i and p[at_i] = min(p[at_i], a_i) in memory that belongs only to this warp. Several lanes may have the
  // same address.
  BROKKR_FN static void scatter_or(uint32_t* p, Int at, Uint a, Mask m) {
    const auto values = spill(a);
    const auto index_of = spill(at);
    each_lane(m, [&](int i) { p[index_of[i]] |= values[i]; });
  }
  BROKKR_FN static void scatter_min(uint32_t* p, Int at, Uint a, Mask m) {
    const auto values = spill(a);
    const auto index_of = spill(at);
    each_lane(m, [&](int i) {
      if (values[i] < p[index_of[i]]) p[index_of[i]] = values[i];
    });
  }
  // p[at_i] |= a_i like scatter_or. Returns the value that p[at_i] had immediately before.
  BROKKR_FN static Uint scatter_fetch_or(uint32_t* p, Int at, Uint a, Mask m) {
    auto values = spill(a);
    const auto index_of = spill(at);
    each_lane(m, [&](int i) {
      const uint32_t old = p[index_of[i]];
      p[index_of[i]] = old | values[i];
      values.set(i, old);
    });
    return values.lanes();
  }
  // Calls f(i) in lane order for every lane of m. On CUDA all lanes run at the same time, so f must not depend on the
  // order.
  template <class F>
  BROKKR_FN static void for_lanes(Mask m, F&& f) {
    expect_all_lanes();
    for (uint32_t bits = bits_of(m); bits != 0; bits &= bits - 1) act_alone(f, std::countr_zero(bits));
  }
  // Calls f(key, lanes) for every distinct key among the lanes of m; `lanes` are those with that key. This is for loads
  // that many lanes share. On CUDA, loads of neighbours coalesce anyway, so there is one call for all lanes, each with
  // its own key. Therefore f must not use collectives.
  template <class F>
  BROKKR_FN static void for_distinct(Uint key, Mask m, F&& f) {
    const auto keys = spill(key);
    for (uint32_t rest = ballot(m); rest != 0;) {
      const uint32_t one = keys[std::countr_zero(rest)];
      const Mask same = m && key == one;
      act_alone(f, one, same);
      rest &= ~ballot(same);
    }
  }
  // A lane value stored as an array, so that code inside for_lanes can access lane i.
  template <class T>
  struct Spilled {
    alignas(64) T values[width];
    BROKKR_FN T operator[](int i) const { return values[i]; }
    BROKKR_FN void set(int i, T v) { values[i] = v; }
    BROKKR_FN Lane<T> lanes() const { return Lane<T>(Vector<T>(values, stdx::element_aligned)); }
  };
  template <class T>
  requires std::is_arithmetic_v<T> BROKKR_FN static Spilled<T> spill(T all) { return spill(Lane<T>(all)); }
  template <class T>
  BROKKR_FN static Spilled<T> spill(Lane<T> a) {
    Spilled<T> s;
    a.v.copy_to(s.values, stdx::element_aligned);
    return s;
  }

  // Runs f once for the whole warp, for a side effect.
  template <class F>
  BROKKR_FN static void once(F&& f) {
    expect_all_lanes();
    act_alone(f);
  }
  // Returns a value that is read or computed once and is the same for all lanes.
  template <class F>
  BROKKR_FN static auto uniform(F&& f) {
    expect_all_lanes();
    return act_alone(f);
  }
  // Makes the lanes' earlier memory accesses visible to each other.
  BROKKR_FN static void sync() { expect_all_lanes(); }

 private:
  friend NearWords<Warp>;
#if defined(BROKKR_ISA_V4)
  static constexpr WordPairs pairs = WordPairs::of_some_lanes;
  // Loads the words p[at_i] and the words after them; 0 in lanes whose bits are not set.
  BROKKR_FN static void gather_pairs(const uint32_t* p, Int words, uint32_t lanes, Uint& first, Uint& second) {
    const __m512i at = same_bits<__m512i>(words.v), none = _mm512_setzero_si512();
    const __m512i even = same_bits<__m512i>((lane() * 2).v), odd = same_bits<__m512i>((lane() * 2 + 1).v);
    const __m512i low = _mm512_mask_i32gather_epi64(none, __mmask8(lanes), _mm512_castsi512_si256(at), p, 4);
    const __m512i high =
        _mm512_mask_i32gather_epi64(none, __mmask8(lanes >> 8), _mm512_extracti64x4_epi64(at, 1), p, 4);
    first = Uint(same_bits<Vector<uint32_t>>(_mm512_permutex2var_epi32(low, even, high)));
    second = Uint(same_bits<Vector<uint32_t>>(_mm512_permutex2var_epi32(low, odd, high)));
  }
#elif defined(BROKKR_ISA_V3)
  static constexpr WordPairs pairs = WordPairs::of_all_lanes;
  // Loads the words p[at_i] and the words after them. It loads four words of each lane, because processors insert those
  // in memory without a permutation; see kTexelWordsBeyond.
  BROKKR_FN static void gather_pairs(const uint32_t* p, Int words, Uint& first, Uint& second) {
    alignas(64) int32_t at[width];
    words.v.copy_to(at, stdx::vector_aligned);
    keep_in_memory(at);
    const auto load = [&](int lane) { return _mm_loadu_ps(reinterpret_cast<const float*>(p + at[lane])); };
    const auto row = [&](int lane) { return _mm256_castps_pd(_mm256_set_m128(load(lane + 4), load(lane))); };
    const __m256 x = _mm256_castpd_ps(_mm256_unpacklo_pd(row(0), row(1))),
                 y = _mm256_castpd_ps(_mm256_unpacklo_pd(row(2), row(3)));
    first = Uint(same_bits<Vector<uint32_t>>(_mm256_castps_si256(_mm256_shuffle_ps(x, y, 0x88))));
    second = Uint(same_bits<Vector<uint32_t>>(_mm256_castps_si256(_mm256_shuffle_ps(x, y, 0xdd))));
  }
  static constexpr bool has_blocks = true;
  BROKKR_FN static bool find_block(Int at, int& first, int& second) {
    const __m256i words = same_bits<__m256i>(at.v);
    const __m256i rows = _mm256_sub_epi32(words, _mm256_setr_epi32(0, 1, 0, 1, 2, 3, 2, 3));
    const __m256i expected = _mm256_shuffle_epi32(_mm256_permute2x128_si256(rows, rows, 0), 0xa0);
    first = _mm_cvtsi128_si32(_mm256_castsi256_si128(words));
    second = _mm_extract_epi32(_mm256_castsi256_si128(words), 2);
    return _mm256_movemask_epi8(_mm256_cmpeq_epi32(rows, expected)) == -1;
  }
  BROKKR_FN static void fetch_beyond(const uint32_t* p, int first, int second) {
    const int64_t rows = 8 * (int64_t(second) - first);
    __builtin_prefetch(p + (first + rows));
    __builtin_prefetch(p + (second + rows));
  }
  BROKKR_FN static Uint load_block(const uint32_t* p, int first, int second) {
    const auto row = [&](int at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + at)); };
    const __m256i rows = _mm256_set_m128i(row(second), row(first));
    return Uint(same_bits<Vector<uint32_t>>(_mm256_permute4x64_epi64(rows, 0xd8)));
  }
#else
  static constexpr WordPairs pairs = WordPairs::none;
#endif
  BROKKR_FN static uint32_t bits_of(Mask m) {
#if defined(__AVX512F__)
    if constexpr (kWidth == 16) return same_bits<__mmask16>(m.m);
#endif
#if defined(__AVX2__)
    if constexpr (kWidth == 8) return uint32_t(_mm256_movemask_ps(same_bits<__m256>(m.m)));
#endif
#if defined(__SSE2__)
    if constexpr (kWidth == 4) return uint32_t(_mm_movemask_ps(same_bits<__m128>(m.m)));
#endif
    if constexpr (kWidth == 32 && sizeof(m.m) == 4) {
      return same_bits<uint32_t>(m.m);
    } else if constexpr (kWidth == 32 && sizeof(m.m) == 8) {
      return uint32_t(same_bits<uint64_t>(m.m));
    } else {
      uint32_t bits = 0;
      for (int i = 0; i < width; ++i) bits |= uint32_t(m.m[size_t(i)]) << i;
      return bits;
    }
  }
  template <class F>
  BROKKR_FN static void each_lane(Mask m, F&& f) {
    for (uint32_t bits = bits_of(m); bits != 0; bits &= bits - 1) f(std::countr_zero(bits));
  }
};

// Returns p, which points into the block's shared storage. CUDA has separate instructions for such memory.
template <class T>
BROKKR_FN T* in_shared_memory(T* p) {
  return p;
}

// A barrier for the threads of an emulated block. It is designed for few threads on few cores, which other programs may
// also use.
struct Barrier {
  static constexpr int kSpins = 64;  // takes about as long as falling asleep
  uint32_t arrived = 0, generation = 0;
  BROKKR_FN void wait(uint32_t count) {
    if (count <= 1) return;
    const uint32_t now = device_atomic<uint32_t>(generation).load(kAcquire);
    if (device_atomic<uint32_t>(arrived).fetch_add(1, kAcqRel) + 1 == count) {
      device_atomic<uint32_t>(arrived).store(0, kRelaxed);
      device_atomic<uint32_t>(generation).store(now + 1, kRelease);
      wake_all(generation);
      return;
    }
    for (int spin = 0; device_atomic<uint32_t>(generation).load(kAcquire) == now; ++spin) {
      if (spin < kSpins) {
        pause(0);
      } else {
        sleep_while(generation, now);
      }
    }
  }
};

// Warps that share storage. A block has one warp on the CPU machine, and several on the emulated machine.
template <class Shared>
struct Block {
  int index = 0;   // index of this block in the launch
  int blocks = 1;  // blocks in the launch
  int warps = 1;   // warps in this block
  Warp warp;       // the caller's warp
  Shared* shared = nullptr;
  Barrier* barrier = nullptr;

  BROKKR_FN void sync() const {
    expect_all_lanes();
    if constexpr (kWidth == 32) barrier->wait(uint32_t(warps));
  }
  BROKKR_FN bool leader() const { return warp.index == 0; }
};

BROKKR_MACHINE_END
