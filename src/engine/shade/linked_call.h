// The interface between a CUDA kernel and the shaders linked into it (pipeline/cuda/linked_programs.h).
#pragma once

#include "machine/machine.h"
#include "shader/compiled_call.h"

BROKKR_MACHINE_BEGIN

// A warp's memory for lookups.
struct alignas(64) LookupMemory {
  static constexpr int kRegisters = shader::kMaxResults + shader::kMaxOperands;
  uint64_t masks[kWidth / 2];            // kRegisters of these words are the lookup's lanes
  uint32_t values[kRegisters * kWidth];  // results, then operands
};
static_assert(LookupMemory::kRegisters <= kWidth / 2);

BROKKR_MACHINE_END

// Defined by the shaders: run program number `program` of the frame, a fragment or a vertex program. Each lane of a
// warp passes its own copy of the call.
extern "C" __device__ void brokkr_run_program(uint32_t program, brokkr::shader::CompiledCall* call);
extern "C" __device__ void brokkr_run_vertex_program(uint32_t program, brokkr::shader::CompiledCall* call);
// Defined by the kernel: executes sampler operation `op` with `extra` for the lanes in `lanes`. `host` comes from the
// call.
extern "C" __device__ void brokkr_look_up(void* host, brokkr::LookupMemory* memory, uint32_t op, uint32_t extra,
                                          uint32_t lanes);
