// The performance model [Steffen12, 8.3]: speedup of diverge and reconverge over the stack, on [Steffen12, Alg. 4].

#include <fmt/format.h>

#include <algorithm>

#include "pipeline/task_machine.h"
#include "simt/figures.h"
#include "simt/rays/ray_runs.h"

namespace brokkr::simt {
namespace {

constexpr uint32_t kRatios[] = {1, 2, 5, 10, 20, 50, 100};

double cycles_of(BranchRun run, uint32_t model) {
  run.model = model;
  Runner runner(find_config("thesis-7.6"), module_text("branch"));
  run_branch(runner, run);
  return double(runner.statistics().cycles);
}

double speedup(const BranchRun& run, uint32_t model, const FigureOptions& o) {
  if (o.progress) o.progress(fmt::format("ratio {}, {} %", run.ratio, run.long_percent));
  return cycles_of(run, 0) / cycles_of(run, model);
}

std::vector<std::string> percents(const std::vector<uint32_t>& all) {
  std::vector<std::string> columns;
  for (const uint32_t p : all) columns.push_back(fmt::format("{} %", p));
  return columns;
}

double most(const FigureResult& r) {
  double m = 0;
  for (const FigureRow& row : r.rows) m = std::max(m, *std::max_element(row.values.begin(), row.values.end()));
  return m;
}

}  // namespace

FigureResult figure_branch_threads(const FigureOptions& o) {
  const std::vector<uint32_t> parts = {13, 25, 50, 75, 88};
  FigureResult r;
  r.columns = percents(parts);
  for (const uint32_t ratio : kRatios) {
    FigureRow row{fmt::format("paths 1 : {}", ratio), {}, ratio == 100 ? "up to 6.1, never below 1" : ""};
    for (const uint32_t p : parts)
      row.values.push_back(speedup({.long_percent = p, .ratio = ratio, .shorter = 20 * o.scale}, 1, o));
    r.rows.push_back(row);
  }
  r.notes = {
      "Columns: the fraction of a warp's threads that takes the long path. All 32 warps diverge.",
      fmt::format("The maximum is {:.2f}. If few threads take a long path, the rest of each warp would wait for them, "
                  "and the bound is the inverse of their fraction. The thesis does not state the fraction for its 6.1. "
                  "The difference between our values and the bound is the cost of storing and restoring states.",
                  most(r))};
  return r;
}

FigureResult figure_branch_warps(const FigureOptions& o) {
  const std::vector<uint32_t> parts = {6, 25, 50, 75, 100};
  FigureResult r;
  r.columns = percents(parts);
  for (const uint32_t ratio : kRatios) {
    FigureRow row{fmt::format("paths 1 : {}", ratio), {}, ratio == 100 ? "at most 2, if all diverge" : ""};
    for (const uint32_t p : parts)
      row.values.push_back(speedup({.warps_percent = p, .ratio = ratio, .shorter = 20 * o.scale}, 1, o));
    r.rows.push_back(row);
  }
  r.notes = {"Columns: the fraction of warps that diverge, with half of their threads on each path.",
             "As in the thesis, the value is below 1 if few warps diverge: they wait until the others are done, and "
             "then run alone. It is below 2 if all diverge, because each thread stores its state and reads it again."};
  return r;
}

FigureResult figure_without_reconverge(const FigureOptions& o) {
  const std::vector<uint32_t> ends = {0, 1, 2, 3, 4, 6};
  FigureResult r;
  for (const uint32_t e : ends) r.columns.push_back(fmt::format("{} x", e));
  r.columns.push_back("6 x, with");
  const auto add = [&](uint32_t ratio, uint32_t model, bool drawn) {
    const char* const thesis = drawn && ratio == 2 && model == 2 ? "below 1 beyond about 3: the stack" : "";
    FigureRow row{
        fmt::format("1 : {}, {}{}", ratio, drawn ? "drawn" : "half", model == 3 ? ", always spawned" : ""), {}, thesis};
    const BranchRun run{.ratio = ratio, .shorter = 20 * o.scale, .drawn = drawn};
    const auto with_end = [&](uint32_t times) {
      BranchRun longer = run;
      longer.end = times * run.shorter * (1 + ratio);
      return longer;
    };
    for (const uint32_t e : ends) row.values.push_back(speedup(with_end(e), model, o));
    row.values.push_back(speedup(with_end(6), 1, o));
    r.rows.push_back(row);
  };
  for (const bool drawn : {true, false}) {
    for (const uint32_t ratio : {2u, 10u}) {
      for (const uint32_t model : {2u, 3u}) add(ratio, model, drawn);
    }
  }
  r.notes = {
      "Columns: instructions after the meeting divided by those of both paths, without reconverge; the last column is "
      "with reconverge.",
      "Drawn: each thread chooses its path at random with equal probability, so the remaining threads of both paths do "
      "not fill a warp; they wait to the end, and run alone. So the stack wins if the code after the meeting is longer "
      "than about 3 times both paths, as in the thesis. If exactly half of each warp takes each path, all warps stay "
      "full, and the stack never wins.",
      "Equations 6.1 and 6.2 count the remaining threads as one more of 32 warps, although a warp that runs alone "
      "takes the time of four. So they choose the stack too late. Reconverge does not help either, because the rest of "
      "both paths is a single warp."};
  return r;
}

// A comparison that the thesis could not make: µ-kernels in software, as task types on bucket queues, and in its
// hardware.

namespace {

constexpr uint32_t kStays[] = {101, 75, 50, 25, 0};  // percent; more than 100: one step at a time

std::string stay_text(uint32_t stay) {
  if (stay > 100) return "one step each";
  return stay == 0 ? "to the last lane" : fmt::format("while {} % of lanes stay", stay);
}

// Active lanes per step and tasks per ray, for one worker of a CPU machine.
void add_cpu_rows(FigureResult& r, const std::string& machine, uint32_t triangles, uint32_t width,
                  const FigureOptions& o) {
  const auto scene = ray_scene(RayPlace::conference, triangles);
  const RayHits expected = cpu_hits(*scene, width);
  const auto add = [&](bool tasks, uint32_t stay) {
    const CpuRays run = run_cpu_rays(machine, tasks, stay, *scene, width);
    expect_hits(tasks ? "tasks" : "loop", expected, run.hits.t.data(), run.hits.primitive.data());
    const double lanes = 100.0 * double(run.counts.lanes) / double(run.counts.turns * uint32_t(run.lanes));
    const std::string what = tasks ? "tasks, " + stay_text(stay) : "one loop";
    if (o.progress) o.progress(fmt::format("{}: {}", run.machine, what));
    r.rows.push_back({fmt::format("{}, {} lanes: {}", run.machine, run.lanes, what), {lanes}, ""});
  };
  add(false, 0);
  for (const uint32_t stay : kStays) add(true, stay);
}

struct SimtRow {
  const char *program, *label, *thesis;
};

}  // namespace

FigureResult figure_software(const FigureOptions& o) {
  FigureResult r;
  r.columns = {"lanes at work, %", "instructions a cycle", "of lanes at work", "million rays/s", "over the stack"};
  ProgramSize size;
  size.triangles = o.triangles != 0 ? o.triangles : 172561;
  size.width = o.width != 0 ? o.width : 64;
  for (const char* machine : {"cpu", "emulated"}) {
    try {
      make_task_machine(machine);
    } catch (const std::invalid_argument&) {
      continue;  // this build lacks the machine
    }
    add_cpu_rows(r, machine, size.triangles, size.width, o);
  }
  Config c = with_ideal_memory(find_config("thesis-7.3"));
  c.block_scheduling = false;
  // Four cores get as many rays each as all 30 cores get from a larger picture.
  c.cores = 4;
  double stack = 0;
  const auto add = [&](const SimtRow& row) {
    const Statistics s = time_program(find_program(row.program), c, size, o.cycles, o.progress);
    const double rays = s.rate() * c.mhz;
    if (stack == 0) stack = rays;
    r.rows.push_back({fmt::format("SIMT: {}", row.label),
                      {100 * s.work(c.warp), s.ipc(), double(s.worked) / double(s.cycles), rays, rays / stack},
                      row.thesis});
    return s;
  };
  const Statistics loops = add({"ray", "three loops, by the stack", "326 instructions per cycle, 30 cores"});
  c.spawn.conflicts = false;
  const Statistics spawned = add({"ray-spawn", "µ-kernels, by the machine", "615; 1.4 on average"});
  const Statistics warp = add({"ray-warp", "one loop of the warp", ""});
  Statistics shown;
  for (const uint32_t stay : kStays) {
    size.stay_percent = stay;
    const std::string label = "tasks, " + stay_text(stay);
    const Statistics s = add({"ray-tasks", label.c_str(), ""});
    if (stay == 50) shown = s;
  }
  r.timelines = {{"stack", loops}, {"spawn", spawned}, {"warp", warp}, {"tasks", shown}};
  r.notes = {fmt::format("{0} x {0} rays, {1} triangles. SIMT: {2} of the thesis's 30 cores, with as many rays per "
                         "core as a larger picture gives each of all 30 cores.",
                         size.width, size.triangles, c.cores),
             "CPU machines: the fraction of working lanes in steps at nodes and triangles, counted for one worker; it "
             "is the same on every computer. SIMT: the fraction of working lanes in all issues, including those for "
             "queues, computed by the model. All runs find exactly the hits of the path tracer's own walk.",
             "The path tracer's code has warp-wide control flow: lanes without work are masked, and 'lanes at work' "
             "does not count them.",
             "A task costs the worker a decision, a dequeue, and an enqueue for each queue that its rays go to, "
             "whereas the machine's spawn is one instruction. So tasks must continue for several steps to be "
             "worthwhile, until too few of their lanes remain."};
  return r;
}

}  // namespace brokkr::simt
