// What the interpreter of run-time shaders is given, and what a build of it is: host and machines share it.
#pragma once

#include <cstdint>

#include "frame/frame_tables.h"
#include "shader/operation.h"

namespace brokkr::shader {

// What a sampler of a shader reads. Without a texture, or with one that does not fit (shader/textures.h), it gives
// black.
struct SamplerSlot {
  int32_t record = -1;  // of FrameTables::sampled
  // The lane of a quad whose level of detail and changes all of it have: 0, or, in windows, 2, the upper left one.
  // OpenGL leaves it open; Mesa's software drivers take the first in memory, where rows of windows run from the top.
  int32_t quad_lane = 0;
};

// One run: the same code for a group of samples, one per lane. Four consecutive lanes are a quad (shaders/shader.h).
// Register r of lane i is registers[r * lanes + i]; mask register r is masks[r], whose bit i is of lane i.
struct ShaderCall {
  const CodeInstruction* code = nullptr;
  uint32_t begin = 0, end = 0;  // instructions
  uint32_t* registers = nullptr;
  uint64_t* masks = nullptr;
  const uint32_t* uniforms = nullptr;
  uint32_t uniform_words = 0;
  const FrameTables* frame = nullptr;  // sampled textures
  const SamplerSlot* samplers = nullptr;
  const uint32_t* abort = nullptr;  // a word that is not 0 ends loops; null: nobody asks
  uint32_t* outputs = nullptr;      // result s of lane i: outputs[s * lanes + i]; not written where all are discarded
  uint64_t keep = 0;                // in: lanes of samples; out: those that are not discarded
};

struct ShaderKernel {
  int width;  // lanes of a vector
  int lanes;  // samples of a run: at most 64
  void (*run)(ShaderCall& call);
  // The same by the compiled shader, which has been made for this width.
  void (*run_compiled)(CompiledShader compiled, ShaderCall& call);
};

}  // namespace brokkr::shader
