// Measures how long threads of this program were ready to run but waited for a processor.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace brokkr {

// Waiting time in ns since each thread's start, by thread. Empty if the system does not report it.
using ThreadWaits = std::map<std::string, uint64_t>;
ThreadWaits thread_waits();

// The longest wait of a single thread between two moments, in ms.
double longest_wait_ms(const ThreadWaits& before, const ThreadWaits& after);

// Processor time of all threads since the program's start, in ms.
double processor_ms();

}  // namespace brokkr
