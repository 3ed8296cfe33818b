// A shader as it is executed: scalar instructions for a group of samples, in which masks take the place of branches.
//
// A value is a number or a mask (one truth value per sample). Temporaries have one instruction that makes them. Cells
// are variables: `set` changes the lanes of a mask, so that a cell keeps what the lanes of other paths have in it.
// Control is structured: begin_if … end_if and begin_loop … repeat enclose what may be left out, or repeated, as one;
// which lanes take part is always a mask's matter. A program runs from its first instruction to its last.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shader/operation.h"

namespace brokkr::shader {

enum class Kind : uint8_t { number, whole, natural, mask };  // float, int32_t, uint32_t, one truth value per lane

// Where a value comes from, and what `Value::payload` is.
enum class Role : uint8_t {
  temporary,
  cell,
  constant,  // its bits; of a mask 0 or 1
  uniform,   // number of the uniform word
  input,     // number of the input word; of a mask that of the truth
  running,   // the mask of all lanes that run: those of samples, and those that complete their quads
};

using Id = uint32_t;  // number of a value in Program::values
inline constexpr Id kNoValue = ~Id(0);

struct Value {
  Kind kind = Kind::number;
  Role role = Role::temporary;
  uint32_t payload = 0;
};

struct Instruction {
  Op op = Op::move;
  uint8_t results = 0, operands = 0;
  std::array<Id, kMostResults> result{};
  std::array<Id, kMostOperands> operand{};
  uint32_t extra = 0;  // as of CodeInstruction, but places: what belongs together is found by its nesting
  uint32_t line = 0;   // of the shader's text; 0: unknown
  uint16_t known = 0;  // of a sample or a detail: KnownBit
};

// What varies over a primitive, or is known of each sample. Numbers of words count all inputs.
enum class InputKind : uint8_t { varying, position, front_facing, point, line, primitive };
enum class Interpolation : uint8_t { smooth, no_perspective, flat };
struct Input {
  // position: gl_FragCoord; point: gl_PointCoord; line: shader/smooth_lines.h; primitive: gl_PrimitiveID
  InputKind kind = InputKind::varying;
  Interpolation interpolation = Interpolation::smooth;
  bool centroid = false;
  std::string name;   // as OpenGL has it: "Surface.normal" of a block with a name for it, "normal" of one without
  int location = -1;  // -1: none was written
  uint32_t first = 0, words = 0;
};

// A uniform, element or member: `words` scalars in the order of GLSL, matrices by column.
struct Uniform {
  std::string name;  // "light[2].position"; of an array of numbers, vectors or matrices the array's; of blocks as above
  std::string block;  // "Lights", or "Lights[1]" of an array of blocks; empty: none
  Kind kind = Kind::number;
  uint32_t first = 0, words = 0;
  std::vector<uint32_t> initial;  // the bits that the shader gives it where nobody else does; empty: 0
};

struct SamplerInput {
  std::string name;
  bool compares = false;  // sampler2DShadow
  TextureKind kind = TextureKind::two;
  SampledType type = SampledType::real;
};

// A colour's components, or the depth.
struct Output {
  std::string name;  // "data[1]" of arrays
  int location = 0;  // of the colour; -1: depth
  int index = 0;     // 1: a second source of blending
  uint32_t first = 0, words = 0;
};

// Cells that an index chooses from: consecutive values from `first` on.
struct ElementRange {
  Id first = 0;
  uint32_t length = 0;
};

inline constexpr uint32_t kNoWord = ~0u;

struct Program {
  std::vector<Value> values;
  std::vector<Instruction> code;
  std::vector<ElementRange> arrays;
  std::vector<Input> inputs;
  std::vector<Uniform> uniforms;
  std::vector<SamplerInput> samplers;
  std::vector<Output> outputs;
  uint32_t input_words = 0, uniform_words = 0, output_words = 0;
  // The uniform word that is the height of the target as a float, which no shader names: where gl_FragCoord counts from
  // above (origin_upper_left).
  uint32_t height_word = kNoWord;
  Id running = kNoValue;  // the mask of Role::running

  const Value& value(Id id) const { return values[id]; }
};

// Adds values and instructions at the end of a program.
class Builder {
 public:
  explicit Builder(Program& program);

  Id make(Kind kind, Role role, uint32_t payload = 0);
  // The same value for the same bits.
  Id constant(Kind kind, uint32_t bits);
  Id number(float v);
  Id whole(int32_t v) { return constant(Kind::whole, uint32_t(v)); }
  Id truth(bool v) { return constant(Kind::mask, v ? 1 : 0); }

  // An instruction with one new result.
  Id emit(Op op, Kind kind, std::initializer_list<Id> operands, uint32_t extra = 0);
  Instruction& emit_bare(Op op, std::initializer_list<Id> operands, uint32_t extra = 0);
  // The lanes `lanes` of `cell` become `value`.
  void set(Id cell, Id value, Id lanes);

  Program& program;
  uint32_t line = 0;  // of what follows

 private:
  std::map<std::pair<Kind, uint32_t>, Id> constants_;
};

// What an operation takes and makes, by kind; `word` is any kind but mask, the same for all of an instruction.
enum class Shape : uint8_t { number, whole, natural, mask, word };
struct Signature {
  const char* name;
  bool is_function;  // of its operands alone: an operation of operations.def, or reinterpret
  uint8_t operands;
  Shape result;
  std::array<Shape, 3> operand;
};
const Signature& signature_of(Op op);

// The program as text, a line for each instruction:
//
//   %12 = multiply %3 0.5
//   begin_loop %m4
//     c7 = set %12 %m4
std::string to_text(const Program& program);

// Throws std::logic_error with the number of the first instruction that breaks a rule: operands of the wrong kind, a
// temporary before its instruction or with two, a set of what is no cell, control that is not nested. What translates,
// folds or sweeps is wrong then, not the shader.
void verify(const Program& program);

}  // namespace brokkr::shader
