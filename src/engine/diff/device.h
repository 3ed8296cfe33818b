// A CUDA device that runs the stages of differentiable rendering. Only builds with CUDA implement it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "diff/data.h"

namespace brokkr {

class DiffDevice {
 public:
  virtual ~DiffDevice() = default;
  // The number of warps that keep the device busy.
  virtual uint32_t warps() const = 0;
  // Memory on the device until the end of the call: a copy of the host's, or zeros.
  virtual void* upload(const void* host, size_t bytes) = 0;
  virtual void* zeroed(size_t bytes) = 0;
  // Copies to the host after all stages have ended.
  virtual void download(void* host, const void* device, size_t bytes) = 0;
  // Starts `parts` warps of a stage after the stages before it. The pointers in `data` are the device's.
  virtual void run(DiffStage stage, const void* data, uint32_t parts) = 0;
  // Later calls use the same memory again.
  virtual void end_call() = 0;
};

// Uses the first device. Throws MachineError or std::runtime_error that names what is missing.
std::unique_ptr<DiffDevice> make_diff_device();

}  // namespace brokkr
