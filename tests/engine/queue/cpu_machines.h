// The CPU machines of this build that the processor supports.
#pragma once

#include <vector>

#include "queue_machines.h"
#include "threads.h"

#define BROKKR_QUEUE_MACHINE(isa)        \
  namespace brokkr::isa::queue_workers { \
  queue_test::QueueMachine machine();    \
  }
#if defined(BROKKR_HAVE_ISA_V2)
BROKKR_QUEUE_MACHINE(v2)
#endif
#if defined(BROKKR_HAVE_ISA_V3)
BROKKR_QUEUE_MACHINE(v3)
#endif
#if defined(BROKKR_HAVE_ISA_V4)
BROKKR_QUEUE_MACHINE(v4)
#endif
#if defined(BROKKR_HAVE_ISA_NEON)
BROKKR_QUEUE_MACHINE(neon)
#endif
#if defined(BROKKR_HAVE_ISA_EMULATED)
BROKKR_QUEUE_MACHINE(emulated)
#endif
#undef BROKKR_QUEUE_MACHINE

namespace brokkr::queue_test {

struct CpuMachine {
  const char* name;
  bool runs;  // on this processor
  QueueMachine (*machine)();
};

inline std::vector<CpuMachine> cpu_machines() {
  std::vector<CpuMachine> all;
#if defined(BROKKR_HAVE_ISA_V2)
  all.push_back({"v2", __builtin_cpu_supports("sse4.2") != 0, v2::queue_workers::machine});
#endif
#if defined(BROKKR_HAVE_ISA_V3)
  all.push_back({"v3", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), v3::queue_workers::machine});
#endif
#if defined(BROKKR_HAVE_ISA_V4)
  all.push_back({"v4",
                 __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"),
                 v4::queue_workers::machine});
#endif
#if defined(BROKKR_HAVE_ISA_NEON)
  all.push_back({"neon", true, neon::queue_workers::machine});
#endif
#if defined(BROKKR_HAVE_ISA_EMULATED)
  all.push_back({"emulated", true, emulated::queue_workers::machine});
#endif
  return all;
}

}  // namespace brokkr::queue_test
