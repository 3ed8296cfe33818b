// Counters of the stages: one array per warp, summed at the end of the launch.
#pragma once

#include "geometry/counter_names.h"
#include "machine/machine.h"

BROKKR_MACHINE_BEGIN

struct Counters {
  uint64_t value[kCounters];
  BROKKR_FN void add(Warp& w, Counter c, uint64_t n) {
    w.once([&] { value[int(c)] += n; });
  }
  BROKKR_FN void peak(Warp& w, Counter c, uint64_t n) {
    w.once([&] {
      if (n > value[int(c)]) value[int(c)] = n;
    });
  }
};

BROKKR_MACHINE_END
