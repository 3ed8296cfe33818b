// The interface of a compiled shader, shared by the host, the kernel and the text that is compiled at run time.
#pragma once

#include <cstdint>

namespace brokkr {
struct ProgramInput;
struct ProgramPreset;
struct SampledRecord;
}  // namespace brokkr

namespace brokkr::shader {

struct SamplerSlot;

inline constexpr int kMaxResults = 4, kMaxOperands = 10;  // limits of one instruction
// Limits on the iterations of one loop, and of all loops in a run together. A shader that never ends therefore costs a
// few seconds at most. No game could use a shader that runs longer.
inline constexpr uint32_t kMaxIterations = 65536, kMaxIterationsOfRun = 1u << 20;

// The inputs of vectors whose samples belong to one primitive: a compiled shader interpolates them itself.
struct ShaderInputs {
  static constexpr uint32_t kMaxVectors = 16;

  uint32_t vectors = 0;                      // bit k: those of vector k; registers hold the inputs of the others
  const ProgramInput* inputs;                // by number, in the order of their words; all are smooth varyings
  const uint32_t* varyings[kMaxVectors][3];  // by vector: those of its primitive's corners
  alignas(64) float second[64], third[64];   // by lane: the weights of the second and the third corner
};

struct CompiledCall {
  const uint32_t* registers;  // values before the run: register r of lane i is registers[r * lanes + i]
#if !defined(__CUDACC__)
  // The registers that have the same values in all runs of the draw: constants, uniforms and the results of the head,
  // in the order of Code. CUDA reads them from `registers`.
  const ProgramPreset* presets;
  const ShaderInputs* inputs;  // null: registers hold all inputs
#endif
  const uint64_t* masks;  // bit i of mask m belongs to lane i
  uint32_t* outputs;      // result s of lane i: outputs[s * lanes + i]
  const uint32_t* uniforms;
  const uint32_t* abort;  // a non-zero word ends loops; null: runs cannot be aborted
  // Executes sampler operation `op` with `extra` on one vector. values[0 .. 3] receive the results for operands
  // values[4 .. 13]; bit i of `lanes` is the mask of lane i.
  // On CUDA this is a function of the kernel (shade/linked_call.h), and the pointer is null.
  void (*look_up)(void* host, uint32_t op, uint32_t extra, uint32_t lanes, uint32_t* values);
  void* host;
  // The textures of lookups whose addressing is known in advance (KnownBit).
  const SampledRecord* sampled;
  const SamplerSlot* samplers;
  const uint32_t* texels;
  void* values;      // lookup operands and results; on CUDA, memory of the warp
  uint64_t keep;     // in: lanes that hold samples; out: lanes that are not discarded
  uint32_t lanes;    // lanes per register
  uint32_t vectors;  // bit k: vector k has active lanes
  uint32_t uniform_words;
  uint32_t iterations;  // over all loops of the run
  uint32_t cut;         // out: not 0 if a loop reached one of its limits
};

using CompiledShader = void (*)(CompiledCall* call);

}  // namespace brokkr::shader
