// The programs of a captured frame as code that runs: which of a draw's numbers goes where in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "shader/assemble.h"
#include "shader/fixed_function.h"
#include "shader/front_end.h"
#include "shader/program.h"

namespace brokkr {
class Loading;
}

namespace brokkr::shader {

inline constexpr uint32_t kNoPlace = ~0u;

// Where an input word comes from.
struct InputWord {
  InputKind kind = InputKind::varying;
  uint32_t component = kNoPlace;  // of a vertex's varyings, or of gl_FragCoord, gl_PointCoord; kNoPlace: it is 0
  Interpolation interpolation = Interpolation::smooth;
  bool centroid = false;
  bool color = false;        // a built-in colour, which is flat where State::flat_shading says so
  uint32_t back = kNoPlace;  // what takes the place of `component` on back faces; kNoPlace: nothing
};

inline constexpr int32_t kHeightOfTarget = -2;  // in a block's place

// Where a uniform word comes from: a 32-bit word of the default block (`block` -1) or of a block.
struct UniformWord {
  int32_t block = -1;        // kHeightOfTarget: it is that, as a float
  uint32_t word = kNoPlace;  // kNoPlace: it is 0
};

// A colour that the program gives: `words` output words from `first` on, its red, green, … components.
struct ColorOutput {
  uint32_t buffer = 0;       // number of the draw buffer
  bool to_all = false;       // gl_FragColor: to all draw buffers
  uint32_t index = 0;        // 1: the second source of blending
  Kind kind = Kind::number;  // whole, natural: for targets of integers
  uint32_t first = 0, words = 0;
};

struct CapturedProgram {
  uint32_t number = 0;             // of Frame::programs
  std::vector<UnitTexture> units;  // of fixed function: what it is made for
  uint32_t next = kNoPlace;        // the same for other textures, among those of translate_programs
  Texts texts;                     // in GLSL: the frame's, or what fixed function is made of

  Program program;  // with all uniforms open
  Code code;
  std::vector<InputWord> inputs;      // by word of the program
  std::vector<UniformWord> uniforms;  // by word of the program
  std::vector<uint32_t> textures;     // by sampler of the program: index into DrawInputs::textures, or kNoPlace
  std::vector<ColorOutput> colors;
  int32_t depth = -1;   // output word of the depth; -1: the fragment's own
  std::string failure;  // why it cannot run, in one line; empty: it can
};

// One for each of the frame's programs, and behind them those that fixed function needs more because its draws bind
// textures of other kinds: program_number finds a draw's. Texts are compiled by brokkr-glsl, one process for all; what
// this process has compiled before is kept. A frame that is valid (`validate`) gives no error here: what is wrong with
// a program is its `failure`. Throws what `loading` throws, when it is cancelled or its memory does not suffice.
std::vector<CapturedProgram> translate_programs(const Frame& frame, Loading& loading);

// Makes the code of a program that has changed. Where there is none, `failure` says why.
void make_code(CapturedProgram& program);

// One text by itself, by the same compiler and store. Throws std::runtime_error "NAME:12: what is wrong".
Program translate_text(const std::string& text, const std::string& name, Loading& loading);

// The number of a draw's program among those of translate_programs.
uint32_t program_number(const std::vector<CapturedProgram>& programs, const Frame& frame, const DrawInputs& inputs);

}  // namespace brokkr::shader
