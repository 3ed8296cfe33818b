// Reads a running frame's progress from the words that its blocks share. It distinguishes a slow frame from one that
// hangs, and reports where a frame hangs.
#pragma once

#include <cstdint>
#include <string>

#include "raster/raster_tables.h"

namespace brokkr {

// Copies of the shared words. Blocks may have changed some words while others were copied.
struct FrameWords {
  const ScheduleControl* control = nullptr;
  const RasterizerState* rasterizer = nullptr;  // [rasterizers]
  const uint32_t* claimed = nullptr;            // one bit for each (RasterizerBitTables)
  const QueueControl* queue = nullptr;          // [rasterizers]
  const QueueControl* free_blocks = nullptr;    // free list of the triangle store
  const uint32_t* abort = nullptr;              // an AbortLevel
  uint32_t tasks = 0, rasterizers = 0, phases = 0;
};

// A number that changes with every step towards the frame's end, and only then. Blocks that only poll, claim and
// release leave it unchanged.
uint64_t progress_of(const FrameWords& words);
// A one-line summary: "12 of 40 tasks are complete, 3 of 510 rasterizers have finished".
std::string progress_text(const FrameWords& words);
// A full report, one line per item: the schedule, the store, and the first unfinished rasterizers. Rasterizers that a
// block has claimed come first.
std::string report_text(const FrameWords& words);

}  // namespace brokkr
