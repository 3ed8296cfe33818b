#include "log/machine_facts.h"

#include <malloc.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "brokkr_commit.h"

namespace brokkr {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "MemTotal:   32148228 kB" → 32148228.
uint64_t kib_of(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(name + ":", 0) != 0) continue;
    uint64_t value = 0;
    std::istringstream(line.substr(name.size() + 1)) >> value;
    return value;
  }
  return 0;
}

void read_processor(MachineFacts& facts) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    const bool names = line.rfind("model name", 0) == 0 || line.rfind("Model", 0) == 0;
    if (names && colon != std::string::npos) facts.processor = line.substr(colon + 2);
    if (line.rfind("flags", 0) == 0) {
      facts.virtual_machine = line.find(" hypervisor") != std::string::npos;
      break;  // the other cores are alike
    }
  }
}

std::string system_name() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("PRETTY_NAME=", 0) != 0) continue;
    std::string name = line.substr(12);
    std::erase(name, '"');
    return name;
  }
  return "Linux";
}

void read_gpu(MachineFacts& facts) {
  facts.driver = first_line("/sys/module/nvidia/version");
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    std::ifstream file(entry.path() / "information");
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("Model:", 0) != 0) continue;
      const size_t begin = line.find_first_not_of(" \t", 6);
      if (begin != std::string::npos) facts.gpu = line.substr(begin);
    }
    if (!facts.gpu.empty()) return;
  }
}

}  // namespace

MachineFacts machine_facts() {
  MachineFacts facts;
  read_processor(facts);
  facts.cores = static_cast<int>(std::thread::hardware_concurrency());
  facts.memory_kib = kib_of("/proc/meminfo", "MemTotal");
  facts.system = system_name();
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
  malloc_trim(0);                                 // what earlier work freed is not this work's
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
