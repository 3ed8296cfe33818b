// A/B: frames of two variants that were drawn in pairs, and what can be told of them. The command line's `bench --ab`
// and the viewer's panel say the same in the same words.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "log/frame_statistics.h"
#include "log/machine_load.h"

namespace brokkr {

// Milliseconds of the frames of A and of B, one per pair. Whatever else the computer did, it did to both alike: in a
// pair each comes first as often as the other.
struct Race {
  std::array<std::vector<double>, 2> ms;
  // Processor time in milliseconds of all threads during the same frames; empty where it was not measured.
  std::array<std::vector<double>, 2> processor_ms;
  // Pairs between which nothing else was exchanged, such as the renderers that drew A and B: these pairs resemble each
  // other, and are judged by their median. 1: every pair is judged by itself.
  size_t turn = 1;
};

// paired_ratio of the turns' medians.
RatioEstimate race_ratio(const Race& race);

enum class Verdict : uint8_t { too_few, no_difference, a_faster, b_faster };

// no_difference where the interval holds 1.
Verdict verdict(const RatioEstimate& ratio);
// "no difference can be told", "B is faster".
const char* verdict_text(Verdict verdict);

// "A / B = 1.0020 (0.9911 to 1.0132, 95 % confidence)"; without the parenthesis where there are too few pairs.
std::string ratio_text(const RatioEstimate& ratio);

// Times above the upper quartile by more than three times the distance between the quartiles ([Tukey77] calls them far
// out).
size_t outliers(const std::vector<double>& ms);

// Frames that took long while the processors did no more for them than for others: frames of at least a millisecond
// whose processor time in each millisecond is below 0.7 of its 0.9-quantile. Other programs had the processors. 0 where
// processor times are not known.
size_t interrupted(const std::vector<double>& ms, const std::vector<double>& processor_ms);

// Of load_warnings, and of outliers and interrupted frames where they are more than one frame in twenty.
std::vector<std::string> race_warnings(const Race& race, const MachineLoad& load);

}  // namespace brokkr
