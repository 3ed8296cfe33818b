// The builds of the CPU kernels that this program contains and those that this processor can run, by name: "v2", "v3",
// "v4" (x86-64 levels), "neon" or "emulated".
#pragma once

#include <string>

namespace brokkr {

// Returns true if the program contains the build and this processor can run it.
bool cpu_supports(const std::string& isa);
// The best build that this processor can run. Throws std::runtime_error if there is none.
std::string best_cpu_isa();

}  // namespace brokkr
