// µ-kernels [Steffen12, 8.2]: primary rays by loops, and by threads that spawn each other.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "ptx/program.h"
#include "simt/figures.h"
#include "simt/flow.h"

namespace brokkr::simt {
namespace {

struct RayRun {
  const char* program = "ray";
  bool ideal = true, conflicts = true, blocks = true, mimd = false;
  ThesisScene scene = kThesisScenes[2];
  uint32_t width = 256;
  uint64_t cycles = 300000;
};

Config machine_of_rays() { return find_config("thesis-7.3"); }

// The rate of the whole machine, from the rate of the cores that ran.
double scaled(double rate, const FigureOptions& o) {
  return o.cores == 0 ? rate : rate * double(machine_of_rays().cores) / double(o.cores);
}
double million_rays(const Statistics& s, const FigureOptions& o) { return scaled(s.rate(), o) * machine_of_rays().mhz; }

// Says how many cores ran, unless all did.
void note_cores(const FigureOptions& o, FigureResult& r) {
  if (o.cores == 0) return;
  const Config c = with_cores(machine_of_rays(), o.cores);
  r.notes.push_back(
      fmt::format("{} of the machine's {} cores ran (--cores), with {} bytes per cycle of its memory; rates are scaled "
                  "to all of them. With 2 cores an image of 64 x 64 has as many rays per core as the thesis's.",
                  o.cores, machine_of_rays().cores, c.memory.channels * c.memory.bytes_per_cycle));
}

Statistics run(const RayRun& wanted, const FigureOptions& o) {
  Config c = machine_of_rays();
  if (o.cores != 0) c = with_cores(c, o.cores);
  const bool ideal = wanted.ideal && !o.real_memory;
  c.spawn.conflicts = wanted.conflicts;
  c.block_scheduling = wanted.blocks;
  if (ideal) {
    const MemoryConfig memory = c.memory;
    c = with_ideal_memory(c);
    if (wanted.conflicts) c.memory.banks = memory.banks;
  }
  if (wanted.mimd) c = as_mimd(c);
  ProgramSize size;
  size.place = wanted.scene.place;
  size.triangles = o.triangles != 0 ? o.triangles : wanted.scene.triangles;
  size.width = o.width != 0 ? o.width : wanted.width;
  const uint64_t cycles = o.cycles != 0 ? o.cycles : wanted.cycles;
  const ShowProgress show = [&](const std::string& what) {
    if (o.progress) o.progress(fmt::format("{}, {} triangles, {}", wanted.scene.name, size.triangles, what));
  };
  return time_program(find_program(wanted.program), c, size, cycles, show);
}

constexpr const char* kSceneNote =
    "The scene is generated, with as many triangles as the thesis's conference: a room with clusters of small "
    "triangles, most of them in a few places.";
constexpr const char* kScenesNote =
    "The scenes are generated, with as many triangles as the thesis's: fairyforest is an open ground with trees and a "
    "few very dense figures, atrium a hall of 100 columns, conference a room with clusters of small triangles, most of "
    "them in a few places.";
constexpr const char* kMemoryNote =
    "Table 7.3 has no caches, and 64 bytes per cycle for 30 cores; with these, our rays wait for memory most of the "
    "time (--config thesis-7.3 ray). The thesis's rays do not, because ideal memory changes nothing for them (its "
    "figure 8.9). So this comparison uses ideal memory.";

constexpr const char* kStepNote =
    "There are more instructions per cycle than in the thesis, and less to gain, because a step of the path tracer is "
    "longer than a step of the thesis's tracer and has few branches.";

std::vector<Statistics> run_all(const std::vector<RayRun>& wanted, const FigureOptions& o) {
  std::vector<Statistics> all(wanted.size());
  for_each_run(wanted.size(), [&](size_t i) { all[i] = run(wanted[i], o); });
  return all;
}

FigureResult lanes(const RayRun& wanted, const char* label, const std::string& thesis, const FigureOptions& o) {
  const Statistics s = run(wanted, o);
  uint64_t all = 0;
  for (const uint64_t n : s.occupancy) all += n;
  FigureResult r;
  r.columns = {"part of cycles, %"};
  constexpr const char* kNames[] = {"1 to 4 lanes", "5 to 8",   "9 to 12",  "13 to 16",       "17 to 20",
                                    "21 to 24",     "25 to 28", "29 to 32", "all warps wait", "no warps"};
  for (uint32_t c = 0; c < kOccupancyClasses; ++c)
    r.rows.push_back({kNames[c], {100.0 * double(s.occupancy[c]) / double(all)}, ""});
  r.rows.push_back({"instructions a cycle", {s.ipc()}, thesis});
  r.notes = {kSceneNote, kMemoryNote, kStepNote};
  if (o.cycles == 0) r.notes.emplace_back("The first 300 000 cycles, as in the thesis (--cycles).");
  r.timelines.emplace_back(label, s);
  return r;
}

}  // namespace

FigureResult figure_stack_lanes(const FigureOptions& o) { return lanes({}, "stack", "326", o); }
FigureResult figure_spawn_lanes(const FigureOptions& o) {
  return lanes({.program = "ray-spawn", .conflicts = false, .blocks = false}, "spawn", "615", o);
}
FigureResult figure_conflict_lanes(const FigureOptions& o) {
  return lanes({.program = "ray-spawn", .blocks = false}, "spawn-conflicts", "429", o);
}

FigureResult figure_rays(const FigureOptions& o) {
  FigureResult r;
  r.columns = {"stack, blocks", "stack, warps", "µ-kernels, conflicts", "µ-kernels", "µ-kernels over stack"};
  std::vector<RayRun> runs;
  for (const ThesisScene& scene : kThesisScenes) {
    runs.push_back({.conflicts = false, .blocks = true, .scene = scene, .cycles = 0});
    runs.push_back({.conflicts = false, .blocks = false, .scene = scene, .cycles = 0});
    runs.push_back({.program = "ray-spawn", .blocks = false, .scene = scene, .cycles = 0});
    runs.push_back({.program = "ray-spawn", .conflicts = false, .blocks = false, .scene = scene, .cycles = 0});
  }
  const std::vector<Statistics> all = run_all(runs, o);
  for (size_t i = 0; i < std::size(kThesisScenes); ++i) {
    const auto rays = [&](size_t column) { return million_rays(all[4 * i + column], o); };
    const double blocks = rays(0), warps = rays(1), conflicts = rays(2), spawned = rays(3);
    r.rows.push_back({fmt::format("{}: {} triangles", kThesisScenes[i].name,
                                  o.triangles != 0 ? o.triangles : kThesisScenes[i].triangles),
                      {blocks, warps, conflicts, spawned, spawned / warps},
                      "warps above blocks; µ-kernels above both, by 1.4 on average"});
  }
  if (o.real_memory) {
    r.notes = {kScenesNote,
               "With the memory of Table 7.3 (--real-memory) our rays wait for its bytes, not for its latency."};
    note_cores(o, r);
    return r;
  }
  r.notes = {kScenesNote, kMemoryNote,
             fmt::format(
                 "Values are million rays per second for the whole image of {0} x {0} (--pixels), at {1} MHz. Blocks "
                 "and warps are equal if memory answers immediately, because more warps than the pipeline needs hide "
                 "nothing more. Every step of a ray spawns a thread, as in the thesis, and storing and restoring its "
                 "state costs part of the gain of µ-kernels. The thesis simulates the first 300 000 cycles (--cycles).",
                 o.width != 0 ? o.width : RayRun{}.width, machine_of_rays().mhz)};
  note_cores(o, r);
  return r;
}

FigureResult figure_ideal_rays(const FigureOptions& o) {
  FigureResult r;
  r.columns = {"million rays/s", "rays, % of MIMD", "instructions a cycle", "instructions, % of MIMD", "cycles"};
  struct Row {
    const char *label, *thesis;
    RayRun wanted;
  };
  const Row rows[] = {
      {"MIMD", "100 %", {.conflicts = false, .mimd = true, .cycles = 0}},
      {"stack", "no faster with ideal memory", {.conflicts = false, .cycles = 0}},
      {"µ-kernels, conflicts", "45 % of MIMD", {.program = "ray-spawn", .blocks = false, .cycles = 0}},
      {"µ-kernels", "60 % of MIMD", {.program = "ray-spawn", .conflicts = false, .blocks = false, .cycles = 0}}};
  std::vector<RayRun> runs;
  for (const Row& row : rows) runs.push_back(row.wanted);
  const std::vector<Statistics> all = run_all(runs, o);
  const double rays = million_rays(all[0], o), ipc = scaled(all[0].ipc(), o);
  for (size_t i = 0; i < all.size(); ++i) {
    const Statistics& s = all[i];
    r.rows.push_back({rows[i].label,
                      {million_rays(s, o), 100 * million_rays(s, o) / rays, scaled(s.ipc(), o),
                       100 * scaled(s.ipc(), o) / ipc, double(s.cycles)},
                      rows[i].thesis});
  }
  r.notes = {
      kSceneNote,
      fmt::format(
          "The whole image of {0} x {0} (--pixels); the thesis simulates the first 300 000 cycles (--cycles). The "
          "thesis's percentages refer to rays; our instructions include those that store and restore states.",
          o.width != 0 ? o.width : RayRun{}.width)};
  note_cores(o, r);
  return r;
}

FigureResult table_traffic(const FigureOptions& o) {
  FigureResult r;
  r.columns = {"read, MB", "written, MB", "total, MB", "read over", "total over"};
  // Count as the thesis does: all bytes that lanes request, in any memory. Ideal memory does not change this count.
  FigureOptions few = o;
  few.cycles = 0;
  if (few.width == 0) few.width = 64;
  constexpr const char* kStack[] = {"62.1 + 0.25", "88.5 + 0.25", "64.2 + 0.25"};
  constexpr const char* kSpawned[] = {"296.5 + 203.7", "372.9 + 258.1", "263.3 + 179.6"};
  const double to_image = 256.0 * 256.0 / (double(few.width) * double(few.width)) / 1e6;
  std::vector<RayRun> runs;
  for (const ThesisScene& scene : kThesisScenes) {
    runs.push_back({.conflicts = false, .scene = scene, .cycles = 0});
    runs.push_back({.program = "ray-spawn", .conflicts = false, .blocks = false, .scene = scene, .cycles = 0});
  }
  const std::vector<Statistics> all = run_all(runs, few);
  for (size_t i = 0; i < std::size(kThesisScenes); ++i) {
    const Statistics &a = all[2 * i], &b = all[2 * i + 1];
    const auto read = [&](const Statistics& s) { return double(s.requested_read) * to_image; };
    const auto written = [&](const Statistics& s) { return double(s.requested_written) * to_image; };
    r.rows.push_back({fmt::format("{}, stack", kThesisScenes[i].name),
                      {read(a), written(a), read(a) + written(a), 1, 1},
                      kStack[i]});
    r.rows.push_back({fmt::format("{}, µ-kernels", kThesisScenes[i].name),
                      {read(b), written(b), read(b) + written(b), read(b) / read(a),
                       (read(b) + written(b)) / (read(a) + written(a))},
                      fmt::format("{}; on average 4.4 and 7.3 times", kSpawned[i])});
  }
  r.notes = {kScenesNote,
             fmt::format("For {0} x {0} rays, scaled to the thesis's 256 x 256: all bytes that lanes request, "
                         "including each ray's stack, which the thesis does not count as written. So the total grows "
                         "less than its 7.3 times. Our steps read more of the tree and of triangles for the same 48 "
                         "bytes of state, so reads grow less than its 4.4 times.",
                         few.width)};
  return r;
}

FigureResult table_resources(const FigureOptions&) {
  FigureResult r;
  r.columns = {"registers", "parameter bytes", "local bytes", "shared bytes", "spawn bytes"};
  const std::unique_ptr<ptx::Program> program = ptx::build_program(module_text("rays"));
  const Flow flow(*program);
  const double state = find_config("thesis-7.3").spawn.state_bytes;
  double called = 0;
  for (const ptx::Function& f : program->functions) {
    if (f.defined && !f.entry) called = std::max(called, double(flow.registers(f)));
  }
  std::vector<double> least, most;
  for (const ptx::Function& f : program->functions) {
    if (!f.defined || !f.entry) continue;
    const bool loops = f.name == "rays_loops";
    const std::vector<double> row = {double(flow.registers(f)) + called, double(f.parameter_bytes),
                                     double(f.local_bytes), double(program->static_shared), loops ? 0 : state};
    if (loops) {
      r.rows.push_back({"traditional", row, "22; 128 constant, 388 global, 60 shared"});
      continue;
    }
    if (least.empty()) least = most = row;
    for (size_t i = 0; i < row.size(); ++i) {
      least[i] = std::min(least[i], row[i]);
      most[i] = std::max(most[i], row[i]);
    }
  }
  r.rows.push_back({"µ-kernel", most, "20; 24 constant, 384 global, 56 shared, 48 spawn"});
  r.rows.push_back({"µ-kernel, least", least, "16; 8 constant, 32 shared, 48 spawn"});
  r.notes = {
      "Registers: the maximum number of 32-bit words that are live at one PTX instruction; a compiler may keep some "
      "elsewhere. All kernels have one plan as their parameter, and a ray's stack is in the plan's memory."};
  return r;
}

}  // namespace brokkr::simt
