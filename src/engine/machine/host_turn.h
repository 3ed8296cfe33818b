// What the thread that waits for a launch does between two pieces of its own work for it.
#pragma once

namespace brokkr {

// A function of the host that one warp of a launch on the CPU calls often: before each decision and each piece of work.
struct HostTurn {
  void (*look)(void* of) = nullptr;  // null: nothing is called
  void* of = nullptr;
};

}  // namespace brokkr
