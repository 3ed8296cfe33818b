// Gathers of words that mostly lie side by side, which machines fetch in pairs where they can. Warp, the class W, says
// how (`pairs`) and has gather_pairs: a lane's word p[at] and the one behind it.
#pragma once

#include <cstdint>

#include "machine/lane_math.h"

BROKKR_MACHINE_BEGIN

// of_all_lanes: gather_pairs(p, at, first, second) reads for every lane; of_some_lanes: gather_pairs(p, at, lanes,
// first, second) gives 0 to lanes whose bits are not set.
enum class WordPairs : uint8_t { none, of_all_lanes, of_some_lanes };

template <class W>
struct NearWords {
  // Lane i from p[a_i] and p[b_i], which mostly are side by side. Lanes outside m read nothing and get 0.
  BROKKR_FN static void gather_near(const uint32_t* p, Int a, Int b, Mask m, Uint& first, Uint& second) {
    if constexpr (W::pairs == WordPairs::of_some_lanes) {
      // Both words of a lane at once; lanes whose words are apart, at edges and seams, read each.
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
  // Whether no lane that gather_rows reads is apart; it reads for lanes outside m too where that takes less.
  BROKKR_FN static bool are_squares(Mask apart, Mask m) {
    return !W::any(W::pairs == WordPairs::of_all_lanes ? apart : m && apart);
  }
  // Of lane i p[low_i] and p[high_i], and the words behind both.
  BROKKR_FN static void gather_rows(const uint32_t* p, Int low, Int high, Mask m, Uint (&texel)[4]) {
    if constexpr (W::pairs == WordPairs::of_some_lanes) {
      const uint32_t lanes = W::ballot(m);
      W::gather_pairs(p, low, lanes, texel[0], texel[1]);
      W::gather_pairs(p, high, lanes, texel[2], texel[3]);
    } else if constexpr (W::pairs == WordPairs::of_all_lanes) {
      W::gather_pairs(p, low, texel[0], texel[1]);
      W::gather_pairs(p, high, texel[2], texel[3]);
    } else {
      texel[0] = W::gather(p, low, m);
      texel[1] = W::gather(p, low + 1, m);
      texel[2] = W::gather(p, high, m);
      texel[3] = W::gather(p, high + 1, m);
    }
  }
  // Texels of a filter: of lane i p[low_i], p[low_i + step_i], p[high_i] and p[high_i + step_i], where steps mostly are
  // 1. Lanes outside m may read theirs too, and what they get does not count.
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
};

BROKKR_MACHINE_END
