// A clock in nanoseconds with an arbitrary origin. All blocks of a launch share it. On the CPU, an option gives each
// block its own clock, which stands still while the block's thread does not run.
#pragma once

#include "machine/machine.h"

#if !defined(__CUDACC__)
#include <time.h>
#endif

BROKKR_MACHINE_BEGIN

BROKKR_FN uint64_t clock_ns([[maybe_unused]] bool of_thread) {
#if defined(__CUDACC__)
  uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
#else
  timespec t;
  clock_gettime(of_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
#endif
}

BROKKR_FN uint64_t clock_ns() { return clock_ns(false); }

BROKKR_MACHINE_END
