// Launches on CUDA devices. Implemented only in builds with CUDA.
#pragma once

#include <memory>
#include <vector>

#include "pipeline/machine_backend.h"

namespace brokkr {

// What users call this machine. The same objects are another one in the simulated device (research/simt/device).
extern const char* const kCudaName;

bool cuda_is_available();
// Uses the first device. Throws std::runtime_error that names what is missing.
std::unique_ptr<MachineBackend> make_cuda_machine();
// One entry per device, or one entry that says why there is none.
std::vector<MachineInfo> find_cuda_machines();

}  // namespace brokkr
