#include "cli/bench_curves.h"

#include <algorithm>
#include <array>
#include <memory>

#include "cli/bench_report.h"

namespace brokkr::app {
namespace {

struct Point {
  Workload workload;
  std::string series;
  double x = 0;
  int workers = 0;  // 0: as the options say
};

Point point(const char* curve, const std::string& file, BenchShading shading, double x, const std::string& series,
            const LoadOptions& load = {}) {
  Point result{make_workload(file, shading, load), series, x};
  result.workload.group = curve;
  return result;
}

// A displaced sphere over 60 % of 1080p, flat, with ever smaller triangles.
void add_triangles(std::vector<Point>& points) {
  for (const int count : {1000, 3000, 10'000, 30'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000}) {
    points.push_back(point("triangles", "generated:sphere-1m?triangles=" + std::to_string(count), BenchShading::flat,
                           count, "sphere"));
  }
}

// Pictures of 16:9: the sphere's triangles stay as they are and grow.
void add_pixels(std::vector<Point>& points) {
  constexpr std::array<std::array<int, 2>, 8> kSizes = {
      {{426, 240}, {640, 360}, {960, 540}, {1280, 720}, {1920, 1080}, {2560, 1440}, {3840, 2160}, {7680, 4320}}};
  for (const BenchShading shading : {BenchShading::flat, BenchShading::textured}) {
    for (const auto& [width, height] : kSizes) {
      LoadOptions load;
      load.width = width;
      load.height = height;
      points.push_back(point("pixels", "generated:sphere-100k", shading, double(width) * height,
                             std::string("sphere, ") + shading_name(shading), load));
    }
  }
}

// Up to twice the processor's cores.
void add_workers(std::vector<Point>& points) {
  for (const char* name : {"sphere-1m", "overlap-10k", "city"}) {
    for (const int workers : {1, 2, 4, 8}) {
      Point added = point("workers", std::string("generated:") + name, BenchShading::flat, workers, name);
      added.workers = workers;
      points.push_back(std::move(added));
    }
  }
}

// The same 120 000 triangles in more and more draws.
void add_draws(std::vector<Point>& points) {
  for (const int draws : {1, 10, 100, 1000, 10'000, 100'000}) {
    points.push_back(point("draws", "generated:sphere-100k?triangles=120000&draws=" + std::to_string(draws),
                           BenchShading::flat, draws, "sphere"));
  }
}

void add_views(std::vector<Point>& points) {
  for (const int views : {1, 4, 16, 64, 256, 1024, 4096}) {
    LoadOptions load;
    load.views = views;
    load.width = load.height = load.view_size;
    points.push_back(point("views", "generated:views", BenchShading::flat, views, "128 x 128", load));
  }
}

// Layers of a thousand large triangles each over the whole picture, in random depth order.
void add_overdraw(std::vector<Point>& points) {
  for (const BenchShading shading : {BenchShading::flat, BenchShading::textured}) {
    for (const int depth : {1, 2, 4, 8, 16, 32, 64}) {
      points.push_back(
          point("overdraw",
                "generated:overlap-10k?triangles=" + std::to_string(1000 * depth) + "&depth=" + std::to_string(depth),
                shading, depth, std::string("layers, ") + shading_name(shading)));
    }
  }
}

struct Curve {
  const char* name;
  void (*add)(std::vector<Point>&);
};
// Workers come last (run_curves).
constexpr Curve kCurves[] = {{"triangles", add_triangles}, {"pixels", add_pixels},     {"draws", add_draws},
                             {"views", add_views},         {"overdraw", add_overdraw}, {"workers", add_workers}};

BenchRow measure(Bench& bench, const Point& at, Progress& progress) {
  RenderOptions render = bench.options().render;
  if (at.workers > 0) render.workers = at.workers;
  BenchRow row = bench.measure(at.workload, render, progress);
  row.series = at.series;
  row.x = at.x;
  return row;
}

// A peer with another number of threads is another process.
void measure_workers(std::vector<Point> points, const BenchOptions& options, const std::vector<PeerSetup>& peers,
                     const std::filesystem::path& program, const std::filesystem::path& folder,
                     std::vector<BenchRow>& rows, Progress& progress) {
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.workers < b.workers; });
  for (size_t i = 0; i < points.size();) {
    std::vector<PeerSetup> setups;
    for (const PeerSetup& peer : peers) {
      if (peer.family != "gpu") setups.push_back(with_threads(peer, points[i].workers));
    }
    Bench bench(options, setups, program, folder);
    for (const int workers = points[i].workers; i < points.size() && points[i].workers == workers; ++i)
      rows.push_back(measure(bench, points[i], progress));
  }
}

}  // namespace

CurveRun run_curves(const std::vector<std::string>& names, const BenchOptions& options,
                    const std::vector<PeerSetup>& peers, const std::filesystem::path& program,
                    const std::filesystem::path& folder, Progress& progress) {
  CurveRun run;
  auto bench = std::make_unique<Bench>(options, peers, program, folder);
  run.environment = bench_environment(*bench);
  for (const Curve& curve : kCurves) {
    if (!names.empty() && std::find(names.begin(), names.end(), curve.name) == names.end()) continue;
    std::vector<Point> points;
    curve.add(points);
    if (points.front().workers > 0) {
      bench.reset();  // of the last curve, whose memory would count as this one's
      measure_workers(std::move(points), options, peers, program, folder, run.rows, progress);
    } else {
      for (const Point& at : points) run.rows.push_back(measure(*bench, at, progress));
    }
  }
  return run;
}

}  // namespace brokkr::app
