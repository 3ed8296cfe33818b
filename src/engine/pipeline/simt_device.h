// The simulated device: our CUDA kernels on a model of SIMT cores, in a library that is loaded on first use
// (src/research/simt/device). A program links nothing of it but this file.
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
  // Configures machines made from now on: the name of a machine of src/research/simt or a configuration file, with
  // cycles counted; empty: no cycle model, at full speed on `threads` host threads (0: one per core). Throws
  // std::runtime_error.
  virtual void set_up(const std::string& config, int threads) = 0;
  virtual std::unique_ptr<MachineBackend> make_machine() = 0;
  virtual std::unique_ptr<TaskMachine> make_task_machine() = 0;
  // The CUDA kernel table of a room: "lab", "trace" or "reyes". Throws std::runtime_error.
  virtual const void* kernels(std::string_view room) = 0;
  // The cycles of kernels since the last set_up, as JSON; empty if no cycles are counted.
  virtual std::string report() = 0;
  // simt::DeviceControl.
  virtual void* control() = 0;
};

// Throws std::runtime_error that says why there is none.
SimtDevice& simt_device();
// The reason why it cannot be loaded; empty if it can.
std::string why_no_simt_device();

}  // namespace brokkr
