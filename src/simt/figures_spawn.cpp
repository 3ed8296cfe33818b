// µ-kernels [Steffen12, 8.2]: primary rays by loops and by threads that spawn each other.
#include <fmt/format.h>

#include <algorithm>

#include "simt/figures.h"

namespace brokkr::simt {
namespace {

constexpr uint32_t kScenes[] = {172561, 559992, 987552};
constexpr const char* kSceneNames[] = {"fairyforest", "atrium", "conference"};

struct RayRun {
  const char* program = "ray";
  bool ideal = true, conflicts = true, blocks = true, mimd = false;
  uint32_t triangles = kScenes[2], width = 256;
  uint64_t cycles = 300000;
};

Statistics run(const RayRun& wanted, const FigureOptions& o) {
  Config c = find_config("thesis-7.3");
  c.spawn.conflicts = wanted.conflicts;
  c.block_scheduling = wanted.blocks;
  if (wanted.ideal) {
    const MemoryConfig memory = c.memory;
    c = with_ideal_memory(c);
    if (wanted.conflicts) c.memory.banks = memory.banks;
  }
  if (wanted.mimd) c = as_mimd(c);
  ProgramSize size;
  size.triangles = o.triangles != 0 ? o.triangles : wanted.triangles;
  size.width = o.width != 0 ? o.width : wanted.width;
  const uint64_t cycles = wanted.cycles == 0 ? 0 : o.cycles != 0 ? o.cycles : wanted.cycles;
  if (o.progress) o.progress(fmt::format("{} of {} triangles on {}", wanted.program, size.triangles, c.name));
  return time_program(find_program(wanted.program), c, size, cycles);
}

constexpr const char* kScenesNote =
    "The scenes are generated, of as many triangles as the thesis's: a room with clusters of small ones.";
constexpr const char* kMemoryNote =
    "Table 7.3 has no caches, and 64 bytes a cycle for 30 cores: with these our rays wait for memory most of the time "
    "(--config thesis-7.3 ray). The thesis's do not, as ideal memory changes nothing for them (its figure 8.9), so "
    "ideal "
    "memory is what is compared here.";

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
  r.notes = {kScenesNote, kMemoryNote};
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
  r.columns = {"stack, blocks", "stack, warps", "µ-kernels, conflicts", "µ-kernels"};
  for (size_t i = 0; i < std::size(kScenes); ++i) {
    const auto stack = [&](bool blocks) {
      return run({.blocks = blocks, .triangles = kScenes[i], .width = 128, .cycles = 0}, o);
    };
    const auto spawn = [&](bool conflicts) {
      return run({.program = "ray-spawn",
                  .conflicts = conflicts,
                  .blocks = false,
                  .triangles = kScenes[i],
                  .width = 128,
                  .cycles = 0},
                 o);
    };
    FigureRow row{kSceneNames[i], {}, "warps above blocks, µ-kernels above both by 1.4 on average"};
    for (const Statistics& s : {stack(true), stack(false), spawn(true), spawn(false)})
      row.values.push_back(1000 * double(s.done) / double(s.cycles));
    r.rows.push_back(row);
  }
  r.notes = {kScenesNote, kMemoryNote,
             "Values are rays in 1000 cycles, over the whole image of 128 x 128 (--pixels). Every step of a ray spawns "
             "a thread, as in the thesis: a step of ours "
             "is short, so that storing and restoring the state is most of it."};
  return r;
}

FigureResult figure_ideal_rays(const FigureOptions& o) {
  FigureResult r;
  r.columns = {"instructions a cycle", "of MIMD, %", "rays in 1000 cycles", "cycles"};
  const auto add = [&](const char* label, const RayRun& wanted, const char* thesis, double of) {
    const Statistics s = run(wanted, o);
    r.rows.push_back(
        {label,
         {s.ipc(), of == 0 ? 100 : 100 * s.ipc() / of, 1000 * double(s.done) / double(s.cycles), double(s.cycles)},
         thesis});
    return s.ipc();
  };
  // A thread of its own for each lane is 32 times the work to simulate.
  constexpr uint64_t kShort = 20000;
  FigureOptions few = o;
  if (few.cycles == 0 || few.cycles > kShort) few.cycles = kShort;
  const Statistics mimd = run({.conflicts = false, .mimd = true}, few);
  add("stack", {.conflicts = false}, "no faster with ideal memory", mimd.ipc());
  add("µ-kernels, conflicts", {.program = "ray-spawn", .blocks = false}, "45 % of MIMD", mimd.ipc());
  add("µ-kernels", {.program = "ray-spawn", .conflicts = false, .blocks = false}, "60 % of MIMD", mimd.ipc());
  r.rows.push_back(
      {"MIMD", {mimd.ipc(), 100, 1000 * double(mimd.done) / double(mimd.cycles), double(mimd.cycles)}, "100 %"});
  r.notes = {
      kScenesNote,
      "The thesis's parts are of rays a second, ours of instructions, among which are those that store and restore "
      "states."};
  return r;
}

FigureResult table_traffic(const FigureOptions& o) {
  FigureResult r;
  r.columns = {"read, MB", "written, MB", "total, MB", "read over", "total over"};
  // As the thesis reckons it: bytes that lanes ask for, wherever they are; ideal memory changes none of them.
  FigureOptions few = o;
  if (few.width == 0) few.width = 64;
  constexpr const char* kStack[] = {"62.1 + 0.25", "88.5 + 0.25", "64.2 + 0.25"};
  constexpr const char* kSpawned[] = {"296.5 + 203.7", "372.9 + 258.1", "263.3 + 179.6"};
  const double to_image = 256.0 * 256.0 / (double(few.width) * double(few.width)) / 1e6;
  for (size_t i = 0; i < std::size(kScenes); ++i) {
    const Statistics a = run({.conflicts = false, .triangles = kScenes[i], .cycles = 0}, few);
    const Statistics b =
        run({.program = "ray-spawn", .conflicts = false, .blocks = false, .triangles = kScenes[i], .cycles = 0}, few);
    const auto read = [&](const Statistics& s) { return double(s.requested_read) * to_image; };
    const auto written = [&](const Statistics& s) { return double(s.requested_written) * to_image; };
    r.rows.push_back(
        {fmt::format("{}, stack", kSceneNames[i]), {read(a), written(a), read(a) + written(a), 1, 1}, kStack[i]});
    r.rows.push_back({fmt::format("{}, µ-kernels", kSceneNames[i]),
                      {read(b), written(b), read(b) + written(b), read(b) / read(a),
                       (read(b) + written(b)) / (read(a) + written(a))},
                      fmt::format("{}; on average 4.4 and 7.3 times", kSpawned[i])});
  }
  r.notes = {
      kScenesNote,
      fmt::format("Of {0} x {0} rays, scaled to the thesis's 256 x 256; all bytes that lanes ask for, with those of "
                  "the stack of each ray, which the thesis does not count as written.",
                  few.width)};
  return r;
}

}  // namespace brokkr::simt
