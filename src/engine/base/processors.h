// What the system lets this process have of the processors, and where control groups say so.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace brokkr {

// Processors that this process can keep busy, at least 1: those that it may run on, and no more than the quotas of the
// control groups that it is in (cpu.max of version 2, cpu.cfs_quota_us of version 1), rounded up. `root` is where /proc
// and /sys lie.
int usable_processors(const std::filesystem::path& root);
// The same of this computer, as it was when it was asked first.
int usable_processors();

// Calls visit(folder) for the process's control group of `controller` ("memory", "cpu") and for all that it lies in.
void each_control_group(const std::filesystem::path& root, const std::string& controller,
                        const std::function<void(const std::filesystem::path&)>& visit);

}  // namespace brokkr
