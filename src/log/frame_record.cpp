#include "log/frame_record.h"

#include <algorithm>

namespace brokkr {

void fill_record(const Statistics& s, double frame_ms, FrameRecord& record) {
  const bool gpu = s.machine == "cuda";
  record.gpu_busy_ms = gpu ? s.frame_ms : 0;
  record.cpu_busy_ms = std::max(0.0, frame_ms - record.gpu_busy_ms);
  record.pattern = s.pattern;
  record.rasterizers = s.rasterizers;
  record.bin = s.bin;
  record.geometry_ms = record.raster_ms = 0;
  for (const BlockTime& block : s.block_times) {
    record.geometry_ms += block.ms[size_t(Stage::geometry)];
    record.raster_ms += block.ms[size_t(Stage::rasterize)];
  }
  if (!s.block_times.empty()) {
    record.geometry_ms /= double(s.block_times.size());
    record.raster_ms /= double(s.block_times.size());
  }
  record.resolve_ms = s.read_back_ms;
  record.queue_peak = s.queue_peak;
  record.triangles = s.triangles_out;
  record.fragments = s.fragments;
}

}  // namespace brokkr
