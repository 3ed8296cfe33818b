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
  uint32_t uniform_words = 0;
  std::vector<TextureKind> samplers;  // by number
};

// How many of an instruction's results and operands count, and which of its registers are masks. Of an element and a
// set_element, operand 0 is the array's first register.
struct OperandCounts {
  int results, operands;
};
OperandCounts counts_of(const CodeInstruction& one);
bool gives_mask(Op op);
bool takes_mask(const CodeInstruction& one, int operand);

// Throws std::logic_error with the number of the first instruction that names a register, a sampler, an output, a
// uniform word or a place which the code does not have, or whose control is not nested. A machine may run what passes:
// it reads and writes nothing but its own registers, uniforms, outputs and textures. One pass over the code.
void verify(const Code& code);

// Registers are given anew as soon as nothing reads them any more, so that few are touched: a vector of the v4 build
// has 64 bytes, and a register four of them. Throws ShaderError where more are needed than there are numbers for, and
// for loops that are nested more than kMostLoopDepth deep. The program and the code are verified, in every build: code
// comes from here alone, so that no machine runs a broken program. One that breaks a rule throws ShaderError, which asks
// for a report.
Code assemble(const Program& program);

}  // namespace brokkr::shader
