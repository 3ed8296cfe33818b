#include "machine/cpu_isa.h"

#include <stdexcept>

namespace brokkr {
namespace {

bool is_built(const std::string& isa) {
#define X(build) \
  if (isa == #build) return true;
  BROKKR_HAVE_ISA_LIST
#undef X
  return false;
}

}  // namespace

bool cpu_supports(const std::string& isa) {
  if (!is_built(isa)) return false;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 =
      v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512cd");
  if (isa == "v2" || isa == "emulated") return v2;
  if (isa == "v3") return v3;
  return isa == "v4" && v4;
#else
  return true;
#endif
}

std::string best_cpu_isa() {
  for (const char* isa : {"v4", "v3", "v2", "neon"}) {
    if (cpu_supports(isa)) return isa;
  }
  throw std::runtime_error(
      "CPU machine: no build of the pipeline runs on this processor; rebuild with BROKKR_ISAS for it");
}

}  // namespace brokkr
