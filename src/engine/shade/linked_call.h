// What a kernel of CUDA and the shaders that are linked into it (pipeline/cuda/linked_programs.h) have of each other.
#pragma once

#include "machine/machine.h"
#include "shader/compiled_call.h"

BROKKR_MACHINE_BEGIN

// A warp's memory of lookups.
struct alignas(64) LookupMemory {
  static constexpr int kRegisters = shader::kMostResults + shader::kMostOperands;
  uint64_t masks[kWidth / 2];            // kRegisters of them are the lookup's lanes
  uint32_t values[kRegisters * kWidth];  // results, then operands
};
static_assert(LookupMemory::kRegisters <= kWidth / 2);

BROKKR_MACHINE_END

// Of the shaders: runs number `program` of the frame. All lanes of a warp have a call of their own, which say the same.
extern "C" __device__ void brokkr_run_program(uint32_t program, brokkr::shader::CompiledCall* call);
// Of the kernel: carries out `op`, which asks a sampler, with `extra` for the lanes of `lanes`; `host` is the call's.
extern "C" __device__ void brokkr_look_up(void* host, brokkr::LookupMemory* memory, uint32_t op, uint32_t extra,
                                          uint32_t lanes);
