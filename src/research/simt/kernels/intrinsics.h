// Requests of a kernel to the SIMT machine (src/research/simt/timed_machine.h). The functions are undefined, so nvcc
// keeps their calls in PTX.
#pragma once

extern "C" {
// Starts a new thread at a kernel of the program, with this thread's position in the grid; it finds `state` by
// brokkr_simt_state. The spawning thread must not access the state afterwards.
__device__ void brokkr_simt_spawn(const char* kernel, void* state);
// The state of this thread: its own part of spawn memory, or the state it was spawned with.
__device__ void* brokkr_simt_state();
// Called at a branch: returns 1 if new threads should execute it. `path1` (if `predicate` holds), `path2`: instructions
// up to the meeting; `after`: from there to the end; `store`, `restore`: cost of a thread's state.
__device__ int brokkr_simt_diverge(int predicate, unsigned path1, unsigned path2, unsigned after, unsigned store,
                                   unsigned restore);
// Called before paths meet: returns 1 if this warp has lost threads, so that the remaining ones should be spawned at
// the meeting.
__device__ int brokkr_simt_reconverge();
// Declares that `lanes` of this warp's active lanes do work from here on. If the whole warp shares its control flow,
// lanes without work are masked, which the machine cannot see.
__device__ void brokkr_simt_lanes(int lanes);
}
// A function that is not inlined, with fixed_unit_ in its name, is a unit of fixed hardware on machines that have one
// (`fixed` of Config): its instructions take no issues.
