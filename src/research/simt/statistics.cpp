#include "simt/statistics.h"

#include <algorithm>

namespace brokkr::simt {

void Timeline::count(uint64_t cycle, uint32_t which, uint64_t n) {
  while (cycle >> shift_ >= kMaxWindows) {
    for (size_t i = 0; i < windows_.size(); ++i) {
      if (i % 2 == 0) {
        windows_[i / 2] = windows_[i];
      } else {
        for (uint32_t c = 0; c < kOccupancyClasses; ++c) windows_[i / 2][c] += windows_[i][c];
      }
    }
    windows_.resize((windows_.size() + 1) / 2);
    ++shift_;
  }
  const size_t window = size_t(cycle >> shift_);
  if (window >= windows_.size()) windows_.resize(window + 1);
  windows_[window][which] += n;
}

void Timeline::count_range(uint64_t begin, uint64_t end, uint32_t which, uint64_t each_cycle) {
  while (begin < end) {
    const uint64_t stop = std::min(end, ((begin >> shift_) + 1) << shift_);
    count(begin, which, (stop - begin) * each_cycle);
    begin = stop;
  }
}

void Timeline::finish(Statistics& s) const {
  s.windows = windows_;
  s.window_cycles = uint64_t(1) << shift_;
  s.occupancy = {};
  for (const Occupancy& w : windows_) {
    for (uint32_t c = 0; c < kOccupancyClasses; ++c) s.occupancy[c] += w[c];
  }
}

void Statistics::add(const Statistics& next) {
  for (const auto field : {&Statistics::steps,
                           &Statistics::instructions,
                           &Statistics::lanes,
                           &Statistics::worked,
                           &Statistics::launched,
                           &Statistics::spawned,
                           &Statistics::spawned_warps,
                           &Statistics::flushed_warps,
                           &Statistics::diverge_pdom,
                           &Statistics::diverge_spawn,
                           &Statistics::conflicts,
                           &Statistics::fixed,
                           &Statistics::atomics_waited,
                           &Statistics::l1_hits,
                           &Statistics::l1_misses,
                           &Statistics::l2_hits,
                           &Statistics::l2_misses,
                           &Statistics::requested_read,
                           &Statistics::requested_written,
                           &Statistics::cycles})
    this->*field += next.*field;
  for (const auto traffic : {&Statistics::off_chip, &Statistics::spawn}) {
    (this->*traffic).read += (next.*traffic).read;
    (this->*traffic).written += (next.*traffic).written;
  }
  for (uint32_t c = 0; c < kOccupancyClasses; ++c) occupancy[c] += next.occupancy[c];
  if (next.cycles > window_cycles * windows.size()) {  // the picture shows the longer launch
    windows = next.windows;
    window_cycles = next.window_cycles;
  }
}

// Writes the counts of a timed run as JSON.

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
