// Forked processes. A child of fork() has one thread, and its copies of the parent's threads and locks are useless.
// Classes that keep threads start new ones in a child.
#pragma once

#include <cstdint>
#include <memory>

namespace brokkr {

// A number that differs between a process and each child that it forks.
uint64_t process_number();

// Keeps objects for ever that a child inherited from its parent, and that it can neither use nor destroy.
void leave_behind(std::shared_ptr<void> remains);

}  // namespace brokkr
