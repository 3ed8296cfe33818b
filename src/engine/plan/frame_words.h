// How far a frame's kernel is, by the words that its blocks share: what tells a slow frame from one that hangs, and
// says where that one hangs.
#pragma once

#include <cstdint>
#include <string>

#include "raster/raster_tables.h"

namespace brokkr {

// Copies of the words, which blocks may have changed while they were made.
struct FrameWords {
  const ScheduleControl* control = nullptr;
  const RasterizerState* rasterizer = nullptr;  // [rasterizers]
  const uint32_t* claimed = nullptr;            // a bit for each (RasterizerBitTables)
  const QueueControl* queue = nullptr;          // [rasterizers]
  const QueueControl* free_blocks = nullptr;    // of the triangle store
  const uint32_t* abort = nullptr;              // AbortLevel
  uint32_t tasks = 0, rasterizers = 0, phases = 0;
};

// A number that changes with every step towards the frame's end, and with nothing else: blocks that only ask, claim and
// give back leave it as it is.
uint64_t progress_of(const FrameWords& words);
// In a few words: "12 of 40 tasks are complete, 3 of 510 rasterizers have finished".
std::string progress_text(const FrameWords& words);
// All words that matter, a line each: the schedule's, the store's, and those of the first rasterizers that have not
// finished, beginning with those that a block holds.
std::string report_text(const FrameWords& words);

}  // namespace brokkr
