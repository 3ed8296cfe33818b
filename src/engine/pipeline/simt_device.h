// The simulated device: our CUDA kernels on a model of SIMT cores, as a library that is loaded when it is first asked
// for (src/simt/device). A program holds nothing of it but this file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pipeline/machine_backend.h"
#include "pipeline/task_machine.h"

namespace brokkr {

class SimtDevice {
 public:
  virtual ~SimtDevice() = default;
  // What it runs on from the next machine that is made: the name of a machine of src/simt, or a file, whose cycles are
  // counted; empty: none, and then as fast as it goes, on so many threads of the host (0: one per core). Throws
  // std::runtime_error.
  virtual void set_up(const std::string& config, int threads) = 0;
  virtual std::unique_ptr<MachineBackend> make_machine() = 0;
  virtual std::unique_ptr<TaskMachine> make_task_machine() = 0;
  // The table of kernels of a room, "lab", "trace" or "reyes", as that room has it for CUDA. Throws std::runtime_error.
  virtual const void* kernels(std::string_view room) = 0;
  // What the kernels since the last call of set_up have taken, as JSON; empty where no cycles are counted.
  virtual std::string report() = 0;
  // simt::DeviceControl.
  virtual void* control() = 0;
};

// Throws std::runtime_error that says why there is none.
SimtDevice& simt_device();
// Why there is none; empty where it can be loaded.
std::string why_no_simt_device();

}  // namespace brokkr
