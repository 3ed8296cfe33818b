// GrUG on the machine [Steffen12, appendix A]: a grid over a kd-tree, in software and with a unit of fixed hardware.
#include <fmt/format.h>

#include "simt/figures.h"

namespace brokkr::simt {
namespace {

struct GrugRun {
  ThesisScene scene = kThesisScenes[2];
  uint32_t grid = 0;  // 0: the kd-tree
  bool unit = false;
  uint32_t width = 256;
  uint64_t cycles = 0;
};

Config grug_machine(const GrugRun& wanted, const FigureOptions& o) {
  Config c = find_config("thesis-7.3");
  if (!o.real_memory) c = with_ideal_memory(c);
  if (!wanted.unit) c.fixed.depth = 0;
  return c;
}

std::vector<Statistics> run_grug(const std::vector<GrugRun>& wanted, const FigureOptions& o) {
  std::vector<Statistics> all(wanted.size());
  for_each_run(wanted.size(), [&](size_t i) {
    const GrugRun& run = wanted[i];
    ProgramSize size;
    size.place = run.scene.place;
    size.triangles = o.triangles != 0 ? o.triangles : run.scene.triangles;
    size.width = run.width;
    size.grid = run.grid;
    const ProgramInfo& program = find_program(run.grid == 0 ? "ray" : "ray-grug");
    all[i] = time_program(program, grug_machine(run, o), size, run.cycles, [&](const std::string& what) {
      if (o.progress)
        o.progress(fmt::format("{}, {} triangles, grid {}: {}", run.scene.name, size.triangles, run.grid, what));
    });
  });
  return all;
}

constexpr uint32_t kGrugGrids[] = {128, 256, 512};

}  // namespace

FigureResult figure_grug_instructions(const FigureOptions& o) {
  FigureResult r;
  r.columns = {"instructions a ray", "kd-tree's over these", "rays a second over the kd-tree's"};
  const uint32_t width = o.width != 0 ? o.width : 64;
  std::vector<GrugRun> runs;
  for (const ThesisScene& scene : kThesisScenes) {
    runs.push_back({.scene = scene, .width = width});
    for (const uint32_t grid : kGrugGrids) {
      runs.push_back({.scene = scene, .grid = grid, .width = width});
      runs.push_back({.scene = scene, .grid = grid, .unit = true, .width = width});
    }
  }
  const std::vector<Statistics> all = run_grug(runs, o);
  const Statistics* tree = nullptr;
  for (size_t i = 0; i < runs.size(); ++i) {
    const GrugRun& run = runs[i];
    const Statistics& s = all[i];
    if (run.grid == 0) tree = &s;
    const std::string structure =
        run.grid == 0 ? "kd-tree" : fmt::format("GrUG {}{}", run.grid, run.unit ? ", unit" : "");
    const char* thesis = run.grid == 128 ? "1.9 times the speed" : run.grid == 512 ? "2.15 times the speed" : "";
    r.rows.push_back(
        {fmt::format("{}, {}", run.scene.name, structure),
         {double(s.lanes) / double(s.done), double(tree->lanes) / double(s.lanes), s.rate() / tree->rate()},
         thesis});
  }
  r.notes = {
      fmt::format("Primary rays of {0} x {0} pixels (--pixels), to their end, with ideal memory, in generated "
                  "scenes with as many triangles as the thesis's. Instructions are those of threads, with the "
                  "tests of triangles, which the thesis leaves out: they are the same for all structures. With "
                  "the unit, projecting a ray and finding its cell take no instructions but those of a call.",
                  width)};
  return r;
}

FigureResult figure_grug_rays(const FigureOptions& o) {
  FigureResult r;
  const uint64_t cycles = o.cycles != 0 ? o.cycles : 300000;
  const uint32_t width = o.width != 0 ? o.width : 256;
  const GrugRun structures[] = {
      {.width = width}, {.grid = 128, .width = width}, {.grid = 128, .unit = true, .width = width}};
  std::vector<GrugRun> runs;
  constexpr uint32_t kTimes[] = {1, 2, 4};
  for (const uint32_t times : kTimes) {
    r.columns.push_back(fmt::format("rays in {} cycles", cycles * times));
    for (GrugRun run : structures) {
      run.cycles = cycles * times;
      runs.push_back(run);
    }
  }
  r.columns.push_back("more than the kd-tree, last");
  const std::vector<Statistics> all = run_grug(runs, o);
  constexpr const char* kNames[] = {"kd-tree", "GrUG 128", "GrUG 128, unit"};
  constexpr const char* kThesis[] = {"", "", "2500 rays more in 300 000 cycles"};
  const size_t last = (std::size(kTimes) - 1) * std::size(structures);
  for (size_t i = 0; i < std::size(structures); ++i) {
    FigureRow row{kNames[i], {}, kThesis[i]};
    for (size_t t = 0; t < std::size(kTimes); ++t)
      row.values.push_back(double(all[t * std::size(structures) + i].done));
    row.values.push_back(double(all[last + i].done) - double(all[last].done));
    r.rows.push_back(std::move(row));
  }
  r.notes = {
      fmt::format("The first cycles of {0} x {0} rays (--pixels, --cycles) in a generated room with as many "
                  "triangles as the thesis's conference, with ideal memory.",
                  width)};
  return r;
}

FigureResult table_grug_unit(const FigureOptions& o) {
  FigureResult r;
  r.columns = {"value"};
  GrugRun run{.grid = 128, .unit = true, .width = o.width != 0 ? o.width : 64};
  const Statistics s = run_grug({run}, o)[0];
  const Config c = grug_machine(run, o);
  r.rows = {{"depth, cycles", {double(c.fixed.depth)}, "2 of the ray's projection, 5 of the hash function"},
            {"rays a cycle at most", {1}, "1"},
            {"rays through the units, for each of the picture", {double(s.fixed) / double(s.done)}, ""},
            {"rays a cycle that a unit took", {double(s.fixed) / double(s.cycles) / c.cores}, ""}};
  r.notes = {
      "The first two rows are parameters of the machine (`fixed` of thesis-7.3). The unit finds a ray's cell; the "
      "table of groups, their bounds and the distance to the next group are read and computed by the program, as "
      "in Algorithm 5."};
  return r;
}

}  // namespace brokkr::simt
