// The interface of the simulated device for `brokkr simt`, in addition to SimtDevice. Library and program come from one
// build, so they share these types.
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
  std::optional<Config> config;  // the machine whose cycles are counted; none: as fast as possible
  int threads = 1;               // host threads if no cycles are counted; 0: one per core
  bool lanes = false;            // count lanes per instruction
};

// Totals over all launches of a kernel.
struct KernelRun {
  std::string kernel;
  uint64_t launches = 0;
  uint64_t instructions = 0;  // instructions of warps
  Statistics statistics;      // if cycles are counted
};

class DeviceControl {
 public:
  virtual ~DeviceControl() = default;
  virtual void set_up(const DeviceSettings& settings) = 0;
  // Runs since the last call of set_up or `forget`.
  virtual std::vector<KernelRun> runs() const = 0;
  virtual void forget() = 0;
  // Counts since the last call of set_up.
  virtual LaneTable lanes() const = 0;
};

}  // namespace brokkr::simt
