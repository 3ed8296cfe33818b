// Machine code of a program: registers replace values, and jump targets replace nesting.
#pragma once

#include <cstdint>
#include <vector>

#include "shader/program.h"

namespace brokkr::shader {

inline constexpr uint16_t kNoRegister = 0xffff;

// A register that has a value before a run.
struct Preset {
  uint16_t number = 0;
  uint32_t payload = 0;  // bits of a constant; word number of a uniform
};

struct Code {
  std::vector<CodeInstruction> instructions;
  uint32_t head = 0;  // number of first instructions that depend only on uniforms and run once per draw
  uint32_t registers = 0, masks = 0;
  std::vector<Preset> constants, mask_constants, uniforms;
  std::vector<uint16_t> inputs;       // register of each input word; kNoRegister: not read
  std::vector<uint16_t> mask_inputs;  // the same for inputs of type bool
  uint16_t running = 0;               // mask register
  uint32_t outputs = 0;               // words
  uint32_t uniform_words = 0;
  std::vector<TextureKind> samplers;  // by number

  bool has_loops() const;
};

// The number of an instruction's results and operands, and a mask of the registers among them that hold masks. For
// element and set_element, operand 0 is the array's first register.
struct OperandCounts {
  int results, operands;
};
OperandCounts counts_of(const CodeInstruction& one);
bool gives_mask(Op op);
bool takes_mask(const CodeInstruction& one, int operand);

// Throws std::logic_error if an instruction names a register, sampler, output, uniform word or jump target that the
// code does not have, or if control is not nested. The message has the number of the first such instruction. A machine
// may run verified code: it accesses only its own registers, uniforms, outputs and textures. Makes one pass over the
// code.
void verify(const Code& code);

// Translates a program to machine code. Reuses a register as soon as nothing reads it any more, so that a run touches
// few registers: in the v4 build a vector has 64 bytes, and a register has four vectors. Throws ShaderError if the
// program needs more registers than there are numbers, or nests loops deeper than kMaxLoopDepth. Program and code are
// verified in every build; all code comes from here, so no machine runs a broken program. If a rule is violated, the
// ShaderError asks the user for a report.
Code assemble(const Program& program);

}  // namespace brokkr::shader
