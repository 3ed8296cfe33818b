// An evaluation of vertex programs in extended precision, with a bound of the error that single precision may make.
#pragma once

#include <array>
#include <cstdint>
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

// Runs a vertex shader once. `inputs` and `uniforms`: bits by word. `position`: the first of the four output words.
ExactVertex evaluate(const shader::Program& program, std::span<const uint32_t> inputs,
                     std::span<const uint32_t> uniforms, uint32_t position);

}  // namespace brokkr::oracle
