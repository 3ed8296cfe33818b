#include "cli/bench_memory.h"

#include <malloc.h>

#include <fstream>
#include <string>

namespace brokkr::app {

void reset_peak_memory() {
  malloc_trim(0);  // memory that earlier work freed does not count as this work's
  std::ofstream file("/proc/self/clear_refs");
  file << "5";  // proc(5): resets VmHWM
}

uint64_t peak_memory_kib() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    uint64_t value = 0;
    if (word == "VmHWM:" && file >> value) return value;
  }
  return 0;
}

}  // namespace brokkr::app
