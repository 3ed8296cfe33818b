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
// [OpenGL 2.1, 3.8.13, 3.9, 3.10]. The alpha test belongs to the state.

// The properties of a texture that its unit's environment depends on. A unit without a texture is disabled.
struct UnitTexture {
  bool is_there = true;
  bool compares = false;  // compares depths with the third coordinate
  TexelBase base = TexelBase::rgba;
  auto operator<=>(const UnitTexture&) const = default;
};

// One entry per unit of the program, which must be fixed function.
std::vector<UnitTexture> unit_textures(const Frame& frame, const DrawInputs& inputs);

// The sampler's name for unit `number` of FixedFunction::units.
std::string unit_sampler(size_t number);

// `textures`: one per unit. All names in the text are ours or GLSL's.
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
  // of a vertex's varyings, of gl_FragCoord or of gl_PointCoord; kNoPlace: the word is 0
  uint32_t component = kNoPlace;
  Interpolation interpolation = Interpolation::smooth;
  bool centroid = false;
  bool color = false;        // a built-in colour, flat if State::flat_shading is set
  uint32_t back = kNoPlace;  // replaces `component` on back faces; kNoPlace: nothing does
};

inline constexpr int32_t kHeightOfTarget = -2;  // takes the place of a block number

// The source of a uniform word: a 32-bit word of the default block (`block` -1) or of a block.
struct UniformWord {
  int32_t block = -1;        // kHeightOfTarget: the target's height as a float
  uint32_t word = kNoPlace;  // kNoPlace: the word is 0
};

// A colour that the program outputs: `words` output words from `first` on, its red, green, … components.
struct ColorOutput {
  uint32_t buffer = 0;       // number of the draw buffer
  bool to_all = false;       // gl_FragColor: to all draw buffers
  uint32_t index = 0;        // 1: the second source of blending
  Kind kind = Kind::number;  // whole, natural: for integer targets
  uint32_t first = 0, words = 0;
};

struct CapturedProgram {
  uint32_t number = 0;             // index into Frame::programs
  std::vector<UnitTexture> units;  // fixed function: the textures that it is specialized for
  uint32_t next = kNoPlace;        // the same program specialized for other textures, among those of translate_programs
  Texts texts;                     // in GLSL: the frame's, or generated from fixed function

  Program program;  // before any uniform is folded in
  Code code;
  std::vector<InputWord> inputs;      // by word of the program
  std::vector<UniformWord> uniforms;  // by word of the program
  std::vector<uint32_t> textures;     // by sampler of the program: index into DrawInputs::textures, or kNoPlace
  std::vector<ColorOutput> colors;
  int32_t depth = -1;   // output word of the depth; -1: the program does not write depth
  std::string failure;  // why it cannot run, in one line; empty if it can
};

// Returns one program for each of the frame's, followed by the variants of fixed-function programs whose draws bind
// textures of other kinds; program_number finds a draw's program. One brokkr-glsl process compiles all texts;
// translations are cached for the life of this process. A valid frame (`validate`) never fails here: each program's
// problem is its `failure`. Throws what `loading` throws if it is cancelled or its memory does not suffice.
std::vector<CapturedProgram> translate_programs(const Frame& frame, Loading& loading);

// Where an input word of a vertex program comes from.
enum class VertexSource : uint8_t { attribute, vertex, instance, base_vertex, base_instance, draw, zero };
struct VertexWord {
  VertexSource source = VertexSource::zero;
  uint32_t attribute = 0, component = 0;  // of VertexProgram::attributes
  bool with_base = false;                 // of vertex and instance: the base is added
};

struct CapturedVertexProgram {
  Program program;
  Code code;
  std::vector<VertexWord> inputs;     // by word of the program
  std::vector<UniformWord> uniforms;  // by word of the program
  std::vector<uint32_t> textures;     // by sampler of the program: index into VertexInputs::textures, or kNoPlace
  uint32_t position = 0;              // first of the four output words
  std::string failure;                // why it cannot run, in one line; empty if it can
};

// One for each of the frame's vertex programs; otherwise as translate_programs.
std::vector<CapturedVertexProgram> translate_vertex_programs(const Frame& frame, Loading& loading);

// The output word that a varying's word comes from, or kNoWord: `word` counts the components of all elements of the
// varying. `is_color`: it is to be clamped to 0..1.
uint32_t find_output(const Program& vertex, const ProgramVarying& varying, uint32_t word, bool& is_color);

// Regenerates the code after the program changed. If that fails, `failure` says why.
void make_code(CapturedProgram& program);

// Translates a single text with the same compiler and cache. Throws ShaderError "NAME:12: what is wrong".
Program translate_text(const std::string& text, const std::string& name, Loading& loading,
                       Stage stage = Stage::fragment);

// The number of a draw's program among those of translate_programs.
uint32_t program_number(const std::vector<CapturedProgram>& programs, const Frame& frame, const DrawInputs& inputs);

}  // namespace brokkr::shader
