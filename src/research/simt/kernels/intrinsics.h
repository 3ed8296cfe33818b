// What a kernel asks of the SIMT machine (src/simt/timed_machine.h): calls that nvcc leaves in PTX as they are, as
// nothing defines the functions.
#pragma once

extern "C" {
// A new thread goes on at a kernel of the program, with this one's place in the grid; it finds `state` by
// brokkr_simt_state. What the thread that spawns does afterwards must not touch the state.
__device__ void brokkr_simt_spawn(const char* kernel, void* state);
// The state of this thread: its own piece of spawn memory, or what it was spawned with.
__device__ void* brokkr_simt_state();
// At a branch: whether it is better taken by new threads. `path1` (where `predicate` holds), `path2`: instructions up
// to where paths meet; `after`: from there to the end; `store`, `restore`: of a thread's state.
__device__ int brokkr_simt_diverge(int predicate, unsigned path1, unsigned path2, unsigned after, unsigned store,
                                   unsigned restore);
// Before paths meet: whether this warp has lost threads, so that the rest is better spawned to the meeting.
__device__ int brokkr_simt_reconverge();
// So many lanes of this warp do work in what follows, of those that its program counter shows: where control flow is
// the warp's, and lanes without work are masked.
__device__ void brokkr_simt_lanes(int lanes);
}
