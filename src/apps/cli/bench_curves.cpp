#include "cli/bench_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/bench_report.h"

namespace brokkr::app {
namespace {

// What the values of a curve are, but for {} in its scene.
enum class Value : uint8_t { of_scene, height, views, workers };

struct Curve {
  const char* name;
  const char* scene;  // a generated one; {0} stands for the value
  const char* series;
  std::vector<BenchShading> shadings;
  std::vector<int> values;
  Value kind = Value::of_scene;
};

const std::vector<Curve>& curves() {
  constexpr auto flat = BenchShading::flat, textured = BenchShading::textured;
  static const std::vector<int> cores = {1, 2, 4, 8};
  static const std::vector<Curve> all = {
      // A displaced sphere over 60 % of 1080p with ever smaller triangles.
      {"triangles",
       "sphere-1m?triangles={0}",
       "sphere",
       {flat},
       {1000, 3000, 10'000, 30'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000}},
      // Pictures of 16:9: the sphere's triangles stay as they are and grow.
      {"pixels",
       "sphere-100k",
       "sphere",
       {flat, textured},
       {240, 360, 540, 720, 1080, 1440, 2160, 4320},
       Value::height},
      // The same 120 000 triangles in more and more draws.
      {"draws", "sphere-100k?triangles=120000&draws={0}", "sphere", {flat}, {1, 10, 100, 1000, 10'000, 100'000}},
      {"views", "views", "128 x 128", {flat}, {1, 4, 16, 64, 256, 1024, 4096}, Value::views},
      // Layers of a thousand large triangles each over the whole picture, in random depth order.
      {"overdraw", "overlap-10k?triangles={0}000&depth={0}", "layers", {flat, textured}, {1, 2, 4, 8, 16, 32, 64}},
      {"workers", "sphere-1m", "sphere-1m", {flat}, cores, Value::workers},
      {"workers", "overlap-10k", "overlap-10k", {flat}, cores, Value::workers},
      {"workers", "city", "city", {flat}, cores, Value::workers}};
  return all;
}

struct Point {
  Workload workload;
  std::string series;
  double x = 0;
  int workers = 0;  // 0: as the options say
};

void add_points(const Curve& curve, std::vector<Point>& points) {
  for (const BenchShading shading : curve.shadings) {
    for (const int value : curve.values) {
      LoadOptions load;
      Point point{.series = curve.series, .x = double(value)};
      if (curve.kind == Value::height) {
        load.width = value * 16 / 9;
        load.height = value;
        point.x = double(load.width) * load.height;
      } else if (curve.kind == Value::views) {
        load.views = value;
        load.width = load.height = load.view_size;
      } else if (curve.kind == Value::workers) {
        point.workers = value;
      }
      if (curve.shadings.size() > 1) point.series += std::string(", ") + shading_name(shading);
      const std::string scene = fmt::format(fmt::runtime(curve.scene), value);
      point.workload = make_workload("generated:" + scene, shading, load);
      point.workload.group = curve.name;
      points.push_back(std::move(point));
    }
  }
}

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
  for (size_t i = 0; i < points.size() && !options.stopped();) {
    std::vector<PeerSetup> setups;
    for (const PeerSetup& peer : peers) {
      if (peer.family != "gpu") setups.push_back(with_threads(peer, points[i].workers));
    }
    Bench bench(options, setups, program, folder);
    for (const int workers = points[i].workers; i < points.size() && points[i].workers == workers && !options.stopped();
         ++i)
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
  std::vector<Point> of_workers;
  for (const Curve& curve : curves()) {
    if (!names.empty() && std::find(names.begin(), names.end(), curve.name) == names.end()) continue;
    std::vector<Point> points;
    add_points(curve, curve.kind == Value::workers ? of_workers : points);
    for (const Point& at : points) {
      if (!options.stopped()) run.rows.push_back(measure(*bench, at, progress));
    }
  }
  bench.reset();  // of the last curve, whose memory would count as that of the next
  measure_workers(std::move(of_workers), options, peers, program, folder, run.rows, progress);
  return run;
}

}  // namespace brokkr::app
