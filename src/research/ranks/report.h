// What a rank did for a frame: counts that are its alone, and where its time went.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ranks/distribute.h"

namespace brokkr::ranks {

struct RankReport {
  int rank = 0, workers = 0;
  std::string host, machine, link;  // link: how targets go, LinkMode's name
  uint64_t segments = 0;            // one more than targets were exchanged in the midst of the frame
  uint64_t frame_primitives = 0;    // of the whole frame
  uint64_t drawn_primitives = 0;    // that this rank's pipeline took in
  uint64_t fragments = 0;
  bool cut_off = false;  // by the frame's budget
  DistributionCounts distribution;
  uint64_t exchanges = 0, exchange_bytes = 0;  // targets that others read, sent to all of them
  uint64_t picture_bytes = 0;                  // sent to rank 0
  uint64_t frame_bytes = 0, target_bytes = 0;  // memory
  double launch_ms = 0;                        // the pipeline's
  double exchange_ms = 0, picture_ms = 0;
  double frame_ms = 0;  // all of it, preparation apart

  // Cycle stack [Kim17, figure 15], here of a whole rank's time: no primitive to draw is there, as this rank projects
  // or waits for others; the pipeline draws; targets are exchanged. The finished picture's way to rank 0 is none of
  // them.
  double no_primitive_ms() const { return distribution.project_ms + distribution.wait_ms; }
  double stall_ms() const { return launch_ms; }
  double sync_ms() const { return exchange_ms; }
};

nlohmann::ordered_json to_json(const RankReport& report);

}  // namespace brokkr::ranks
