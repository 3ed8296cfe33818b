// Operations and machine code of run-time shaders: what host and machines share.
#pragma once

#include <cstdint>

namespace brokkr::shader {

// The operations of operations.def, and those that are more than a function of their operands:
//
//   reinterpret  x             the bits of a word as another kind
//   change_x, change_y  x m    difference of x to the next sample on the right, above, inside a quad; 0 where m lacks
//                              one of the two lanes
//   set, mask_set  v m         the lanes m of a cell become v
//   element  i                 cell number i, of each lane its own, of an array; i is clamped to the array
//   set_element  i v m         the same cell becomes v in lanes m
//   uniform_at  i              the same of uniform words
//   sample  u v … m            a texture; see Instruction::extra
//   texture_size  l            width and height of a texture's level l
//   discard  m                 lanes m are discarded; they go on as helpers of their quads
//   output  v                  v is the shader's result number `extra`
//   begin_if m … end_if        runs where any lane of m is set
//   begin_loop m … repeat m    runs once where any lane of m is set, and again while any lane of repeat's m is
enum class Op : uint16_t {
#define BROKKR_SHADER_OP1(name, ...) name,
#define BROKKR_SHADER_OP2(name, ...) name,
#define BROKKR_SHADER_OP3(name, ...) name,
#define BROKKR_SHADER_MASK1(name, ...) name,
#define BROKKR_SHADER_MASK2(name, ...) name,
#define BROKKR_SHADER_MASK3(name, ...) name,
#include "shader/operations.def"
  reinterpret,
  change_x,
  change_y,
  set,
  mask_set,
  element,
  set_element,
  uniform_at,
  sample,
  texture_size,
  discard,
  output,
  begin_if,
  end_if,
  begin_loop,
  repeat,
};

// What `extra` of a sample says: the sampler's number, and which operands follow the coordinates u and v.
enum SampleBit : uint32_t {
  kSamplerMask = 0xff,
  kSampleCompare = 1u << 8,  // a reference depth
  kSampleLevel = 1u << 9,    // a level of detail; else four: the changes of u and v to the right, and those upwards
  kSampleFetch = 1u << 10,   // u, v and the level are integers, and count texels and levels
};

inline constexpr int kMostResults = 4, kMostOperands = 8;
inline constexpr uint32_t kMostSamplers = 32;
inline constexpr uint32_t kMostLoopDepth = 32;
// A loop ends after so many iterations, and all loops of a run together after so many: a shader that never ends costs
// some seconds at most. A shader that is meant to run longer is none that a game could use.
inline constexpr uint32_t kMostIterations = 65536, kMostIterationsOfRun = 1u << 20;

// An instruction of machine code: operation, numbers of registers, and `extra`: the place that control jumps to, a
// sampler, the number of an output, or the length of an array. Masks have registers of their own.
struct CodeInstruction {
  Op op;
  uint16_t result[kMostResults];
  uint16_t operand[kMostOperands];
  uint16_t depth;  // of a loop: how many loops are around it
  uint32_t extra;
};
static_assert(sizeof(CodeInstruction) == 32);

}  // namespace brokkr::shader
