// Replaces the functions about CPU machines that host code calls while it prepares a frame. The simulated device
// receives prepared frames and has no CPU machines.
#include <stdexcept>

#include "machine/cpu_isa.h"
#include "shade/kernels.h"

namespace brokkr {

std::string best_cpu_isa() { throw std::logic_error("the simulated device has no CPU machine"); }
const shader::ShaderKernel* shader::find_kernel(const std::string&) { return nullptr; }

}  // namespace brokkr
