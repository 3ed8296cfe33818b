// The interface of the interpreter of run-time shaders, shared by host and machines.
#pragma once

#include <cstdint>

#include "frame/frame_tables.h"
#include "shader/operation.h"

namespace brokkr::shader {

// The texture that a sampler of a shader reads. If there is none, or it does not fit (shader/textures.h), lookups
// return black.
struct SamplerSlot {
  int32_t record = -1;  // index into FrameTables::sampled
  // The lane of a quad whose level of detail and derivatives the whole quad uses. It is 0; in windows it is 2, the
  // upper left one. OpenGL does not define the lane. Mesa's software drivers use the first lane in memory, and a
  // window's rows run from the top.
  int32_t quad_lane = 0;
};

// One run executes the same code for a group of samples, one per lane. Four consecutive lanes are a quad
// (shaders/shader.h). Register r of lane i is registers[r * lanes + i]. Mask register r is masks[r]; its bit i belongs
// to lane i.
struct ShaderCall {
  const CodeInstruction* code = nullptr;
  uint32_t begin = 0, end = 0;  // range of instructions
  uint32_t* registers = nullptr;
  uint64_t* masks = nullptr;
  const uint32_t* uniforms = nullptr;
  uint32_t uniform_words = 0;
  const FrameTables* frame = nullptr;  // sampled textures
  const SamplerSlot* samplers = nullptr;
  const uint32_t* abort = nullptr;  // a non-zero word ends loops; null: runs cannot be aborted
  uint32_t* outputs = nullptr;  // result s of lane i: outputs[s * lanes + i]; not written if all lanes are discarded
  uint64_t keep = 0;            // in: lanes that hold samples; out: lanes that are not discarded
  uint32_t cut = 0;             // set if a loop reached its iteration limit (compiled_call.h)
  uint32_t vectors = 0;         // the interpreter computes this many vectors, from the first lane on; 0: all
};

struct ShaderKernel {
  int width;  // lanes of a vector
  int lanes;  // samples of a run, at most 64
  void (*run)(ShaderCall& call);
  // Runs a compiled shader. It must have been compiled for this width. `presets`: those of CompiledCall.
  void (*run_compiled)(CompiledShader compiled, ShaderCall& call, const ProgramPreset* presets);
};

}  // namespace brokkr::shader
