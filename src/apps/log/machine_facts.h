// The computer that a log was recorded on, from /proc and /sys. What cannot be read is empty or 0.
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
  std::string governor;     // of the first core's clock: "performance"
  std::string gpu, driver;  // NVIDIA's GPU and kernel driver, where there is one
};
MachineFacts machine_facts();

struct MemoryUse {
  uint64_t used_kib = 0;      // of the whole computer: what is not available
  uint64_t swap_kib = 0;      // swapped out
  uint64_t resident_kib = 0;  // of this process
};
MemoryUse memory_use();

// The most memory that this process held since a moment of one's choice, in KiB (VmHWM); 0: not known. Resetting makes
// it what is held now, and does nothing where the kernel refuses.
void reset_peak_memory();
uint64_t peak_memory_kib();

int processor_mhz();  // the fastest core now; 0: not known

std::string program_commit();  // "91e6a62", with "+" where the sources differed from it
std::string command_line();    // of this process, words joined by blanks
std::string utc_now();         // "2026-11-21 14:25:35 UTC"

}  // namespace brokkr
