// What `brokkr simt` asks of the simulated device beside what SimtDevice has: the library and the program are of one
// build, so that they share these types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simt/config.h"
#include "simt/lanes.h"
#include "simt/statistics.h"

namespace brokkr::simt {

struct DeviceSettings {
  std::optional<Config> config;  // whose cycles are counted; none: as fast as it goes
  int threads = 1;               // of the host, where no cycles are counted; 0: one per core
  bool lanes = false;            // count lanes of each instruction
};

// All launches of a kernel.
struct KernelRun {
  std::string kernel;
  uint64_t launches = 0;
  uint64_t instructions = 0;  // of warps
  Statistics statistics;      // where cycles are counted
};

class DeviceControl {
 public:
  virtual ~DeviceControl() = default;
  virtual void set_up(const DeviceSettings& settings) = 0;
  // Since the last call of set_up, or of `forget`.
  virtual std::vector<KernelRun> runs() const = 0;
  virtual void forget() = 0;
  // Since the last call of set_up.
  virtual LaneTable lanes() const = 0;
};

}  // namespace brokkr::simt
