// Batches of a whole frame as a reuse strategy forms them, found before rendering (batch/predict.h).
//
// A batch of the model becomes one batch of the pipeline, whatever its size, so that the vertex shader runs as often as
// predicted. It is worked off in chunks that a warp can hold: a chunk ends before its 33rd triangle or its 33rd vertex
// shader run. Results stay in slots for as long as a later chunk of the batch uses them; no model needs more than 128
// slots (Intel's remembers 128 vertices, AMD's 15 beside the chunk's own 32).
#pragma once

#include <cstdint>
#include <vector>

#include "scene/frame_tables.h"

namespace brokkr {

enum class ReuseMode : uint8_t;

struct ReusePlan {
  ReuseMode mode{};
  std::vector<PlannedBatch> batches;
  std::vector<ReuseChunk> chunks;
  std::vector<uint32_t> corners, shade_vertex, shade_slot;
  std::vector<uint32_t> draw_end;  // per draw record: the first batch after it
  uint32_t max_triangles = 1;      // of a batch
  uint64_t version = 0;            // unique, for copies of it
  double plan_ms = 0;

  uint64_t bytes() const;
};

}  // namespace brokkr
