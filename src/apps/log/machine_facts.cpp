#include "log/machine_facts.h"

#include <malloc.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file_io.h"
#include "brokkr_commit.h"

namespace brokkr {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The text after ':' or '=' in the first line that starts with `name`.
std::string field(const std::string& path, const char* name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const size_t begin = line.find_first_not_of(" \t", line.find_first_of(":=") + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

// "MemTotal:   32148228 kB" → 32148228.
uint64_t kib_of(const char* path, const char* name) { return std::strtoull(field(path, name).c_str(), nullptr, 10); }

void read_gpu(MachineFacts& facts) {
  facts.driver = first_line("/sys/module/nvidia/version");
  for (const std::filesystem::path& path : paths_in("/proc/driver/nvidia/gpus")) {
    facts.gpu = field(path / "information", "Model:");
    if (!facts.gpu.empty()) return;
  }
}

}  // namespace

MachineFacts machine_facts() {
  MachineFacts facts;
  facts.processor = field("/proc/cpuinfo", "model name");
  if (facts.processor.empty()) facts.processor = field("/proc/cpuinfo", "Model");  // aarch64
  facts.virtual_machine = field("/proc/cpuinfo", "flags").find("hypervisor") != std::string::npos;
  facts.cores = static_cast<int>(std::thread::hardware_concurrency());
  facts.memory_kib = kib_of("/proc/meminfo", "MemTotal");
  facts.system = field("/etc/os-release", "PRETTY_NAME=");
  std::erase(facts.system, '"');
  if (facts.system.empty()) facts.system = "Linux";
  utsname system{};
  if (uname(&system) == 0) facts.kernel = system.release;
  facts.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  read_gpu(facts);
  return facts;
}

MemoryUse memory_use() {
  const char* const file = "/proc/meminfo";
  const auto less = [](uint64_t a, uint64_t b) { return a > b ? a - b : 0; };
  return {less(kib_of(file, "MemTotal"), kib_of(file, "MemAvailable")),
          less(kib_of(file, "SwapTotal"), kib_of(file, "SwapFree")), kib_of("/proc/self/status", "VmRSS")};
}

void reset_peak_memory() {
  malloc_trim(0);                                 // memory freed by earlier work must not count
  std::ofstream("/proc/self/clear_refs") << "5";  // proc(5): resets VmHWM
}

uint64_t peak_memory_kib() { return kib_of("/proc/self/status", "VmHWM"); }

int processor_mhz() {
  std::ifstream file("/proc/cpuinfo");
  double most = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("cpu MHz", 0) == 0) most = std::max(most, std::strtod(line.c_str() + line.find(':') + 1, nullptr));
  }
  return static_cast<int>(std::lround(most));
}

std::string program_commit() { return BROKKR_COMMIT; }

std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::string text;
  for (std::string word; std::getline(file, word, '\0');) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return std::string(text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts));
}

}  // namespace brokkr
