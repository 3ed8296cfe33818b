// A call of the host from a launch: the thread that waits for the launch works for it, and looks after it in between.
#pragma once

namespace brokkr {

// A function of the host that one warp of a launch on the CPU calls often: before each decision and each piece of work.
struct HostTurn {
  void (*look)(void* argument) = nullptr;  // null: nothing is called
  void* argument = nullptr;
};

}  // namespace brokkr
