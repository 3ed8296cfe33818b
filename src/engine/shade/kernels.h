// The builds of the interpreter that this program contains.
#pragma once

#include <string>
#include <vector>

#include "shader/call.h"

namespace brokkr::shader {

// Finds a build by name: "v2", "v3", "v4", "neon" or "emulated". Returns null if this program does not contain it.
const ShaderKernel* find_kernel(const std::string& isa);
// Names of all builds, in no particular order.
std::vector<std::string> kernel_names();

}  // namespace brokkr::shader
