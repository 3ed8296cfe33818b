// Figures and tables of [Steffen12, chapter 8 and appendix A], measured on our programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simt/programs.h"

namespace brokkr::simt {

struct FigureRow {
  std::string label;
  std::vector<double> values;
  std::string thesis;  // the finding of the thesis, with numbers if its text has them
};
struct FigureResult {
  std::vector<std::string> columns;
  std::vector<FigureRow> rows;
  std::vector<std::string> notes;  // differences from the thesis, and their reasons
  // runs whose active lanes over time are drawn as a picture
  std::vector<std::pair<std::string, Statistics>> timelines;
};

// Parameters of a figure's runs; 0: the figure's default.
struct FigureOptions {
  uint32_t scale = 1, triangles = 0, width = 0;
  uint64_t cycles = 0;
  bool real_memory = false;  // for rays: the machine's memory instead of ideal memory
  uint32_t cores = 0;        // for rays: cores with their share of memory; rates are scaled to the whole machine
  ShowProgress progress;     // may be called by several threads at once
};

// Calls `run` once for each number below `count`, on several host threads. Runs are independent, so a figure does not
// depend on the threads. Rethrows an exception of a run.
void for_each_run(size_t count, const std::function<void(size_t)>& run);

// The scenes of [Steffen12, Table 7.5]: ours of their kinds, with as many triangles.
struct ThesisScene {
  const char* name;
  RayPlace place;
  uint32_t triangles;
};
inline constexpr ThesisScene kThesisScenes[] = {{"fairyforest", RayPlace::fairyforest, 172561},
                                                {"atrium", RayPlace::atrium, 559992},
                                                {"conference", RayPlace::conference, 987552}};

struct FigureInfo {
  const char *name, *title;
  FigureResult (*run)(const FigureOptions& options);
};
const std::vector<FigureInfo>& figures();
// Throws std::runtime_error that lists the known names.
const FigureInfo& find_figure(const std::string& name);

// Grouped by source file.
FigureResult figure_limits(const FigureOptions&);
FigureResult figure_two_ways(const FigureOptions&);
FigureResult figure_more_ways(const FigureOptions&);
FigureResult figure_half_warps(const FigureOptions&);
FigureResult figure_real_memory(const FigureOptions&);
FigureResult figure_stack_lanes(const FigureOptions&);
FigureResult figure_spawn_lanes(const FigureOptions&);
FigureResult figure_conflict_lanes(const FigureOptions&);
FigureResult figure_rays(const FigureOptions&);
FigureResult figure_ideal_rays(const FigureOptions&);
FigureResult table_traffic(const FigureOptions&);
FigureResult table_resources(const FigureOptions&);
FigureResult figure_branch_threads(const FigureOptions&);
FigureResult figure_branch_warps(const FigureOptions&);
FigureResult figure_without_reconverge(const FigureOptions&);
FigureResult figure_software(const FigureOptions&);
FigureResult figure_queue_pairs(const FigureOptions&);
FigureResult figure_grug_instructions(const FigureOptions&);
FigureResult figure_grug_rays(const FigureOptions&);
FigureResult table_grug_unit(const FigureOptions&);

}  // namespace brokkr::simt
