// [Steffen12, Alg. 4]: a branch whose two paths are loops of given lengths, followed by another loop. It runs on the
// stack, or with spawned threads if the performance model prefers them (chapter 6).
#include "intrinsics.h"

struct BranchWork {
  const unsigned* data;
  unsigned* out;
  unsigned loop1, loop2, loop_end, store, restore, model;  // model: see BranchRun (programs.h)
};

static __device__ unsigned path1(unsigned value, unsigned n) {
#pragma unroll 1
  for (unsigned i = 0; i < n; ++i) value = value * 5 + 1;
  return value;
}
static __device__ unsigned path2(unsigned value, unsigned n) {
#pragma unroll 1
  for (unsigned i = 0; i < n; ++i) value = (value ^ value >> 3) + value;
  return value;
}
static __device__ void path_end(unsigned value, const BranchWork& w, unsigned index) {
#pragma unroll 1
  for (unsigned i = 0; i < w.loop_end; ++i) value = value * 2 + (value >> 31);
  w.out[index] = value;
}
static __device__ unsigned thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void branch(BranchWork w) {
  const unsigned index = thread_index();
  unsigned value = w.data[index];
  if (value >= 16)
    value = path1(value, w.loop1);
  else
    value = path2(value, w.loop2);
  path_end(value, w, index);
}

// The state of a thread between two kernels.
struct BranchState {
  unsigned value;
};

extern "C" __global__ void branch_end(BranchWork w) {
  const auto* s = static_cast<const BranchState*>(brokkr_simt_state());
  path_end(s->value, w, thread_index());
}

// Called before the paths meet.
static __device__ void meet(unsigned value, const BranchWork& w) {
  if (w.model == 1 && brokkr_simt_reconverge() != 0) {
    auto* s = static_cast<BranchState*>(brokkr_simt_state());
    s->value = value;
    brokkr_simt_spawn("branch_end", s);
    return;
  }
  path_end(value, w, thread_index());
}
extern "C" __global__ void branch_path1(BranchWork w) {
  const auto* s = static_cast<const BranchState*>(brokkr_simt_state());
  meet(path1(s->value, w.loop1), w);
}
extern "C" __global__ void branch_path2(BranchWork w) {
  const auto* s = static_cast<const BranchState*>(brokkr_simt_state());
  meet(path2(s->value, w.loop2), w);
}

extern "C" __global__ void branch_begin(BranchWork w) {
  const unsigned index = thread_index();
  unsigned value = w.data[index];
  const bool p = value >= 16;
  // An iteration is about five instructions.
  if (w.model == 3 || brokkr_simt_diverge(p, 5 * w.loop1, 5 * w.loop2, 5 * w.loop_end, w.store, w.restore) != 0) {
    auto* s = static_cast<BranchState*>(brokkr_simt_state());
    s->value = value;
    if (p)
      brokkr_simt_spawn("branch_path1", s);
    else
      brokkr_simt_spawn("branch_path2", s);
    return;
  }
  if (p)
    value = path1(value, w.loop1);
  else
    value = path2(value, w.loop2);
  path_end(value, w, index);
}
