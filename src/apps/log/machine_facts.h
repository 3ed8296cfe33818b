// Facts about the computer that a log was recorded on, from /proc and /sys. Unreadable values are empty or 0.
#pragma once

#include <cstdint>
#include <string>

namespace brokkr {

struct MachineFacts {
  std::string processor;  // "AMD EPYC 9654 96-Core Processor"
  int cores = 0;          // hardware threads
  bool virtual_machine = false;
  uint64_t memory_kib = 0;
  std::string system;       // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;       // "6.1.0-13-amd64"
  std::string governor;     // of the first core: "performance"
  std::string gpu, driver;  // of NVIDIA's GPU and kernel driver, if present
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

}  // namespace brokkr
