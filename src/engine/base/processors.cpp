#include "base/processors.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <thread>
#include <tuple>

namespace brokkr {
namespace {

namespace fs = std::filesystem;

// Returns true if `name` is one of the words in a list separated by commas.
bool lists(const std::string& names, const std::string& name) {
  std::istringstream in(names);
  for (std::string one; std::getline(in, one, ',');) {
    if (one == name) return true;
  }
  return false;
}

struct Quota {
  int64_t time = -1, period = 0;  // in microseconds; there is no limit unless both are above 0
};

// Parses "max 100000" or "150000 100000".
Quota quota_of_version_2(const fs::path& group) {
  Quota quota;
  std::ifstream in(group / "cpu.max");
  if (!(in >> quota.time >> quota.period)) return {};
  return quota;
}

Quota quota_of_version_1(const fs::path& group) {
  Quota quota;
  std::ifstream time(group / "cpu.cfs_quota_us"), period(group / "cpu.cfs_period_us");
  if (!(time >> quota.time) || !(period >> quota.period)) return {};
  return quota;
}

}  // namespace

void each_control_group(const fs::path& root, const std::string& controller,
                        const std::function<void(const fs::path&)>& visit) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    // The line is "0::/a/b" in version 2, and "5:memory:/a/b" or "4:cpu,cpuacct:/a/b" in version 1.
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !lists(controllers, controller)) continue;
    const fs::path mounted = root / "sys/fs/cgroup";
    fs::path top = mounted;
    if (!controllers.empty()) {
      // Some systems mount "cpu,cpuacct" as one folder, with or without links named after each controller.
      std::error_code error;
      top = fs::exists(mounted / controller, error) ? mounted / controller : mounted / controllers;
    }
    for (fs::path group = fs::path(line.substr(second + 1)).relative_path();; group = group.parent_path()) {
      visit(top / group);
      if (group.empty()) break;
    }
  }
}

int usable_processors(const fs::path& root) {
  int64_t processors = std::max(1u, std::thread::hardware_concurrency());
  each_control_group(root, "cpu", [&](const fs::path& group) {
    for (const Quota& quota : {quota_of_version_2(group), quota_of_version_1(group)}) {
      if (quota.time <= 0 || quota.period <= 0) continue;
      processors =
          std::min(processors, std::max<int64_t>(1, quota.time / quota.period + (quota.time % quota.period != 0)));
    }
  });
  return int(processors);
}

// This avoids a static that is initialized once: if a process forked during the initialization, its child would wait
// for it.
int usable_processors() {
  static std::atomic<int> known{0};
  if (known.load(std::memory_order_relaxed) == 0) known.store(usable_processors("/"), std::memory_order_relaxed);
  return known.load(std::memory_order_relaxed);
}

}  // namespace brokkr
