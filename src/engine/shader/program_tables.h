// The fragment programs of a frame's draws in the form that the kernel runs: plain data that the host makes once per
// frame (plan/program_draws.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/table_pointer.h"
#include "shader/call.h"

namespace brokkr {

inline constexpr uint16_t kNoOutput = 0xffff;

// The way that a program's input word is derived from the primitive and the sample.
enum class InputSource : uint8_t {
  smooth,          // varying, perspective-correct
  no_perspective,  // varying, linear in the window
  flat,            // bits of the provoking vertex's varying
  primitive,       // the triangle's number within its instance
  position,        // gl_FragCoord
  facing,          // gl_FrontFacing: a mask
  zero,            // the vertices do not provide it
};
// The place within the pixel at which an input of a draw to pixels of several samples is interpolated. centroid: the
// centre if all samples pass the tests, otherwise the first sample that does.
enum class InputPlace : uint8_t { centre, centroid, sample };
inline constexpr uint32_t kInputPlaces = 3;
inline constexpr uint32_t kSampleComponent = 4;  // a ProgramInput with this component reads SampleWord 0
struct ProgramInput {
  uint16_t number;  // register; for facing, a mask register
  InputSource source;
  InputPlace place;
  // Index into the vertex's varyings, or into the position; kSampleComponent and above: a SampleWord.
  uint32_t component;
  uint32_t back;  // the component on back faces; it differs with two-sided lighting
};

// The content of a register before each run over a draw's samples.
struct ProgramPreset {
  uint32_t number, bits;  // bits of a mask register are 0 or 1
};

enum ProgramBit : uint32_t {
  kProgramDiscards = 1u << 0,        // may discard fragments, also by its alpha test
  kProgramDepth = 1u << 1,           // writes gl_FragDepth
  kProgramQuads = 1u << 2,           // takes derivatives: lanes of a quad must have one primitive
  kProgramAlphaTest = 1u << 3,       // uses DrawRecord::alpha_func and alpha_ref on the first colour
  kProgramProvokingFirst = 1u << 4,  // flat varyings come from the first vertex
  kProgramFront = 1u << 5,           // lines and points always face the viewer
  kProgramRaw = 1u << 6,             // colours are stored unchanged, in sRGB targets too
  kProgramWindow = 1u << 7,          // reads gl_FragCoord, or varyings that are linear in window space
  kProgramTwoSided = 1u << 8,        // back faces read other components of some varyings
  kProgramShort = 1u << 9,  // it takes less time to shade a vector than to regroup lanes and scatter their results
  kProgramFlat = 1u << 10,  // no input varies over the primitive
  // The following bits have an effect only in pixels of several samples.
  kProgramPerSample = 1u << 11,  // runs for each sample
  kProgramPlaced = 1u << 12,     // has inputs of the sample or with other places than the centre
  kProgramCoverage = 1u << 13,   // reads the samples that a primitive covers, or changes them
  kProgramAlphaToCoverage = 1u << 14,
  kProgramMasksSamples = 1u << 15,  // writes gl_SampleMask
  // All inputs are perspective-correct varyings, the same on both sides of a primitive; compiled programs interpolate
  // them.
  kProgramSmooth = 1u << 16,
};
// The bits of programs that may remove samples of a pixel.
inline constexpr uint32_t kRemovesSamples = kProgramDiscards | kProgramAlphaToCoverage | kProgramMasksSamples;

// The destination of a program's colour, and the way it is written.
struct ProgramColor {
  uint16_t first;                          // first output word
  uint16_t second;                         // the same for the second source of blending; kNoOutput: none
  uint8_t words, second_words;             // missing components are 0, missing alpha is 1
  uint8_t plane;                           // plane of the target
  uint8_t mask;                            // bits 0..3: red, green, blue, alpha
  uint8_t blends;                          // 0 or 1
  uint8_t bounded;                         // 1: a format with values in 0..1 that is stored as half floats
  uint8_t blend_color[3], blend_alpha[3];  // those of DrawRecord
};
inline constexpr uint32_t kMaxProgramColors = 9;

// A draw's program. Ranges index the tables of ProgramTables.
struct ProgramRecord {
  uint32_t code;                                   // index into the frame's codes
  uint32_t first_instruction, head, instructions;  // results of the instructions before `head` are presets
  uint32_t first_preset, presets, mask_presets;    // presets of masks follow the others
  uint32_t first_input, varying_inputs, other_inputs;
  uint32_t first_uniform, uniform_words;
  uint32_t first_sampler;
  uint32_t stride;         // words per vertex of the varyings
  uint32_t bits;           // ProgramBit
  uint64_t first_varying;  // index of the varyings of the draw's first vertex
  uint16_t running;        // mask register
  uint16_t outputs;        // words
  uint16_t depth;          // word of gl_FragDepth
  uint16_t alpha;          // output word of the first colour's alpha; kNoOutput: alpha is 1
  uint16_t sample_mask;    // word of gl_SampleMask
  uint32_t color_count;
  ProgramColor colors[kMaxProgramColors];
};

// The maximum over all programs of the frame.
struct ProgramSizes {
  uint32_t registers = 0, masks = 0, outputs = 0;
  bool operator==(const ProgramSizes&) const = default;
};

struct ProgramTables {
  TablePointer<const ProgramRecord> programs;
  TablePointer<const shader::CodeInstruction> code;
  // Functions by code number. If the pointer or an entry is null, the code is interpreted. Only CPU machines have
  // functions.
  TablePointer<const shader::CompiledShader> compiled;
  TablePointer<const ProgramPreset> presets;
  TablePointer<const ProgramInput> inputs;
  TablePointer<const uint32_t> uniforms;
  TablePointer<const shader::SamplerSlot> samplers;
  TablePointer<const uint32_t> varyings;
  TablePointer<const uint32_t> loads;          // texels that initialize planes
  TablePointer<const TextureTexels> textures;  // by number of the captured texture
  ProgramSizes sizes;
  // The ProgramMemory of each warp (raster/program_memory.h); null: draws do not run programs.
  TablePointer<unsigned char> memory;
  TablePointer<const uint32_t> abort;  // a non-zero word ends loops
};

// The way that an input word of a vertex program is derived from the vertex.
enum class VertexWordSource : uint8_t {
  of_vertex,    // attribute with an element per vertex
  of_instance,  // attribute with an element per `divisor` instances
  vertex,       // number of the vertex plus `first`
  instance,     // number of the instance plus `first`
  same,         // `first`
};
struct VertexWordRecord {
  uint16_t number;  // register
  VertexWordSource source;
  uint8_t reserved;
  // Attributes: the word of element 0 in VertexTables::attributes, words per element, the last element, and the
  // divisor.
  uint32_t first, components, last, divisor;
};
// The destination of an output word: a component of the vertex's varyings. Colours are clamped to 0..1.
struct VertexResult {
  uint32_t output, component, is_color;
};

// A draw's vertex program. Ranges index the tables of VertexTables.
struct VertexRecord {
  uint32_t program;  // index into VertexTables::programs.programs
  uint32_t first_input, inputs;
  uint32_t first_result, results;
  uint32_t position;       // first of the four output words of gl_Position
  uint32_t stride;         // words per vertex of the varyings
  uint64_t first_varying;  // index of the varyings of the draw's first vertex
};

// The vertex programs of a launch that runs them in its geometry stage. Positions and varyings belong to the launch. A
// vertex has one place there, whichever batches shade it; all write the same bits.
struct VertexTables {
  ProgramTables programs;  // their records have no inputs and colours
  TablePointer<const VertexRecord> records;
  TablePointer<const VertexWordRecord> inputs;
  TablePointer<const VertexResult> results;
  TablePointer<const uint32_t> attributes;
  TablePointer<uint32_t> positions;  // x, y, z, w; as FrameTables::positions
  TablePointer<uint32_t> varyings;   // as ProgramTables::varyings; null: the launch reads no varyings
};

}  // namespace brokkr
