// Stamps record when, and by which warp of which block, a sample's colour was last written
// (RenderOptions::keep_stamps).
#pragma once

#include "geometry/features.h"
#include "machine/clock.h"
#include "machine/machine.h"
#include "target/target_tables.h"

BROKKR_MACHINE_BEGIN

// Stamps the lanes `m` of the samples from `first` on, which lie in one tile. Lanes get consecutive orders and the same
// time.
BROKKR_FN_NOINLINE void write_stamps(Warp& w, const TargetTables& planes, size_t first, Mask m) {
  uint32_t* const words = planes.stamps.get();
  const uint32_t count = uint32_t(w.count(m));
  if (count == 0) return;
  const uint32_t last =
      w.uniform([&]() -> uint32_t { return device_atomic<uint32_t>(*words).fetch_add(count, kRelaxed); });
  const uint32_t time = w.uniform([&]() -> uint32_t { return uint32_t(clock_ns() >> kStampTimeShift); });
  uint32_t* const entry =
      words + kStampHead + first / kTileSamples * size_t(kStampWords * kTileSamples) + first % kTileSamples;
  w.merge(entry, w.inclusive_count(m) + last, m);
  w.merge(entry + kTileSamples, Uint(time), m);
  w.merge(entry + 2 * kTileSamples, Uint(planes.block), m);
  w.merge(entry + 3 * kTileSamples, Uint(uint32_t(w.index)), m);
}

// Stamps if the frame keeps stamps. Kernels without the feature contain no code for it.
BROKKR_FN void stamp(Warp& w, const TargetTables& planes, size_t first, Mask m) {
  if constexpr (kKernelFeatures & kFeatureStamps) {
    if (planes.stamps) write_stamps(w, planes, first, m);
  }
}

BROKKR_MACHINE_END
