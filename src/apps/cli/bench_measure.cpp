#include "cli/bench_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>

#include "cli/bench_report.h"
#include "log/machine_facts.h"
#include "machine/cpu_isa.h"

namespace brokkr::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBenchWarmUp = 2;

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double percent(size_t part, size_t all) { return all == 0 ? 0 : 100.0 * double(part) / double(all); }

double depth_difference(const std::vector<float>& a, const std::vector<float>& b) {
  size_t count = 0;
  for (size_t i = 0; i < a.size(); ++i) count += !(std::abs(double(a[i]) - double(b[i])) <= kBenchDepthTolerance);
  return percent(count, a.size());
}

// Channel c of pixel i, from 0 to 1. Floats outside this range stay as they are, unless `as_byte` limits them to what a
// byte can hold.
template <class Picture>
double channel_of(const Picture& picture, size_t i, size_t c, bool as_byte) {
  if (!picture.color.empty()) return double(picture.color[i] >> (8 * c) & 0xff) / 255;
  const auto value = double(picture.color_float[4 * i + c]);
  return as_byte ? std::clamp(value, 0.0, 1.0) : value;
}

// The difference in red, green and blue; alpha is never shown.
double color_difference(const Layer& ours, const PeerPicture& theirs, double tolerance) {
  size_t count = 0;
  const size_t pixels = ours.depth.size();
  for (size_t i = 0; i < pixels; ++i) {
    double worst = 0;
    for (size_t c = 0; c < 3; ++c) {
      const double difference = channel_of(ours, i, c, !theirs.color.empty()) - channel_of(theirs, i, c, false);
      worst = std::max(worst, std::isnan(difference) ? 1.0 : std::abs(difference));
    }
    count += worst > tolerance;
  }
  return percent(count, pixels);
}

void require_same(const std::string& peer, const char* what, double differing) {
  if (differing <= kBenchMaxPercent) return;
  throw std::runtime_error(fmt::format("{} differs from {}'s in {:.3f} % of the pixels", what, peer, differing));
}

}  // namespace

void Series::add(const std::vector<double>& samples) {
  medians.push_back(brokkr::median(samples));
  leasts.push_back(*std::min_element(samples.begin(), samples.end()));
}

double Series::least() const { return *std::min_element(leasts.begin(), leasts.end()); }

Ratio ratio_of(const Series& slower, const Series& faster) {
  std::vector<double> rounds;
  for (size_t i = 0; i < std::min(slower.medians.size(), faster.medians.size()); ++i)
    rounds.push_back(slower.medians[i] / faster.medians[i]);
  const auto [low, high] = std::minmax_element(rounds.begin(), rounds.end());
  return {median(rounds), *low, *high, slower.least() / faster.least()};
}

Bench::Bench(BenchOptions options, const std::vector<PeerSetup>& peers, const std::filesystem::path& program,
             const std::filesystem::path& folder)
    : options_(std::move(options)) {
  for (const PeerSetup& setup : peers) peers_.push_back(std::make_unique<Peer>(setup, program, folder));
}

void Bench::load(const Workload& workload, Start& start) {
  for (const auto& peer : peers_) peer->begin_load(workload);
  if (loaded_ != workload.frame_key()) {
    loaded_.clear();
    prepared_.reset();
    beside_prepared_.reset();
    frame_.reset();
    renderer_ = std::make_unique<Renderer>();
    reset_peak_memory();
    LoadOptions load = workload.load;
    load.progress = [this](double) {
      if (options_.stopped()) throw LoadCancelled();
    };
    const auto begin = Clock::now();
    frame_ = std::make_unique<Frame>(load_workload(workload.file, load));
    start.load_ms = since(begin);
    prepared_.emplace(renderer_->prepare(*frame_, load));
    start.loaded = true;
    loaded_ = workload.frame_key();
  }
  for (const auto& peer : peers_) peer->finish_load();
  if (workload.shading == BenchShading::program && frame_->programs.empty())
    throw std::runtime_error(workload.file + ": holds no programs; capture the frame again, or use --shading flat");
}

