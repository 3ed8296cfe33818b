// Our own kernels as programs of `brokkr simt`: a frame through the pipeline, and the kernels of the queue experiments.
// They run on the simulated device, and each result is compared with the CPU's.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"
#include "app/text.h"
#include "simt/command/report.h"
#include "simt/device/control.h"

namespace brokkr::simt {

struct DeviceProgram {
  const char *name, *title;
  // Runs the program once.
  void (*run)(DeviceControl& device, const app::Arguments& arguments, app::Progress& progress,
              std::vector<KernelRun>& runs);
};
const std::vector<DeviceProgram>& device_programs();
const DeviceProgram* find_device_program(const std::string& name);  // nullptr if there is none

// Throws std::runtime_error if the device library is missing or results differ.
std::vector<KernelRun> run_device_program(const DeviceProgram& program, const DeviceSettings& settings,
                                          const app::Arguments& arguments, app::Progress& progress, LaneTable& lanes);

nlohmann::ordered_json json_of(const LaneTable& lanes);
std::string table_of(const LaneTable& lanes);
std::string csv_of(const LaneTable& lanes);

}  // namespace brokkr::simt
