// Describes the computer that recorded a log: facts from /proc and /sys (unreadable values are empty or 0), and the
// load of other programs during the recording.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace brokkr {

struct MachineFacts {
  std::string processor;  // such as "AMD EPYC 9654 96-Core Processor"
  int cores = 0;          // hardware threads
  bool virtual_machine = false;
  uint64_t memory_kib = 0;
  std::string system;       // such as "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;       // such as "6.1.0-13-amd64"
  std::string governor;     // of the first core, such as "performance"
  std::string gpu, driver;  // NVIDIA's GPU and kernel driver, if present
};
MachineFacts machine_facts();

struct MemoryUse {
  uint64_t used_kib = 0;      // of the whole computer: memory that is not available
  uint64_t swap_kib = 0;      // swapped out
  uint64_t resident_kib = 0;  // of this process
};
MemoryUse memory_use();

// The peak memory of this process in KiB since the last reset (VmHWM); 0: unknown. A reset sets the peak to the current
// value, and does nothing if the kernel refuses.
void reset_peak_memory();
uint64_t peak_memory_kib();

int processor_mhz();  // of the fastest core at present; 0: unknown

std::string program_commit();  // "91e6a62", with "+" if the sources had changes
std::string command_line();    // of this process, words joined by blanks
std::string utc_now();         // "2026-11-21 14:25:35 UTC"

// The computer's clock ticks since it started, over all processors; `busy` excludes idle time and waiting for disks.
// Both are 0 if /proc/stat cannot be read.
struct ProcessorTicks {
  uint64_t busy = 0, all = 0;
};
ProcessorTicks processor_ticks();

double load_average();       // over the last minute; 0: unknown
double processor_seconds();  // of this process and the children that it waited for

struct MachineLoad {
  double wall_s = 0;         // wall time while frames were drawn
  int cores = 0;             // number of processors
  double program_cores = 0;  // processors that this program used, on average
  double load_before = 0;    // load average at the start of the first frame
  double load_after = 0;     // load average at the end of the last one
  // The fraction of all processors' time that went to other programs and other virtual machines. Empty if /proc/stat
  // does not tell, or if the run was too short for its clock.
  std::optional<double> others;
};

// Accumulates the load over the parts of a run between begin() and end().
class LoadWatch {
 public:
  void begin();
  void end();
  MachineLoad load() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_;
  ProcessorTicks ticks_before_;
  double program_before_ = 0, load_before_ = -1, load_after_ = 0;
  double wall_s_ = 0, program_s_ = 0;
  ProcessorTicks ticks_;
};

// If other programs use more than this fraction of the processors, times change by more than noise: on two processors,
// 5 % is a tenth of one of them.
inline constexpr double kBusyShare = 0.05;

// One sentence for each reason to doubt the times; none for a quiet computer.
std::vector<std::string> load_warnings(const MachineLoad& load);

// If other programs use more than this fraction, the scheduler determines frame times, and no two runs are alike.
inline constexpr double kLoadedShare = 0.25;

// The reason why times of two runs with these loads cannot be compared: the load differed by more than kBusyShare, was
// above kLoadedShare, or is unknown. Empty if they can be compared.
std::string load_difference(const std::optional<MachineLoad>& before, const std::optional<MachineLoad>& after);

nlohmann::ordered_json load_json(const MachineLoad& load);
// Empty if `json` was not written by load_json.
std::optional<MachineLoad> load_of_json(const nlohmann::ordered_json& json);

}  // namespace brokkr