void Bench::compare(const Workload& workload, const RenderOptions& render, BenchRow& row) {
  const uint32_t target = main_target(*frame_);
  const auto begin = Clock::now();
  const RenderResult result = renderer_->render(*prepared_, render, !peers_.empty());
  row.start.first_ms = since(begin);
  row.start.prepare_ms = result.statistics.prepare_ms;
  row.start.shaders = result.statistics.shaders;
  row.start.work = result.statistics.shader_work;
  if (result.aborted) throw std::runtime_error(workload.name + ": the frame was cut off; raise --budget");
  row.statistics = result.statistics;
  row.peak_kib = peak_memory_kib();
  const int layers = frame_->targets[target].layers;
  const bool programs = workload.shading == BenchShading::program;
  const double tolerance = programs ? kBenchProgramTolerance : kBenchColorTolerance;
  for (const auto& peer : peers_) {
    PeerResult found{peer->setup().name, peer->setup().family, {}};
    peer->turn(workload, 0, 1, 0);
    for (const int number : std::set<int>{0, layers / 2, layers - 1}) {
      const Layer& layer = result.targets[target].layers[size_t(number)];
      const PeerPicture theirs = peer->read(number);
      // A replay that draws half floats returns bytes.
      if (theirs.depth.size() != layer.depth.size() || (theirs.color.empty() && !layer.color.empty()))
        throw std::runtime_error(peer->setup().name + " draws another size or format");
      found.depth_percent = std::max(found.depth_percent, depth_difference(layer.depth, theirs.depth));
      found.color_percent = std::max(found.color_percent, color_difference(layer, theirs, tolerance));
    }
    require_same(found.peer, "depth", found.depth_percent);
    require_same(found.peer, "colour", found.color_percent);
    row.peers.push_back(std::move(found));
  }
}

// Draws the first frame with the other instruction set, so that its shaders are compiled before its turns.
void Bench::begin_beside(const Workload& workload, const RenderOptions& render, BenchRow& row) {
  const Statistics& ours = row.statistics;
  const std::string& isa = options_.beside_isa;
  if (isa.empty() || ours.machine != "cpu" || ours.isa == isa || !cpu_supports(isa)) return;
  if (!beside_prepared_) {
    beside_renderer_ = std::make_unique<Renderer>();
    beside_prepared_.emplace(beside_renderer_->prepare(*frame_, workload.load));
  }
  RenderOptions other = render;
  other.isa = isa;
  beside_renderer_->render(*beside_prepared_, other, false);
  row.beside_isa = isa;
}

void Bench::take_turns(const Workload& workload, const RenderOptions& render, BenchRow& row) {
  LoadWatch watch;
  RenderOptions other = render;
  other.isa = row.beside_isa;
  struct Turn {
    std::vector<double> calls, launches;
  };
  const auto turn_of = [&](Renderer& renderer, PreparedFrame& prepared, const RenderOptions& settings,
                           Statistics& last) {
    Turn turn;
    double spent = 0;
    for (int i = 0; i < kBenchWarmUp && !options_.stopped(); ++i) renderer.render(prepared, settings, false);
    watch.begin();
    while (!options_.stopped() && turn_goes_on(turn.calls.size(), spent, options_.frames, options_.turn_ms)) {
      const auto begin = Clock::now();
      RenderResult result = renderer.render(prepared, settings, false);
      turn.calls.push_back(since(begin));
      spent += turn.calls.back();
      turn.launches.push_back(result.statistics.launch_ms);
      last = std::move(result.statistics);
    }
    watch.end();
    return turn;
  };
  for (int round = 0; round < options_.rounds && !options_.stopped(); ++round) {
    const Turn ours = turn_of(*renderer_, *prepared_, render, row.statistics);
    if (ours.calls.empty()) break;
    row.brokkr.add(ours.calls);
    row.launch.add(ours.launches);
    if (!row.beside_isa.empty()) {
      Statistics unused;
      const Turn beside = turn_of(*beside_renderer_, *beside_prepared_, other, unused);
      if (!beside.calls.empty()) row.beside.add(beside.calls);
    }
    row.load = watch.load();
    for (size_t i = 0; i < peers_.size() && !options_.stopped(); ++i) {
      const PeerTurn turn = peers_[i]->turn(workload, kBenchWarmUp, options_.frames, options_.turn_ms);
      row.peers[i].times.add(turn.samples_ms);
      row.peers[i].memory_kib = turn.memory_kib;
    }
  }
}

