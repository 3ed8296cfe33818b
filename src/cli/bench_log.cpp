#include "cli/bench_log.h"

#include <chrono>
#include <sstream>

namespace brokkr::cli {

std::string frame_log(const Workload& workload, const BenchOptions& options, Progress& progress) {
  using Clock = std::chrono::steady_clock;
  progress.show("loading " + workload.name);
  const Frame frame = load_workload(workload.file, workload.load);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions render = options.render;
  render.shading = workload.brokkr_shading();
  std::ostringstream csv;
  csv << "frame,ms,launch_ms,geometry_ms,raster_ms,triangles,fragments,fragments_shaded\n";
  for (int i = 0; i < options.frames; ++i) {
    if (i % 64 == 0) progress.show("frame " + std::to_string(i) + " of " + std::to_string(options.frames));
    const auto begin = Clock::now();
    const RenderResult result = renderer.render(prepared, render, false);
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    const Statistics& s = result.statistics;
    double geometry = 0, raster = 0;
    for (const BlockTime& block : s.block_times) {
      geometry += block.ms[size_t(Stage::geometry)];
      raster += block.ms[size_t(Stage::rasterize)];
    }
    csv << i << ',' << fixed(ms, 4) << ',' << fixed(s.frame_ms, 4) << ',' << fixed(geometry, 4) << ','
        << fixed(raster, 4) << ',' << s.triangles_out << ',' << s.fragments << ',' << s.fragments_shaded
        << '\n';
  }
  return csv.str();
}

}  // namespace brokkr::cli
