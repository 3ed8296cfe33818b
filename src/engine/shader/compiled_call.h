// What a compiled shader is given: host, kernel and the text that is compiled while the program runs share it.
#pragma once

#include <cstdint>

namespace brokkr {
struct SampledRecord;
}

namespace brokkr::shader {

struct SamplerSlot;

inline constexpr int kMostResults = 4, kMostOperands = 10;  // of an instruction
// A loop ends after so many iterations, and all loops of a run together after so many: a shader that never ends costs
// some seconds at most. A shader that is meant to run longer is none that a game could use.
inline constexpr uint32_t kMostIterations = 65536, kMostIterationsOfRun = 1u << 20;

struct CompiledCall {
  const uint32_t* registers;  // what was there before the run: register r of lane i is registers[r * lanes + i]
  const uint64_t* masks;      // of mask m bit i is of lane i
  uint32_t* outputs;          // result s of lane i: outputs[s * lanes + i]
  const uint32_t* uniforms;
  const uint32_t* abort;  // a word that is not 0 ends loops; null: nobody asks
  // Executes operation `op`, which asks a sampler, with `extra`, on one vector: values[0 .. 3] become the results of
  // values[4 .. 13]; bit i of `lanes` is the mask of lane i.
  // On CUDA it is a function of the kernel (shade/linked_call.h), and null here.
  void (*look_up)(void* host, uint32_t op, uint32_t extra, uint32_t lanes, uint32_t* values);
  void* host;
  // The textures of lookups whose way is known before.
  const SampledRecord* sampled;
  const SamplerSlot* samplers;
  const uint32_t* texels;
  void* values;      // of lookups: memory of the warp, on CUDA
  uint64_t keep;     // in: lanes of samples; out: those that are not discarded
  uint32_t lanes;    // of a register
  uint32_t vectors;  // bit k: vector k has lanes that run
  uint32_t uniform_words;
  uint32_t iterations;  // of all loops of the run
};

using CompiledShader = void (*)(CompiledCall* call);

}  // namespace brokkr::shader
