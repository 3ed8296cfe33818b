// Writes the counts of a timed run as JSON.
#include "simt/report_json.h"

namespace brokkr::simt {
namespace {

nlohmann::ordered_json json_of(const Occupancy& o) {
  nlohmann::ordered_json json;
  for (uint32_t c = 0; c < kOccupancyClasses; ++c) json[kClasses[c]] = o[c];
  return json;
}

}  // namespace

nlohmann::ordered_json json_of(const Statistics& s, uint32_t warp) {
  nlohmann::ordered_json json;
  for (const NamedCount& c : kCounts) json[c.name] = s.*c.field;
  json["instructions_per_cycle"] = s.ipc();
  json["lanes_used"] = s.efficiency(warp);
  json["off_chip_read_bytes"] = s.off_chip.read;
  json["off_chip_written_bytes"] = s.off_chip.written;
  json["spawn_read_bytes"] = s.spawn.read;
  json["spawn_written_bytes"] = s.spawn.written;
  json["occupancy"] = json_of(s.occupancy);
  json["window_cycles"] = s.window_cycles;
  for (const Occupancy& w : s.windows) json["windows"].push_back(json_of(w));
  return json;
}

}  // namespace brokkr::simt
