// A comparison that the thesis could not make: its µ-kernels in software, as task types on bucket queues, against its
// hardware.
#include <fmt/format.h>

#include "pipeline/task_machine.h"
#include "simt/figures.h"
#include "simt/rays/ray_runs.h"

namespace brokkr::simt {
namespace {

constexpr uint32_t kStays[] = {101, 75, 50, 25, 0};  // percent; more than 100: one step at a time

std::string stay_text(uint32_t stay) {
  if (stay > 100) return "one step each";
  return stay == 0 ? "to the last lane" : fmt::format("while {} % of lanes stay", stay);
}

// Active lanes per step and tasks per ray, for one worker of a CPU machine.
void add_cpu_rows(FigureResult& r, const std::string& machine, uint32_t triangles, uint32_t width,
                  const FigureOptions& o) {
  const auto scene = ray_scene(triangles);
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
  // As many rays per core as a larger picture has for all 30 cores.
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
  const Statistics loops = add({"ray", "three loops, by the stack", "326 instructions a cycle, 30 cores"});
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
  r.notes = {
      fmt::format(
          "{0} x {0} rays, {1} triangles; SIMT: {2} of the thesis's 30 cores, whose rays it has as many of as a larger "
          "picture has for all.",
          size.width, size.triangles, c.cores),
      "Machines of the CPU: lanes at work of those in a step, at a node or a triangle, by one worker; counted, and the "
      "same on "
      "each computer. SIMT: lanes at work of all issues, those for queues among them; reckoned by the model. All runs "
      "find the "
      "hits of the path tracer's own walk, to the bit.",
      "Control flow of the path tracer's text is the warp's: lanes without work are masks, and 'of lanes at work' "
      "leaves "
      "them out.",
      "A task costs the worker a decision, a draw from a queue and one for each queue that its rays go to, where the "
      "machine's "
      "spawn is one instruction: so tasks must go on for some steps to be worth it, until too few of their lanes are "
      "left."};
  return r;
}

}  // namespace brokkr::simt
