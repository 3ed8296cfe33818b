// The most memory that this process held since a chosen moment.
#pragma once

#include <cstdint>

namespace brokkr::app {

// Begins a new measurement: the peak becomes the memory that is held now. Does nothing where the kernel refuses.
void reset_peak_memory();

// Peak resident memory since then, in KiB (VmHWM); 0 where it is not known.
uint64_t peak_memory_kib();

}  // namespace brokkr::app
