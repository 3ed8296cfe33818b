// The fragment programs of a frame's draws as the kernel runs them: plain data that the host makes once for a frame
// (plan/program_draws.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/table_pointer.h"
#include "shader/call.h"

namespace brokkr {

inline constexpr uint16_t kNoOutput = 0xffff;

// How a word of a program's input comes from the primitive and the sample.
enum class InputSource : uint8_t {
  smooth,          // varying, perspective-correct
  no_perspective,  // varying, linear in the window
  flat,            // varying of the provoking vertex, its bits
  primitive,       // the triangle's number in its instance of the draw
  position,        // gl_FragCoord
  facing,          // gl_FrontFacing: a mask
  zero,            // the vertices do not give it
};
struct ProgramInput {
  uint16_t number;  // register; of facing a mask register
  InputSource source;
  uint8_t reserved;
  uint32_t component;  // of the vertex's varyings, or of the position
  uint32_t back;       // the component on back faces: of two-sided lighting another one
};

// What a register holds before each run of a draw's samples.
struct ProgramPreset {
  uint32_t number, bits;  // of a mask register 0 or 1
};

enum ProgramBit : uint32_t {
  kProgramDiscards = 1u << 0,        // may discard fragments, by its alpha test too
  kProgramDepth = 1u << 1,           // writes gl_FragDepth
  kProgramQuads = 1u << 2,           // takes derivatives: lanes of a quad must have one primitive
  kProgramAlphaTest = 1u << 3,       // DrawRecord::alpha_func and alpha_ref, of the first colour
  kProgramProvokingFirst = 1u << 4,  // flat varyings are the first vertex's
  kProgramFront = 1u << 5,           // lines and points always face the viewer
  kProgramRaw = 1u << 6,             // colours are stored as they are, in targets of sRGB too
  kProgramWindow = 1u << 7,          // reads gl_FragCoord, or varyings that are linear in the window
  kProgramTwoSided = 1u << 8,        // back faces have other components of some varyings
  kProgramShort = 1u << 9,           // takes a vector less time than bringing lanes together and their results back
  kProgramFlat = 1u << 10,           // no input depends on where a sample lies in its primitive
};

// Where a colour of a program goes, and how.
struct ProgramColor {
  uint16_t first;                          // word of the outputs
  uint16_t second;                         // the same of the second source of blending; kNoOutput: there is none
  uint8_t words, second_words;             // what is missing is 0, alpha 1
  uint8_t plane;                           // of the target
  uint8_t mask;                            // bits 0..3: red, green, blue, alpha
  uint8_t blends;                          // 0 or 1
  uint8_t bounded;                         // 1: of a format from 0 to 1 that is stored as halves
  uint8_t blend_color[3], blend_alpha[3];  // source factor, destination factor, equation
};
inline constexpr uint32_t kMostProgramColors = 9;

// A draw's program. Ranges are of the tables of ProgramTables.
struct ProgramRecord {
  uint32_t code;                                   // number among those of the frame
  uint32_t first_instruction, head, instructions;  // what comes before `head` is in the presets
  uint32_t first_preset, presets, mask_presets;    // those of masks follow the others
  uint32_t first_input, varying_inputs, other_inputs;
  uint32_t first_uniform, uniform_words;
  uint32_t first_sampler;
  uint32_t stride;         // words of a vertex's varyings
  uint32_t bits;           // ProgramBit
  uint64_t first_varying;  // of the draw's first vertex
  uint16_t running;        // mask register
  uint16_t outputs;        // words
  uint16_t depth;          // word of gl_FragDepth
  uint16_t alpha;          // word of the first colour's alpha, kNoOutput: it is 1
  uint32_t color_count;
  ProgramColor colors[kMostProgramColors];
};

// The most that a program of the frame needs.
struct ProgramSizes {
  uint32_t registers = 0, masks = 0, outputs = 0;
  bool operator==(const ProgramSizes&) const = default;
};

struct ProgramTables {
  TablePointer<const ProgramRecord> programs;
  TablePointer<const shader::CodeInstruction> code;
  // By number of the code; null, or a null among them: it is interpreted. Machines of the CPU alone have any.
  TablePointer<const shader::CompiledShader> compiled;
  TablePointer<const ProgramPreset> presets;
  TablePointer<const ProgramInput> inputs;
  TablePointer<const uint32_t> uniforms;
  TablePointer<const shader::SamplerSlot> samplers;
  TablePointer<const uint32_t> varyings;
  TablePointer<const uint32_t> loads;          // texels that planes begin with
  TablePointer<const TextureTexels> textures;  // by number of the captured texture
  ProgramSizes sizes;
  // ProgramMemory of each warp (raster/program_memory.h); null: draws are not shown by their programs.
  TablePointer<unsigned char> memory;
  TablePointer<const uint32_t> abort;  // a word that is not 0 ends loops
};

}  // namespace brokkr
