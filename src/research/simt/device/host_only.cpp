// What the host's own text asks of machines of the CPU while it prepares a frame. The program prepares frames, and the
// simulated device gets them prepared: here there are no such machines.
#include <stdexcept>

#include "machine/cpu_isa.h"
#include "shade/kernels.h"

namespace brokkr {

std::string best_cpu_isa() { throw std::logic_error("the simulated device has no machine of the CPU"); }
const shader::ShaderKernel* shader::find_kernel(const std::string&) { return nullptr; }

}  // namespace brokkr
