// Machine code of a program: registers replace values, and jump targets replace nesting.
#pragma once

#include <cstdint>
#include <vector>

#include "shader/program.h"

namespace brokkr::shader {

inline constexpr uint16_t kNoRegister = 0xffff;

// A register with a value before a run.
struct Preset {
  uint16_t number = 0;
  uint32_t payload = 0;  // bits of a constant; word number of a uniform
};

struct Code {
  std::vector<CodeInstruction> instructions;
  uint32_t head = 0;  // number of first instructions that depend on uniforms alone, and run once per draw
  uint32_t registers = 0, masks = 0;
  std::vector<Preset> constants, mask_constants, uniforms;
  std::vector<uint16_t> inputs;       // register of each input word, kNoRegister: not read
  std::vector<uint16_t> mask_inputs;  // the same for inputs that are truths
  uint16_t running = 0;               // mask register
  uint32_t outputs = 0;               // words
  uint32_t uniform_words = 0;
  std::vector<TextureKind> samplers;  // by number
};

// The number of an instruction's results and operands, and which of its registers are masks. For element and
// set_element, operand 0 is the array's first register.
struct OperandCounts {
  int results, operands;
};
OperandCounts counts_of(const CodeInstruction& one);
bool gives_mask(Op op);
bool takes_mask(const CodeInstruction& one, int operand);

// Throws std::logic_error with the number of the first instruction that names a register, sampler, output, uniform word
// or jump target that the code does not have, or whose control is not nested. A machine may run verified code: it
// accesses only its own registers, uniforms, outputs and textures. Makes one pass over the code.
void verify(const Code& code);

// Reuses registers as soon as nothing reads them any more, so that few are touched: a vector of the v4 build has 64
// bytes, and a register four vectors. Throws ShaderError if the program needs more registers than there are numbers,
// and for loops nested deeper than kMostLoopDepth. Program and code are verified in every build: all code comes from
// here, so no machine runs a broken program. A violated rule throws ShaderError, which asks for a report.
Code assemble(const Program& program);

}  // namespace brokkr::shader
