// A shader in the form that machines execute: scalar instructions for a group of samples, with masks instead of
// branches.
//
// A value is a number or a mask, which has one bit per sample. A temporary is the result of exactly one instruction. A
// cell is a variable: `set` changes only the lanes of a mask, so lanes on other paths keep their value. Control is
// structured: begin_if … end_if and begin_loop … repeat enclose code that may be skipped or repeated as a whole; only
// masks decide which lanes take part. A program runs from its first instruction to its last.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shader/operation.h"

namespace brokkr::shader {

enum class Stage : uint8_t { fragment, vertex };

enum class Kind : uint8_t { number, whole, natural, mask };  // float, int32_t, uint32_t, one bit per lane

// The origin of a value, which determines the meaning of `Value::payload`.
enum class Role : uint8_t {
  temporary,
  cell,
  constant,  // its bits; for a mask 0 or 1
  uniform,   // number of the uniform word
  input,     // number of the input word; for a mask, number of the bool input
  running,   // the mask of all active lanes: samples, and helpers that complete their quads
};

using Id = uint32_t;  // index into Program::values
inline constexpr Id kNoValue = ~Id(0);

struct Value {
  Kind kind = Kind::number;
  Role role = Role::temporary;
  uint32_t payload = 0;
};

struct Instruction {
  Op op = Op::move;
  uint8_t results = 0, operands = 0;
  std::array<Id, kMaxResults> result{};
  std::array<Id, kMaxOperands> operand{};
  uint32_t extra = 0;  // as in CodeInstruction, but without jump targets: nesting determines matching instructions
  uint32_t line = 0;   // line in the shader's text; 0: unknown
  uint16_t known = 0;  // sample or detail: KnownBit
};

// Inputs that vary over a primitive or are known per sample. All inputs of a vertex shader, its attributes, are
// varyings. Word numbers count over all inputs.
enum class InputKind : uint8_t { varying, position, front_facing, point, line, primitive, sample };
enum class Interpolation : uint8_t { smooth, no_perspective, flat };
struct Input {
  // position: gl_FragCoord; point: gl_PointCoord; line: shader/simplify.h; primitive: gl_PrimitiveID
  InputKind kind = InputKind::varying;
  Interpolation interpolation = Interpolation::smooth;
  bool centroid = false, sample = false;
  SampleWord sample_word = SampleWord::number;  // InputKind::sample: that of the first word
  // OpenGL's name: "Surface.normal" in a block with an instance name, "normal" in one without. Built-in inputs of a
  // vertex shader have names too: gl_Vertex, gl_VertexID.
  std::string name;
  int location = -1;  // -1: the shader sets none
  uint32_t first = 0, words = 0;
};

// A uniform, an element or a member: `words` scalars in GLSL's order, matrices by column.
struct Uniform {
  // "light[2].position". Arrays of numbers, vectors or matrices have one entry. Block members are named as inputs are.
  std::string name;
  std::string block;  // "Lights", or "Lights[1]" in an array of blocks; empty: the default block
  Kind kind = Kind::number;
  uint32_t first = 0, words = 0;
  std::vector<uint32_t> initial;  // bits of the initial value in the shader's text; empty: 0
  // In a block of an application's module: the 32-bit word of the block for each scalar, by the module's decorations.
  std::vector<uint32_t> places;
};

struct SamplerInput {
  std::string name;
  std::string with;       // the name of a sampler that the code combines with the image `name`; empty: none
  bool compares = false;  // sampler2DShadow
  TextureKind kind = TextureKind::two;
  SampledType type = SampledType::real;
  bool multisampled = false;  // its kind is two_array, with the samples of a pixel as layers
  bool layered = false;       // multisampled, with kSampleLayers layers for each layer (frame/sample_layers.h)
};

// An output of a fragment shader is the components of a colour, or the depth. An output of a vertex shader is a
// variable, an element or a member, named and divided like the inputs of fragment shaders; or gl_Position or
// gl_PointSize.
inline constexpr int kDepthLocation = -1, kSampleMaskLocation = -2;
struct Output {
  std::string name;  // "data[1]" for an element of an array of colours
  int location = 0;  // colour's location, or one of the constants; in a vertex shader -1: the shader sets none
  int index = 0;     // 1: a second source of blending
  uint32_t first = 0, words = 0;
};

// Cells that an index selects from. They are consecutive values from `first` on.
struct ElementRange {
  Id first = 0;
  uint32_t length = 0;
};

inline constexpr uint32_t kNoWord = ~0u;

struct Program {
  Stage stage = Stage::fragment;
  std::vector<Value> values;
  std::vector<Instruction> code;
  std::vector<ElementRange> arrays;
  std::vector<Input> inputs;
  std::vector<Uniform> uniforms;
  std::vector<SamplerInput> samplers;
  std::vector<Output> outputs;
  uint32_t input_words = 0, uniform_words = 0, output_words = 0;
  // A hidden uniform word with the target's height as a float. It is needed if gl_FragCoord counts from the top
  // (origin_upper_left).
  uint32_t height_word = kNoWord;
  Id running = kNoValue;  // the mask of Role::running

  const Value& value(Id id) const { return values[id]; }
};

// Appends values and instructions to a program.
class Builder {
 public:
  explicit Builder(Program& program);

  Id make(Kind kind, Role role, uint32_t payload = 0);
  // Returns the same value for equal bits.
  Id constant(Kind kind, uint32_t bits);
  Id number(float v);
  Id whole(int32_t v) { return constant(Kind::whole, uint32_t(v)); }
  Id truth(bool v) { return constant(Kind::mask, v ? 1 : 0); }

  // Appends an instruction with one new result.
  Id emit(Op op, Kind kind, std::initializer_list<Id> operands, uint32_t extra = 0);
  Instruction& emit_bare(Op op, std::initializer_list<Id> operands, uint32_t extra = 0);
  // Sets the lanes `lanes` of `cell` to `value`.
  void set(Id cell, Id value, Id lanes);

  Program& program;
  uint32_t line = 0;  // line of the instructions that follow

 private:
  std::map<std::pair<Kind, uint32_t>, Id> constants_;
};

// The kinds of operands and results of an operation. `word` is any kind except mask; all words of one instruction have
// the same kind.
enum class Shape : uint8_t { number, whole, natural, mask, word };
struct Signature {
  const char* name;
  bool is_function;  // depends only on its operands: an operation of operations.def, or reinterpret
  uint8_t operands;
  Shape result;
  std::array<Shape, 3> operand;
};
const Signature& signature_of(Op op);

// Prints the program as text, one line per instruction:
//
//   %12 = multiply %3 0.5
//   begin_loop %m4
//     c7 = set %12 %m4
std::string to_text(const Program& program);

// Throws std::logic_error with the number of the first instruction that breaks a rule: operands of the wrong kind, a
// temporary that is not defined by exactly one instruction, a `set` whose target is not a cell, control that is not
// nested. Such an error is a bug of a pass, not of the shader.
void verify(const Program& program);

}  // namespace brokkr::shader
