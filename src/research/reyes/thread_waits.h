// How long threads of this program were ready to run, and waited for a processor that others had.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace brokkr {

// Since its start, by thread, ns. Empty where the system does not tell.
using ThreadWaits = std::map<std::string, uint64_t>;
ThreadWaits thread_waits();

// The longest wait of one thread between two moments, ms.
double longest_wait_ms(const ThreadWaits& before, const ThreadWaits& after);

// What all threads had of the processors since the program's start, ms.
double processor_ms();

}  // namespace brokkr
