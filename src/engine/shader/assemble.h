// Machine code of a program: registers in the place of values, places to jump to in the place of nesting.
#pragma once

#include <cstdint>
#include <vector>

#include "shader/program.h"

namespace brokkr::shader {

inline constexpr uint16_t kNoRegister = 0xffff;

// A register that holds something before a run.
struct Preset {
  uint16_t number = 0;
  uint32_t payload = 0;  // bits of a constant; a word's number of a uniform
};

struct Code {
  std::vector<CodeInstruction> instructions;
  uint32_t head = 0;  // so many depend on uniforms alone, and run once for a draw
  uint32_t registers = 0, masks = 0;
  std::vector<Preset> constants, mask_constants, uniforms;
  std::vector<uint16_t> inputs;       // register of each input word, kNoRegister: not read
  std::vector<uint16_t> mask_inputs;  // the same of those that are truths
  uint16_t running = 0;               // mask register
  uint32_t outputs = 0;               // words
};

// Registers are given anew as soon as nothing reads them any more, so that few are touched: a vector of the v4 build
// has 64 bytes, and a register four of them. Throws ShaderError where more are needed than there are numbers for, and
// for loops that are nested more than kMostLoopDepth deep.
Code assemble(const Program& program);

}  // namespace brokkr::shader
