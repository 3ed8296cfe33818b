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

std::string to_csv(const std::vector<nlohmann::ordered_json>& reports) {
  std::string text;
  const auto line = [&](const nlohmann::ordered_json& report, bool names) {
    std::string cells;
    for (const auto& [name, value] : report.items()) {
      if (!cells.empty()) cells += ',';
      if (names) {
        cells += name;
      } else if (value.is_array()) {  // a list is one cell
        std::string list;
        for (const auto& element : value) list += (list.empty() ? "" : " ") + element.dump();
        cells += list;
      } else {
        cells += value.is_string() ? value.get<std::string>() : value.dump();
      }
    }
    text += cells + "\n";
  };
  if (!reports.empty()) line(reports.front(), true);
  for (const nlohmann::ordered_json& report : reports) line(report, false);
  return text;
}

}  // namespace brokkr::ranks
