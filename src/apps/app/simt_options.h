// Options of the simulated device (pipeline/simt_device.h), for commands with --machine.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"

namespace brokkr::app {

std::vector<Option> simt_options();
// Before the first machine is made. Throws UsageError where the options are for another machine than `machine`, and
// std::runtime_error where there is no simulated device.
void set_up_simt(const Arguments& arguments, const std::string& machine);
// What was counted, as JSON; empty where no cycles are.
std::string simt_report(const Arguments& arguments);
// The same as lines: each kernel that has run.
std::vector<std::string> simt_lines(const std::string& report);

}  // namespace brokkr::app
