// The builds of the interpreter that this program contains.
#pragma once

#include <string>
#include <vector>

#include "shader/call.h"

namespace brokkr::shader {

// Of "v2", "v3", "v4", "neon" or "emulated". Null: not built.
const ShaderKernel* find_kernel(const std::string& isa);
// Names of the builds, in no order that matters.
std::vector<std::string> kernel_names();

}  // namespace brokkr::shader
