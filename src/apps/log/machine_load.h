// How much of the computer a run had for itself: what other programs took while frames were drawn.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace brokkr {

// The computer's clock ticks since it started, over all processors; `busy` is without idle time and waiting for disks.
// Both are 0 where /proc/stat cannot be read.
struct ProcessorTicks {
  uint64_t busy = 0, all = 0;
};
ProcessorTicks processor_ticks();

double load_average();       // of the last minute; 0: not known
double processor_seconds();  // of this process and of the programs that it waited for

struct MachineLoad {
  double wall_s = 0;       // while frames were drawn
  int cores = 0;           // processors of the computer
  double own_cores = 0;    // processors that this program kept busy, on average
  double load_before = 0;  // load average when the first frame began
  double load_after = 0;   // and when the last one ended
  // Share of all processors' time, 0 to 1, that went to other programs and other virtual machines. Nothing where
  // /proc/stat does not tell, or where the run was shorter than its clock can measure.
  std::optional<double> others;
};

// Adds up the load of those parts of a run that begin() and end() enclose.
class LoadWatch {
 public:
  void begin();
  void end();
  MachineLoad load() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_;
  ProcessorTicks ticks_before_;
  double own_before_ = 0, load_before_ = -1, load_after_ = 0;
  double wall_s_ = 0, own_s_ = 0;
  ProcessorTicks ticks_;
};

// Other programs with more than this share of the processors make times longer than noise does: on two processors 5 %
// is a tenth of one of them.
inline constexpr double kBusyShare = 0.05;

// One sentence for each reason to doubt the times; none for a quiet computer.
std::vector<std::string> load_warnings(const MachineLoad& load);

// Beside programs that take more than this, the scheduler decides about a frame's time, and no two runs are alike.
inline constexpr double kLoadedShare = 0.25;

// Why the times of two runs under these loads cannot be compared: that the load differed by more than kBusyShare, was
// above kLoadedShare, or that this cannot be told. Empty where they can be compared.
std::string load_difference(const std::optional<MachineLoad>& before, const std::optional<MachineLoad>& after);

nlohmann::ordered_json load_json(const MachineLoad& load);
// Nothing where `json` is no text of load_json.
std::optional<MachineLoad> load_of_json(const nlohmann::ordered_json& json);

}  // namespace brokkr
