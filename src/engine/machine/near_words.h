// Gathers of words that are usually adjacent. Some machines can fetch them in pairs. The class W, a Warp, declares how
// (`pairs`) and provides gather_pairs, which loads a lane's word p[at] and the next word.
#pragma once

#include <cstdint>
#include <type_traits>

#include "machine/lane_math.h"

BROKKR_MACHINE_BEGIN

// of_all_lanes: gather_pairs(p, at, first, second) reads for every lane, and may read kTexelWordsBeyond words more.
// of_some_lanes: gather_pairs(p, at, lanes, first, second) returns 0 in lanes whose bits are not set.
//
// A machine of eight lanes, which are the pixels of two quads side by side, may have blocks (has_blocks):
// find_block(at, first, second) returns true if the lanes address four adjacent words in each of two rows, which begin
// at `first` and `second`. load_block(p, first, second) loads the words of such rows; fetch_beyond(p, first, second)
// prefetches those that are eight rows further, which the tile above will read. Hardware sees no line in the reads of
// tiles.
//
// A machine may have rows of halves (has_half_rows): load_half_rows(p, at, column) loads the eight finite halves that
// begin at lane i's word p[at_i]; column k receives half k of each lane.
enum class WordPairs : uint8_t { none, of_all_lanes, of_some_lanes };

template <class W>
struct NearWords {
  static constexpr bool has_blocks = false, has_half_rows = false;

  // Loads lane i from p[a_i] and p[b_i], which are usually adjacent. Lanes outside m read nothing and get 0.
  BROKKR_FN static void gather_near(const uint32_t* p, Int a, Int b, Mask m, Uint& first, Uint& second) {
    if constexpr (W::pairs == WordPairs::of_some_lanes) {
      // Loads both words of a lane at once; lanes whose words are not adjacent, at edges and seams, load them
      // separately.
      const Mask is_apart = m && b != a + 1;
      const uint32_t apart = W::ballot(is_apart);
      W::gather_pairs(p, a, W::ballot(m) & ~apart, first, second);
      if (apart == 0) return;
      first = first | W::gather(p, a, is_apart);
      second = second | W::gather(p, b, is_apart);
      return;
    }
    if constexpr (W::pairs == WordPairs::of_all_lanes) {
      const uint32_t lanes = W::ballot(m);
      if (lanes != 0 && !W::any(m && b != a + 1)) {
        W::gather_pairs(p, select(m, a, W::broadcast(a, lowest_bit(lanes))), first, second);
        first = select(m, first, 0u);
        second = select(m, second, 0u);
        return;
      }
    }
    first = W::gather(p, a, m);
    second = W::gather(p, b, m);
  }
  // Returns true if no lane that gather_rows reads is apart. It also reads lanes outside m if that is cheaper.
  BROKKR_FN static bool are_squares(Mask apart, Mask m) {
    return !W::any(W::pairs == WordPairs::of_all_lanes ? apart : m && apart);
  }
  // Lane i loads p[at_i] if no lane is apart (are_squares). `blocks`: null, or whether the lanes probably address a
  // block; becomes false if they do not.
  BROKKR_FN static Uint gather_word(const uint32_t* p, Int at, Mask m, bool* blocks) {
    if constexpr (W::has_blocks) {
      int first, second;
      if (is_block(at, blocks, first, second)) {
        W::fetch_beyond(p, first, second);
        return W::load_block(p, first, second);
      }
    }
    return W::gather(p, at, m);
  }
  // Lane i loads p[low_i] and p[low_i + stride_i], and the word after each. A stride that all lanes share needs no
  // second address. `blocks` is that of gather_word.
  template <class Stride>
  BROKKR_FN static void gather_rows(const uint32_t* p, Int low, Stride stride, Mask m, Uint (&texel)[4],
                                    bool* blocks = nullptr) {
    if constexpr (W::has_blocks && std::is_same_v<Stride, int>) {
      int first, second;
      if (is_block(low, blocks, first, second)) {
        W::fetch_beyond(p, first, second);
        for (int i = 0; i < 4; ++i) texel[i] = W::load_block(p + (i & 1) + (i < 2 ? 0 : stride), first, second);
        return;
      }
    }
    const uint32_t* upper = p;
    Int high = low;
    if constexpr (std::is_same_v<Stride, int>)
      upper += stride;
    else
      high = high + stride;
    if constexpr (W::pairs == WordPairs::of_some_lanes) {
      const uint32_t lanes = W::ballot(m);
      W::gather_pairs(p, low, lanes, texel[0], texel[1]);
      W::gather_pairs(upper, high, lanes, texel[2], texel[3]);
    } else if constexpr (W::pairs == WordPairs::of_all_lanes) {
      W::gather_pairs(p, low, texel[0], texel[1]);
      W::gather_pairs(upper, high, texel[2], texel[3]);
    } else {
      texel[0] = W::gather(p, low, m);
      texel[1] = W::gather(p, low + 1, m);
      texel[2] = W::gather(upper, high, m);
      texel[3] = W::gather(upper, high + 1, m);
    }
  }
  // Loads a filter's texels. Lane i loads p[low_i], p[low_i + step_i], p[high_i] and p[high_i + step_i], where the step
  // is usually 1. Lanes outside m may load texels too; their results are undefined.
  BROKKR_FN static void gather_square(const uint32_t* p, Int low, Int high, Int step, Mask m, Uint (&texel)[4]) {
    if constexpr (W::pairs == WordPairs::of_some_lanes) {
      const Mask is_apart = m && step != 1;
      const uint32_t apart = W::ballot(is_apart);
      W::gather_pairs(p, low, ~apart, texel[0], texel[1]);
      W::gather_pairs(p, high, ~apart, texel[2], texel[3]);
      if (apart == 0) return;
      const Int steps = select(is_apart, step, 0);
      texel[0] = texel[0] | W::gather(p, low, is_apart);
      texel[1] = texel[1] | W::gather(p, low + steps, is_apart);
      texel[2] = texel[2] | W::gather(p, high, is_apart);
      texel[3] = texel[3] | W::gather(p, high + steps, is_apart);
      return;
    }
    if constexpr (W::pairs == WordPairs::of_all_lanes) {
      if (!W::any(m && step != 1)) {
        W::gather_pairs(p, low, texel[0], texel[1]);
        W::gather_pairs(p, high, texel[2], texel[3]);
        return;
      }
    }
    texel[0] = W::gather(p, low, m);
    texel[1] = W::gather(p, low + step, m);
    texel[2] = W::gather(p, high, m);
    texel[3] = W::gather(p, high + step, m);
  }

 private:
  BROKKR_FN static bool is_block(Int at, bool* blocks, int& first, int& second) {
    if (blocks == nullptr || !*blocks) return false;
    return *blocks = W::find_block(at, first, second);
  }
};

BROKKR_MACHINE_END
