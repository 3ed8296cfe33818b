// A frame, drawn by several ranks.
#pragma once

#include <vector>

#include "brokkr/renderer.h"
#include "ranks/report.h"
#include "ranks/settings.h"
#include "ranks/transport.h"

namespace brokkr::ranks {

// Draws the frame with all ranks, each of which calls this with the same frame, options and settings; machine, workers
// and the like may differ. At rank 0 the planes that `composed` names are those that one rank alone would have drawn,
// bit for bit, with the identifiers that options.keep_ids asks for; the others know their own squares. Statistics are
// those of all launches of this rank together. Nothing composed: no pictures are returned. Throws what Renderer::render
// throws, and std::runtime_error where a rank does not answer.
RenderResult render(Renderer& renderer, PreparedFrame& frame, const RenderOptions& options,
                    const RankSettings& settings, const std::vector<PlaneUse>& composed, Talk& talk,
                    RankReport& report);

// Throws std::invalid_argument for options of the pipeline that pictures of several ranks cannot have.
void check_options(const RenderOptions& options);
// Why several ranks cannot draw this frame so; empty where they can.
std::string why_not(const PreparedFrame& frame, const RenderOptions& options);

// Workers for a rank that was not told how many: its cores, or its part of them where ranks on this computer share
// them.
int usual_workers();

// What all ranks must agree on, of a frame that they load each for themselves.
uint64_t frame_hash(const Frame& frame);

}  // namespace brokkr::ranks
