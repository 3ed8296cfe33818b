// One warp's memory for fragment programs: plain data, the same on every machine.
#pragma once

#include "shader/program_tables.h"
#include "target/target_tables.h"

namespace brokkr {

inline constexpr int kProgramLanes = 64;                // upper bound for one run; some machines use fewer
inline constexpr int kProgramRoom = kTileSamples + 32;  // vectors may extend beyond the last sample

// In memory, masks, registers, outputs by lane, and results follow this structure. Results are outputs by sample.
struct alignas(64) ProgramMemory {
  shader::ShaderCall call;
  // Arrays start on a cache line, so that no vector crosses two lines.
  //
  // The tile's samples: their primitives, and the stored colours of samples that programs have shaded.
  alignas(64) uint32_t primitive[kProgramRoom], low[kProgramRoom], high[kProgramRoom];
  float depth[kProgramRoom];  // depths of the samples that wait for a run (raster/tile.h)
  // The lanes of a run, unless it is in place: the sample of each lane in the tile, and its primitive.
  uint32_t sample[kProgramRoom], lane_primitive[kProgramRoom];
  int32_t lanes;           // number of active lanes, unless the run is in place
  uint32_t vectors;        // bit k: vector k has active lanes
  uint32_t in_place;       // lane i is sample i, and outputs are results
  uint32_t in_order;       // lane i is sample sample[0] + i
  uint32_t one_primitive;  // all lanes belong to the primitive of the first active lane
};
static_assert(sizeof(ProgramMemory) % 64 == 0);

// Memory for texture lookups of shaders that are linked into CUDA's kernel (LookupMemory of shade/linked_call.h).
inline constexpr size_t kLookupBytes = 128 + (shader::kMaxResults + shader::kMaxOperands) * 32 * sizeof(uint32_t);
static_assert(kLookupBytes % 64 == 0);

// Offsets of the parts that follow a ProgramMemory, in units of 64 bytes.
struct ProgramLayout {
  size_t masks, lookups, registers, outputs, results, bytes;

  constexpr explicit ProgramLayout(const ProgramSizes& sizes)
      : masks(sizeof(ProgramMemory)),
        lookups(masks + (size_t(sizes.masks) * sizeof(uint64_t) + 63) / 64 * 64),
        registers(lookups + kLookupBytes),
        outputs(registers + size_t(sizes.registers) * kProgramLanes * sizeof(uint32_t)),
        results(outputs + size_t(sizes.outputs) * kProgramLanes * sizeof(uint32_t)),
        // vectors may extend beyond the end
        bytes(results + size_t(sizes.outputs) * kTileSamples * sizeof(uint32_t) + 64) {}
};

}  // namespace brokkr
