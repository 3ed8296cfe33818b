// The choices that must not change a picture: everything in RenderOptions that is about how, not what.
#pragma once

#include <string>
#include <vector>

#include "brokkr/renderer.h"

namespace brokkr {

struct Setting {
  std::string name;
  RenderOptions options;
};

// Every pattern, bin size, number of workers, ownership, order mode, reuse mode and policy, each CPU instruction set
// that runs here, and the emulated machine. The first is the plain default of the CPU.
std::vector<Setting> all_settings();

// A few that differ in as much as possible, for tests that are about something else.
std::vector<Setting> some_settings();

// Number from the environment, for longer runs: BROKKR_SOUP_SEEDS=1000.
int seeds_or(int number);

namespace test {

// The best CPU machine, with two workers.
inline RenderOptions cpu() {
  RenderOptions o;
  o.machine = MachineKind::cpu;
  o.workers = 2;
  return o;
}

}  // namespace test

}  // namespace brokkr
