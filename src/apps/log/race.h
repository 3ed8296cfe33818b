// A/B comparison: frames of two variants drawn in pairs, and conclusions from them. The command line's `bench --ab` and
// the viewer's panel use the same texts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "log/frame_statistics.h"
#include "log/machine_load.h"

namespace brokkr {

// Milliseconds of the frames of A and of B, one per pair. Each variant comes first in half of the pairs, so that other
// activity of the computer affects both alike.
struct Race {
  std::array<std::vector<double>, 2> ms;
  // Processor time of all threads in milliseconds during the same frames; empty if not measured.
  std::array<std::vector<double>, 2> processor_ms;
  // The number of consecutive pairs without a change of anything else, such as the renderers that drew A and B. These
  // pairs resemble each other and are represented by their median. 1: every pair counts separately.
  size_t turn = 1;
};

// paired_ratio of the turns' medians.
RatioEstimate race_ratio(const Race& race);

enum class Verdict : uint8_t { too_few, no_difference, a_faster, b_faster };

// no_difference if the interval contains 1.
Verdict verdict(const RatioEstimate& ratio);
// "not significant", "B is faster".
const char* verdict_text(Verdict verdict);

// "A / B = 1.0020 (0.9911 to 1.0132, 95 % confidence)"; without the parenthesis if there are too few pairs.
std::string ratio_text(const RatioEstimate& ratio);

// The number of times that exceed the upper quartile by more than three times the interquartile range ([Tukey77] calls
// them far out).
size_t outliers(const std::vector<double>& ms);

// The number of frames that took long without more processor work: frames of at least a millisecond whose processor
// time per millisecond is below 0.7 of its 0.9-quantile. Other programs had the processors. 0 if processor times are
// unknown.
size_t interrupted(const std::vector<double>& ms, const std::vector<double>& processor_ms);

// The warnings of load_warnings, and warnings about outliers and interrupted frames if these are more than one frame in
// twenty.
std::vector<std::string> race_warnings(const Race& race, const MachineLoad& load);

}  // namespace brokkr
