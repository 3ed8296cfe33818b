// Forked processes. A child of fork() has one thread, and its copies of the parent's threads and locks are of no use:
// whoever keeps threads makes new ones in a child.
#pragma once

#include <cstdint>
#include <memory>

namespace brokkr {

// A number that differs between a process and the children that it forks.
uint64_t process_number();

// Keeps for ever what a child has of its parent and can neither use nor destroy.
void leave_behind(std::shared_ptr<void> remains);

}  // namespace brokkr
