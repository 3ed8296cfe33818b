// Launches on CUDA devices. Implemented only in builds with CUDA.
#pragma once

#include <memory>
#include <vector>

#include "pipeline/machine_backend.h"

namespace brokkr {

// The name that users know this machine by. The simulated device (research/simt/device) gives the same objects another
// name.
extern const char* const kCudaName;

bool cuda_is_available();
// Uses the first device. Throws std::runtime_error that names what is missing.
std::unique_ptr<MachineBackend> make_cuda_machine();
// One entry per device, or one entry that says why there is none.
std::vector<MachineInfo> find_cuda_machines();

}  // namespace brokkr
