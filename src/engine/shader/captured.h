// The programs of a captured frame as runnable code, and the source of each of its input and uniform words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "shader/assemble.h"
#include "shader/front_end.h"
#include "shader/program.h"

namespace brokkr::shader {

// Generates a GLSL 1.20 fragment shader for fixed function: texture environments, colour sum and fog of OpenGL 1.5
// [OpenGL 2.1, 3.8.13, 3.9, 3.10]. The alpha test is not included; it belongs to the state.

// The properties of a texture that affect its unit's environment. A unit without a texture is disabled.
struct UnitTexture {
  bool is_there = true;
  bool compares = false;  // compares depths with the third coordinate
  TexelBase base = TexelBase::rgba;
  auto operator<=>(const UnitTexture&) const = default;
};

// Returns one entry per unit of the program, which must be fixed function.
std::vector<UnitTexture> unit_textures(const Frame& frame, const DrawInputs& inputs);

// The name of the sampler for unit `number` of FixedFunction::units.
std::string unit_sampler(size_t number);

// `textures`: one per unit. The text contains only names that we or GLSL define.
std::string fixed_function_text(const FragmentProgram& program, const std::vector<UnitTexture>& textures);

}  // namespace brokkr::shader

namespace brokkr {
class Loading;
}

namespace brokkr::shader {

inline constexpr uint32_t kNoPlace = ~0u;

// The source of an input word.
struct InputWord {
  InputKind kind = InputKind::varying;
  // A component of a vertex's varyings, of gl_FragCoord or of gl_PointCoord; kNoPlace: the word is 0.
  uint32_t component = kNoPlace;
  Interpolation interpolation = Interpolation::smooth;
  bool centroid = false, sample = false;
  bool color = false;        // a built-in colour, flat if State::flat_shading is set
  uint32_t back = kNoPlace;  // replaces `component` on back faces; kNoPlace: nothing does
};

inline constexpr int32_t kHeightOfTarget = -2;  // a special value of UniformWord::block

// The source of a uniform word: a 32-bit word of the default block (`block` -1) or of a block.
struct UniformWord {
  int32_t block = -1;        // kHeightOfTarget: the target's height as a float
  uint32_t word = kNoPlace;  // kNoPlace: the word is 0
};

// A colour that the program outputs. Its red, green, … components are `words` output words from `first` on.
struct ColorOutput {
  uint32_t buffer = 0;       // number of the draw buffer
  bool to_all = false;       // gl_FragColor: goes to all draw buffers
  uint32_t index = 0;        // 1: the second source of blending
  Kind kind = Kind::number;  // whole and natural are for integer targets
  uint32_t first = 0, words = 0;
};

struct CapturedProgram {
  uint32_t number = 0;             // index into Frame::programs
  std::vector<UnitTexture> units;  // fixed function: the textures that it is specialized for
  // the same program specialized for other textures, an index into the result of translate_programs
  uint32_t next = kNoPlace;
  Texts texts;  // GLSL texts of the frame, or generated from fixed function

  Program program;  // the program before any uniform is folded in
  Code code;
  std::vector<InputWord> inputs;      // by word of the program
  std::vector<UniformWord> uniforms;  // by word of the program
  std::vector<uint32_t> textures;     // by sampler of the program: index into DrawInputs::textures, or kNoPlace
  std::vector<ColorOutput> colors;
  int32_t depth = -1;        // output word of the depth; -1: the program does not write depth
  int32_t sample_mask = -1;  // the same for gl_SampleMask
  std::string failure;       // one line that says why it cannot run; empty if it can
};

// Returns one program for each of the frame's programs, followed by variants of fixed-function programs whose draws
// bind textures of other kinds. program_number finds a draw's program. One brokkr-glsl process compiles all texts.
// Translations are cached for the life of this process. A valid frame (`validate`) never fails here: if a program has a
// problem, its `failure` says so. Passes on what `loading` throws if it is cancelled or has too little memory.
std::vector<CapturedProgram> translate_programs(const Frame& frame, Loading& loading);

// The source of an input word of a vertex program.
enum class VertexSource : uint8_t { attribute, vertex, instance, base_vertex, base_instance, draw, zero };
struct VertexWord {
  VertexSource source = VertexSource::zero;
  uint32_t attribute = 0, component = 0;  // index into VertexProgram::attributes, and component
  bool with_base = false;                 // vertex and instance: the base is added
};

struct CapturedVertexProgram {
  Program program;
  Code code;
  std::vector<VertexWord> inputs;     // by word of the program
  std::vector<UniformWord> uniforms;  // by word of the program
  std::vector<uint32_t> textures;     // by sampler of the program: index into VertexInputs::textures, or kNoPlace
  uint32_t position = 0;              // first of the four output words
  std::string failure;                // one line that says why it cannot run; empty if it can
};

// Returns one program for each of the frame's vertex programs. Otherwise it works like translate_programs.
std::vector<CapturedVertexProgram> translate_vertex_programs(const Frame& frame, Loading& loading);

// The output word that a varying's word comes from, or kNoWord. `word` counts the components of all elements of the
// varying. `is_color` receives true if the word must be clamped to 0..1.
uint32_t find_output(const Program& vertex, const ProgramVarying& varying, uint32_t word, bool& is_color);

// Regenerates the code after the program has changed. If that fails, `failure` says why.
void make_code(CapturedProgram& program);

// Translates a single text with the same compiler and cache. Throws a ShaderError such as "NAME:12: syntax error".
Program translate_text(const std::string& text, const std::string& name, Loading& loading,
                       Stage stage = Stage::fragment);

// The number of a draw's program in the result of translate_programs.
uint32_t program_number(const std::vector<CapturedProgram>& programs, const Frame& frame, const DrawInputs& inputs);

}  // namespace brokkr::shader