BenchRow Bench::measure(const Workload& workload, const RenderOptions& options, Progress& progress) {
  BenchRow row;
  row.workload = workload;
  RenderOptions render = options;
  render.shading = workload.brokkr_shading();
  const std::string shown = workload.name + " " + shading_name(workload.shading);
  try {
    progress.show("loading " + shown);
    load(workload, row.start);
    const Target& target = frame_->targets[main_target(*frame_)];
    row.width = target.width;
    row.height = target.height;
    row.layers = target.layers;
    row.triangles = triangle_count(*frame_);
    progress.show("comparing " + shown);
    compare(workload, render, row);
    begin_beside(workload, render, row);
    reset_peak_memory();
    progress.show("timing " + shown);
    take_turns(workload, render, row);
    row.memory_kib = peak_memory_kib();
    row.peak_kib = std::max(row.peak_kib, row.memory_kib);
  } catch (const std::invalid_argument&) {
    throw;  // an option is out of range for every workload
  } catch (const LoadCancelled&) {
    // after Ctrl-C; `cut_off` says so
  } catch (const std::bad_alloc&) {
    row.error = "not enough memory";
  } catch (const std::exception& error) {
    // Ctrl-C also ends the peers.
    if (!options_.stopped()) row.error = error.what();
  }
  row.cut_off = options_.stopped();
  if (row.beside.medians.empty()) row.beside_isa.clear();
  std::erase_if(row.peers, [&](const PeerResult& peer) { return row.cut_off && peer.times.medians.empty(); });
  return row;
}

namespace {

// The parameter of a curve, if it is not the {} in the scene's name.
enum class Value : uint8_t { of_scene, height, views, workers };

struct Curve {
  const char* name;
  const char* scene;  // a generated scene; {0} stands for the value
  const char* series;
  std::vector<BenchShading> shadings;
  std::vector<int> values;
  Value kind = Value::of_scene;
};

const std::vector<Curve>& curves() {
  constexpr auto flat = BenchShading::flat, textured = BenchShading::textured;
  static const std::vector<int> cores = {1, 2, 4, 8};
  static const std::vector<Curve> all = {
      // A displaced sphere over 60 % of 1080p, with smaller and smaller triangles.
      {"triangles",
       "sphere-1m?triangles={0}",
       "sphere",
       {flat},
       {1000, 3000, 10'000, 30'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000}},
      // Pictures of 16:9: the number of triangles is fixed, and their size grows.
      {"pixels",
       "sphere-100k",
       "sphere",
       {flat, textured},
       {240, 360, 540, 720, 1080, 1440, 2160, 4320},
       Value::height},
      // The same 120 000 triangles, split into more and more draws.
      {"draws", "sphere-100k?triangles=120000&draws={0}", "sphere", {flat}, {1, 10, 100, 1000, 10'000, 100'000}},
      {"views", "views", "128 x 128", {flat}, {1, 4, 16, 64, 256, 1024, 4096}, Value::views},
      // Layers of a thousand large triangles that each cover the picture, in random depth order.
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
  int workers = 0;  // 0: as in the options
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

BenchRow measure(Bench& bench, const Point& point, Progress& progress) {
  RenderOptions render = bench.options().render;
  if (point.workers > 0) render.workers = point.workers;
  BenchRow row = bench.measure(point.workload, render, progress);
  row.series = point.series;
  row.x = point.x;
  return row;
}

// A peer with a different number of threads is a different process.
std::vector<BenchRow> measure_workers(std::vector<Point> points, const BenchOptions& options,
                                      const std::vector<PeerSetup>& peers, const std::filesystem::path& program,
                                      const std::filesystem::path& folder, Progress& progress) {
  std::vector<BenchRow> rows;
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
  return rows;
}

}  // namespace

CurveRun run_curves(const std::vector<std::string>& names, const BenchOptions& options,
                    const std::vector<PeerSetup>& peers, const std::filesystem::path& program,
                    const std::filesystem::path& folder, Progress& progress) {
  CurveRun run;
  auto bench = std::make_unique<Bench>(options, peers, program, folder);
  run.environment = bench_environment(*bench);
  std::vector<Point> worker_points;
  for (const Curve& curve : curves()) {
    if (!names.empty() && std::find(names.begin(), names.end(), curve.name) == names.end()) continue;
    std::vector<Point> points;
    add_points(curve, curve.kind == Value::workers ? worker_points : points);
    for (const Point& point : points) {
      if (!options.stopped()) run.rows.push_back(measure(*bench, point, progress));
    }
  }
  bench.reset();  // free the last curve's memory before measuring the next curve's
  std::vector<BenchRow> rows = measure_workers(std::move(worker_points), options, peers, program, folder, progress);
  std::move(rows.begin(), rows.end(), std::back_inserter(run.rows));
  return run;
}

}  // namespace brokkr::app
