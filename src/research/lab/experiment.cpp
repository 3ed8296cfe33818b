#include "lab/experiment.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace brokkr::lab {

ResultTable run_experiment(std::span<const Experiment> experiments, const std::string& name, LabMachine& machine,
                           const LabOptions& options, const ShowProgress& progress) {
  if (options.runs < 1 || options.iterations < 1 || options.iterations > kMaxRankIterations ||
      options.decisions < 100 || options.most_tasks < 100) {
    throw std::invalid_argument("experiment: needs a run, 1 .. 15 iterations, 100 decisions and 100 tasks at least");
  }
  if (options.workers == 1) {
    throw std::invalid_argument("experiment: one worker alone would only sort; give 2 or more");
  }
  const auto found = std::find_if(experiments.begin(), experiments.end(),
                                  [&](const Experiment& experiment) { return name == experiment.name; });
  if (found == experiments.end()) throw std::invalid_argument("experiment: there is no '" + name + "'");
  ResultTable table{name, split(found->columns), {}};
  found->run({machine, options, table, progress});
  return table;
}

void set_where(const LabRun& run, Record& m) {
  m.set("experiment", run.table.name).set("machine", run.machine.name).set("detail", run.machine.detail);
  m.set("lanes", run.machine.width());
}

Times set_times(const LabRun& run, Record& m, const std::vector<double>& ms) {
  const auto [least, most] = std::minmax_element(ms.begin(), ms.end());
  const double mean = std::accumulate(ms.begin(), ms.end(), 0.0) / double(ms.size());
  m.set("mean_ms", mean).set("min_ms", *least).set("max_ms", *most);
  if (*least < 0) m.set("error", "ended after " + std::to_string(int(run.options.seconds)) + " s");
  return {mean, *least, uint32_t(ms.size())};
}

Times repeat(const LabRun& run, Record& m, uint32_t runs, const std::function<double(uint32_t)>& once) {
  std::vector<double> ms;
  for (uint32_t i = 0; i < runs && !m.failed() && (ms.empty() || ms.back() >= 0); ++i) ms.push_back(once(i));
  return set_times(run, m, ms);
}

}  // namespace brokkr::lab
