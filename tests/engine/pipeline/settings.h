// The choices that must not change a picture: every field of RenderOptions that affects only performance.
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
// that runs here, and the emulated machine. The first setting is the CPU's default.
std::vector<Setting> all_settings();

// A few settings that differ as much as possible, for tests of other topics.
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
