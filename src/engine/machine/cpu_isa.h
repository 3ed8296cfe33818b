// Which builds of the CPU kernels this program contains and this processor runs, by name: "v2", "v3", "v4" (x86-64
// levels), "neon" or "emulated".
#pragma once

#include <string>

namespace brokkr {

// Whether the program contains the build and this processor runs it.
bool cpu_supports(const std::string& isa);
// The best build that this processor runs. Throws std::runtime_error where there is none.
std::string best_cpu_isa();

}  // namespace brokkr
