// The performance model [Steffen12, 8.3]: speedup of diverge and reconverge over the stack, on [Steffen12, Alg. 4].
#include <fmt/format.h>

#include <algorithm>

#include "simt/figures.h"

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
      "Columns: the part of a warp's threads that takes the long path. All 32 warps diverge.",
      fmt::format("The most is {:.2f}; with few threads on a path that is long the rest of each warp would wait for "
                  "them, and the bound is the inverse of their part. The thesis's 6.1 is of a part that its text does "
                  "not name; what ours lacks to its bound, storing and restoring states takes.",
                  most(r))};
  return r;
}

FigureResult figure_branch_warps(const FigureOptions& o) {
  const std::vector<uint32_t> parts = {6, 25, 50, 75, 100};
  FigureResult r;
  r.columns = percents(parts);
  for (const uint32_t ratio : kRatios) {
    FigureRow row{fmt::format("paths 1 : {}", ratio), {}, ratio == 100 ? "at most 2, where all diverge" : ""};
    for (const uint32_t p : parts)
      row.values.push_back(speedup({.warps_percent = p, .ratio = ratio, .shorter = 20 * o.scale}, 1, o));
    r.rows.push_back(row);
  }
  r.notes = {
      "Columns: the part of the warps that diverge, half of their threads to each path.",
      "As in the thesis it is below 1 where few warps diverge: they wait until the others are done, and then run "
      "alone. Below 2 where all do, as each thread stores its state and reads it again."};
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
      "Columns: instructions behind the meeting over those of both paths, without reconverge; the last one with it.",
      "Drawn: each thread draws its path, half of them each, so that what is left over of both fills no warp: it waits "
      "to "
      "the end, and runs alone. So the stack wins where what follows is longer than about 3 times both paths, as in "
      "the "
      "thesis. Where exactly half of each warp takes each path, all warps stay full, and it never wins.",
      "Equations 6.1 and 6.2 count one warp more of 32 for what is left over, where alone it takes the time of four: "
      "they "
      "choose the stack later than it is better. Nor does reconverge help, as the rest of both paths is one warp "
      "alone."};
  return r;
}

}  // namespace brokkr::simt
