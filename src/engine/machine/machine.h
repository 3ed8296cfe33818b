// The machine model: types and functions that a stage may use, on any machine.
//
// A stage's text is compiled once per machine. `BROKKR_MACHINE` names the namespace of that build: v2, v3, v4 and neon
// for the instruction sets of the CPU machine, emulated for the 32-lane warp with several warps per block, gpu for
// CUDA. Everything that a stage defines is between BROKKR_MACHINE_BEGIN and BROKKR_MACHINE_END, so that no inline
// function of one build replaces another build's (one-definition rule).
//
// Lane types          Float Int Uint Double Ulong Mask: one value per lane of a warp
// Free functions      select min max abs floor sqrt as_uint as_int as_float to_int to_float round_to_int ...
// Warp                lane, any all ballot, shuffle broadcast, inclusive_sum, inclusive_count, reduce_*, load store
//                     gather scatter compress_store, lane atomics, uniform once sync
// Block<Shared>       index, warps, shared storage, sync; in_shared_memory(p): p points there
// atomics             device_atomic<T>, block_atomic<T>: atomic_ref with explicit order (atomic.h)
//
// Rules: Control flow is uniform over a warp; conditions that vary are masks. Uniform side effects use `w.once`.
// Uniform reads of memory that others may change use `w.uniform`. Functions that `once`, `uniform`, `for_lanes` and
// `for_distinct` call act for one lane and must not use collectives. If they do, the emulated machine aborts, and so
// does every machine in a build with assertions.
//
// Each letter has one meaning in every stage:
//   w Warp, b Block, m Mask, f a function      (this header)
//   v Visit, t RasterTables                    (raster)
//   r number of a rasterizer, p ticket of a queue's operation, q number of a queue
//   g first of a group of things, one per lane; s first sample of a group; c component, child or corner;
//   i, j, k number of a lane or of one thing
// In formulas, letters are those of the source: x y z, edge functions e = a x + b y, source s and destination d of
// blending.
#pragma once

#if defined(__CUDACC__)
#define BROKKR_MACHINE gpu
#define BROKKR_FN __device__ __forceinline__
#define BROKKR_FN_INLINE BROKKR_FN
#define BROKKR_FN_NOINLINE inline __device__ __noinline__  // the header is part of several programs
#define BROKKR_INLINE_LAMBDA
#define BROKKR_CONSTANT __device__ constexpr
#else
#if !defined(BROKKR_ISA)
#error "a machine build must define BROKKR_ISA: v2, v3, v4, neon or emulated"
#endif
#define BROKKR_MACHINE BROKKR_ISA
#if defined(BROKKR_ISA_EMULATED)
#define BROKKR_FN inline  // for tests: it compiles in a fraction of the time and runs more slowly
#define BROKKR_INLINE_LAMBDA
#elif defined(BROKKR_INLINE_BY_COST)
// The compiler's limit on the cost of inlining is so high (cmake/isa.cmake) that it inlines almost everything. It
// simplifies each function before it copies it to its callers; with the attribute it does so after that. The pipeline's
// kernel compiles in half the time.
#define BROKKR_FN inline
#define BROKKR_INLINE_LAMBDA
#else
#define BROKKR_FN [[gnu::always_inline]] inline
// write it after the parameters; the compiler would otherwise call the lambda
#define BROKKR_INLINE_LAMBDA __attribute__((always_inline))
#endif
#if defined(BROKKR_ISA_EMULATED)
#define BROKKR_FN_INLINE inline
#else
// For the few functions that a compiler would call, although they return values of many registers.
#define BROKKR_FN_INLINE [[gnu::always_inline]] inline
#endif
#define BROKKR_FN_NOINLINE [[gnu::noinline]] inline
#define BROKKR_CONSTANT constexpr
#endif

#define BROKKR_MACHINE_BEGIN \
  namespace brokkr {         \
  inline namespace BROKKR_MACHINE {
#define BROKKR_MACHINE_END \
  }                        \
  }

#if defined(BROKKR_COMPILED_SHADER)
#if defined(__CUDACC__)
#include "machine/linked_lane.h"
#else
#include "machine/compiled_lane.h"
#endif
#include "machine/lane_math.h"
#else
#include "machine/atomic.h"

#if defined(__CUDACC__)
#include "machine/cuda_warp.h"
#else
#include "machine/cpu_warp.h"
#endif
#include "machine/key_buffer.h"
#endif
#include "machine/halves.h"
