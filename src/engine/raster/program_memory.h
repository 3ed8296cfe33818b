// One warp's memory for fragment programs: plain data, the same on every machine.
#pragma once

#include "shader/program_tables.h"
#include "target/target_tables.h"

namespace brokkr {

inline constexpr int kProgramLanes = 64;                // of a run, at most; some machines take fewer
inline constexpr int kProgramRoom = kTileSamples + 32;  // vectors may end behind the last sample

// Behind it lie masks, registers, outputs by lane, and results: the same by sample.
struct alignas(64) ProgramMemory {
  shader::ShaderCall call;
  // Arrays begin with a line of the cache, so that no vector of theirs lies across two.
  //
  // The samples of a tile, and of those that programs have shaded their colours as stored.
  alignas(64) uint32_t primitive[kProgramRoom], low[kProgramRoom], high[kProgramRoom];
  float depth[kProgramRoom];  // of the samples that wait for a run (raster/tile.h)
  // The lanes of a run: which sample of the tile, where they are not in place, and whose.
  uint32_t sample[kProgramRoom], of_lane[kProgramRoom];
  int32_t lanes;      // that take part, where they are not in place
  uint32_t vectors;   // bit k: vector k has lanes that take part
  uint32_t in_place;  // lane i is sample i, and outputs are results
  uint32_t in_order;  // lane i is sample sample[0] + i
  uint32_t of_one;    // all lanes are of one primitive, that of the first lane that takes part
};
static_assert(sizeof(ProgramMemory) % 64 == 0);

// Lookups of shaders that are linked into CUDA's kernel (LookupMemory of shade/linked_call.h).
inline constexpr size_t kLookupBytes = 128 + (shader::kMostResults + shader::kMostOperands) * 32 * sizeof(uint32_t);
static_assert(kLookupBytes % 64 == 0);

// 64-byte units from the beginning of a ProgramMemory to its parts.
struct ProgramLayout {
  size_t masks, lookups, registers, outputs, results, bytes;

  constexpr explicit ProgramLayout(const ProgramSizes& sizes)
      : masks(sizeof(ProgramMemory)),
        lookups(masks + (size_t(sizes.masks) * sizeof(uint64_t) + 63) / 64 * 64),
        registers(lookups + kLookupBytes),
        outputs(registers + size_t(sizes.registers) * kProgramLanes * sizeof(uint32_t)),
        results(outputs + size_t(sizes.outputs) * kProgramLanes * sizeof(uint32_t)),
        bytes(results + size_t(sizes.outputs) * kTileSamples * sizeof(uint32_t) + 64) {}  // vectors may end behind
};

}  // namespace brokkr
