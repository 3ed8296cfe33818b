#include "log/machine_facts.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

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
  double mhz = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("cpu MHz", 0) == 0) mhz = std::max(mhz, std::strtod(line.c_str() + line.find(':') + 1, nullptr));
  }
  return static_cast<int>(std::lround(mhz));
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

namespace {

using Json = nlohmann::ordered_json;

double seconds(const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) * 1e-6; }

double seconds_of(int who) {
  rusage use{};
  return getrusage(who, &use) == 0 ? seconds(use.ru_utime) + seconds(use.ru_stime) : 0;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

ProcessorTicks processor_ticks() {
  std::ifstream stat("/proc/stat");
  std::string word;
  stat >> word;  // "cpu", followed by user nice system idle iowait irq softirq steal
  ProcessorTicks ticks;
  for (int i = 0; i < 8; ++i) {
    uint64_t value = 0;
    stat >> value;
    ticks.all += value;
    if (i != 3 && i != 4) ticks.busy += value;
  }
  return ticks;
}

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

double processor_seconds() { return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN); }

void LoadWatch::begin() {
  if (load_before_ < 0) load_before_ = load_average();
  since_ = Clock::now();
  ticks_before_ = processor_ticks();
  program_before_ = processor_seconds();
}

void LoadWatch::end() {
  program_s_ += processor_seconds() - program_before_;
  const ProcessorTicks now = processor_ticks();
  wall_s_ += std::chrono::duration<double>(Clock::now() - since_).count();
  // On some kernels, the time spent waiting for disks can decrease.
  if (now.all > ticks_before_.all) ticks_.all += now.all - ticks_before_.all;
  if (now.busy > ticks_before_.busy) ticks_.busy += now.busy - ticks_before_.busy;
  load_after_ = load_average();
}

MachineLoad LoadWatch::load() const {
  constexpr uint64_t kFewestTicks = 20;  // fewer do not resolve a share of 5 %
  MachineLoad load;
  load.wall_s = wall_s_;
  load.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  load.program_cores = wall_s_ > 0 ? program_s_ / wall_s_ : 0;
  load.load_before = std::max(0.0, load_before_);
  load.load_after = load_after_;
  if (ticks_.all < kFewestTicks) return load;
  const double busy = double(ticks_.busy) / double(ticks_.all), own = load.program_cores / load.cores;
  // A container's /proc/stat may count nothing; this program's own time then exceeds the total.
  if (own > 2 * busy + kBusyShare) return load;
  load.others = std::clamp(busy - own, 0.0, 1.0);
  return load;
}

std::vector<std::string> load_warnings(const MachineLoad& load) {
  std::vector<std::string> warnings;
  if (!load.others) {
    warnings.push_back(fmt::format(
        "it is unknown whether other programs ran: the run was too short, or /proc/stat does not count here"));
  } else if (*load.others > kBusyShare) {
    warnings.push_back(
        fmt::format("other programs took {} of the {} processors while frames were drawn; this one kept {:.1f} busy",
                    percent(*load.others), load.cores, load.program_cores));
  }
  if (load.load_before >= load.cores) {
    warnings.push_back(fmt::format("the load average was {:.1f} on {} processors before the first frame",
                                   load.load_before, load.cores));
  }
  return warnings;
}

std::string load_difference(const std::optional<MachineLoad>& before, const std::optional<MachineLoad>& after) {
  if (!before || !after || !before->others || !after->others)
    return "it is unknown whether the load of the computer differed: a file does not record the load of other programs";
  const bool differed = std::abs(*before->others - *after->others) > kBusyShare;
  if (!differed && std::max(*before->others, *after->others) <= kLoadedShare) return {};
  return fmt::format("the computer {}: other programs took {} of the processors before and {} after",
                     differed ? "had another load" : "was loaded", percent(*before->others), percent(*after->others));
}

Json load_json(const MachineLoad& load) {
  Json json = {{"wall_s", load.wall_s},           {"cores", load.cores},
               {"own_cores", load.program_cores}, {"others", nullptr},
               {"load_before", load.load_before}, {"load_after", load.load_after}};
  if (load.others) json["others"] = *load.others;
  return json;
}

std::optional<MachineLoad> load_of_json(const Json& json) {
  MachineLoad load;
  if (!json.is_object()) return std::nullopt;
  const auto number = [&](const char* name, double& value) {
    const bool there = json.contains(name) && json[name].is_number();
    if (there) value = json[name];
    return there;
  };
  double cores = 0, others = 0;
  if (!number("wall_s", load.wall_s) || !number("cores", cores) || !number("own_cores", load.program_cores) ||
      !number("load_before", load.load_before) || !number("load_after", load.load_after))
    return std::nullopt;
  load.cores = static_cast<int>(std::clamp(cores, 0.0, 1e6));
  if (number("others", others)) load.others = others;
  return load;
}

}  // namespace brokkr
