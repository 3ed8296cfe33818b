// An evaluation of vertex programs in extended precision, with a bound of the error that single precision may make.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "shader/program.h"

namespace brokkr::oracle {

// A number, and how far the program's own result may lie from it if each of its operations rounds to single precision.
// `value` has 64 bits of mantissa, so its own error is 2^-40 times as large as the bound.
struct ExactNumber {
  long double value = 0, bound = 0;
};

struct ExactVertex {
  std::array<ExactNumber, 4> position;
  std::string problem;  // an operation that this evaluator lacks; empty: the position is known
};

// The bits of a texel: the sampler's number, the bits of its kind (SampleBit), and the texel's place. Empty: unknown.
using Fetch = std::function<std::optional<std::array<uint32_t, 4>>(uint32_t extra, std::array<int32_t, 2> place)>;

// Runs a vertex shader once. `inputs` and `uniforms`: bits by word. `position`: the first of the four output words.
ExactVertex evaluate(const shader::Program& program, std::span<const uint32_t> inputs,
                     std::span<const uint32_t> uniforms, uint32_t position, const Fetch& fetch);

}  // namespace brokkr::oracle
