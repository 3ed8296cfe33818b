#include "ranks/report.h"

namespace brokkr::ranks {

nlohmann::ordered_json to_json(const RankReport& r) {
  return {{"rank", r.rank},
          {"host", r.host},
          {"machine", r.machine},
          {"workers", r.workers},
          {"link", r.link},
          {"segments", r.segments},
          {"merges", r.distribution.merges},
          {"frame_primitives", r.frame_primitives},
          {"projected", r.distribution.projected},
          {"drawn", r.drawn_primitives},
          {"taken_from", r.distribution.taken_from},
          {"fragments", r.fragments},
          {"cut_off", r.cut_off},
          {"id_bytes", r.distribution.id_bytes},
          {"exchanges", r.exchanges},
          {"exchange_bytes", r.exchange_bytes},
          {"picture_bytes", r.picture_bytes},
          {"frame_bytes", r.frame_bytes},
          {"target_bytes", r.target_bytes},
          {"project_ms", r.distribution.project_ms},
          {"wait_ms", r.distribution.wait_ms},
          {"launch_ms", r.launch_ms},
          {"exchange_ms", r.exchange_ms},
          {"picture_ms", r.picture_ms},
          {"frame_ms", r.frame_ms},
          {"no_primitive_ms", r.no_primitive_ms()},
          {"stall_ms", r.stall_ms()},
          {"sync_ms", r.sync_ms()}};
}

}  // namespace brokkr::ranks
