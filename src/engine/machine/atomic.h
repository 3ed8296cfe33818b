// One atomic_ref for every machine: machine/cuda_atomic.h and libcu++ in CUDA builds, the standard library otherwise.
// `device_atomic` orders all blocks of a launch, `system_atomic` orders blocks and the host; their words must be in
// memory of the whole launch. `block_atomic` orders the warps of one block.
#pragma once

#if defined(__CUDACC__)
#include "machine/cuda_atomic.h"
#else
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#endif

BROKKR_MACHINE_BEGIN

#if defined(__CUDACC__)
template <class T>
using device_atomic = GlobalAtomic<T, false>;
template <class T>
using system_atomic = GlobalAtomic<T, true>;
template <class T>
using block_atomic = ::cuda::atomic_ref<T, ::cuda::thread_scope_block>;
BROKKR_CONSTANT auto kRelaxed = ::cuda::std::memory_order_relaxed;
BROKKR_CONSTANT auto kAcquire = ::cuda::std::memory_order_acquire;
BROKKR_CONSTANT auto kRelease = ::cuda::std::memory_order_release;
BROKKR_CONSTANT auto kAcqRel = ::cuda::std::memory_order_acq_rel;
BROKKR_CONSTANT auto kSeqCst = ::cuda::std::memory_order_seq_cst;
#else
template <class T>
using device_atomic = std::atomic_ref<T>;
template <class T>
using system_atomic = std::atomic_ref<T>;
template <class T>
using block_atomic = std::atomic_ref<T>;
inline constexpr auto kRelaxed = std::memory_order_relaxed;
inline constexpr auto kAcquire = std::memory_order_acquire;
inline constexpr auto kRelease = std::memory_order_release;
inline constexpr auto kAcqRel = std::memory_order_acq_rel;
inline constexpr auto kSeqCst = std::memory_order_seq_cst;
#endif

// Makes one step of a spin and tells the core that the thread spins. A long spin yields the core, because a host with
// fewer cores than blocks must run the block that is awaited. A longer spin sleeps for 20 microseconds at a time, so
// that yielding threads do not keep others from running.
BROKKR_FN void pause(int spin) {
#if defined(__CUDACC__)
  // Sleep for at most twice a round trip to memory. A block that waits for the last tasks of a frame then notices their
  // end soon, and polls too seldom to disturb working blocks.
  __nanosleep(spin < 4 ? 32u << spin : 512u);
#else
  if (spin < 32) {
#if defined(__x86_64__)
    _mm_pause();
#endif
  } else if (spin < 96) {
    std::this_thread::yield();
  } else {
    const timespec time{0, 20000};
    nanosleep(&time, nullptr);
  }
#endif
}

#if !defined(__CUDACC__)
// Sleeps while the word has that value, until wake_all; may return early. If other programs keep the cores busy, a
// thread that yields waits for all of them at each poll, while a sleeping thread runs soon after it is woken.
inline void sleep_while(const uint32_t& word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
// Call after the word has changed.
inline void wake_all(const uint32_t& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
}
#endif

// Prefetches p's cache line. A GPU hides that latency with other warps.
BROKKR_FN void prefetch([[maybe_unused]] const void* p) {
#if !defined(__CUDACC__)
  __builtin_prefetch(p);
#endif
}

// Prefetches p's line of global memory into the cache of one multiprocessor. Few warps leave room there, so use this
// only for data that is needed soon. On other machines it is the same as prefetch().
BROKKR_FN void prefetch_near([[maybe_unused]] const void* p) {
#if defined(__CUDACC__)
  asm volatile("prefetch.global.L1 [%0];" : : "l"(__cvta_generic_to_global(p)));
#endif
}

BROKKR_MACHINE_END
