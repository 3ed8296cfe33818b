// Shared by the experiments of [Kerbl18, chapters 4 and 5]: their table, their options, and repeated runs of a
// configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/memory_budget.h"
#include "brokkr/frame.h"
#include "brokkr/options.h"
#include "lab/lab_machine.h"

namespace brokkr::lab {

// Directed graphs for page rank: SNAP's edge lists, generated power-law graphs, and sequentially computed ranks.
struct Graph {
  std::string name;
  std::vector<uint32_t> first_edge;    // [nodes + 1]
  std::vector<uint32_t> target;        // [edges]; those of node i are first_edge[i] .. first_edge[i + 1] - 1
  std::vector<uint32_t> in_degree;     // [nodes]
  std::shared_ptr<HeldMemory> memory;  // its share of a budget

  uint32_t nodes() const { return uint32_t(in_degree.size()); }
  uint32_t edges() const { return uint32_t(target.size()); }
};

inline constexpr uint32_t kMaxGraphNodes = 1u << 27, kMaxGraphEdges = 1u << 30;

// Reads an edge list in the format of https://snap.stanford.edu/data: lines "from to" of two whole numbers; # starts a
// comment; plain or compressed (.txt.gz). Numbers may have gaps: nodes are renumbered in order. Duplicate edges are
// kept. Throws std::runtime_error that names file and line, and if `budget` is given and has too little memory.
Graph read_edge_list(const std::filesystem::path& path, const std::shared_ptr<MemoryBudget>& budget = nullptr);

// As above, for a text; `name` appears in messages.
Graph parse_edge_list(const std::string& text, const std::string& name,
                      const std::shared_ptr<MemoryBudget>& budget = nullptr);

// A graph whose in- and out-degrees follow power laws, like links of the web and of peer-to-peer networks. An edge's
// ends are drawn with weights (i + 1)^-0.5 (out) and (i + 1)^-0.75 (in) over two independent orders of the nodes, so
// that about d^-3 and d^-2.3 of the nodes have degree d. There are no duplicate edges and no loops. The result depends
// only on the arguments. nodes: 2 .. kMaxGraphNodes; edges: at most nodes * 16 and at most a quarter of all possible
// ones. Throws std::invalid_argument, and as read_edge_list for the budget.
Graph make_power_law_graph(uint32_t nodes, uint32_t edges, uint64_t seed,
                           const std::shared_ptr<MemoryBudget>& budget = nullptr);

// Ranks after `iterations` iterations, starting from 1 / nodes: 0.15 / nodes + 0.85 * (sum of predecessors' rank /
// their out-degree). Rank that flows into nodes without successors is lost. Uses the fixed-point numbers of RankPlan.
std::vector<uint64_t> page_rank_fixed(const Graph& graph, uint32_t iterations);

// Results of an experiment as rows of text, the content of its CSV file.

using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

// A value that was not measured is an empty cell: an empty optional, or a number that is not finite.
inline std::string cell(const std::string& text) { return text; }
inline std::string cell(const char* text) { return text; }
std::string cell(double value);  // six significant digits
template <class T>
requires std::is_integral_v<T> std::string cell(T value) { return std::to_string(value); }

inline void append(Rows& rows, Rows more) {
  rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

template <class... Values>
Row row(const Values&... values) {
  return {cell(values)...};
}

// A row that is filled by column name.
class Record {
 public:
  template <class T>
  Record& set(const std::string& column, const T& value) {
    cells_[column] = cell(value);
    return *this;
  }
  const std::map<std::string, std::string>& cells() const { return cells_; }
  bool failed() const { return cells_.contains("error"); }

 private:
  std::map<std::string, std::string> cells_;
};

struct ResultTable {
  std::string name;  // the file is named COMMAND-NAME.csv
  Row columns;
  Rows rows;  // one cell per column; an empty cell has no value

  // Columns that the record does not set stay empty. Throws std::logic_error if it sets unknown ones.
  void add(const Record& record);
};

// Splits "a,b,c" into its parts.
Row split(const std::string& list);

// Lines of a CSV file; commas, quotes and line ends inside a cell become spaces.
std::string to_csv(const Row& columns, const Rows& rows);
// The cells of a text written by to_csv, without the line of column names.
Rows from_csv(const std::string& text);

using ShowProgress = std::function<void(const std::string&)>;  // one line

struct LabOptions {
  uint32_t runs = 5;  // per configuration
  uint32_t seed = 1;
  bool quick = false;   // few sizes and points: tests that everything works, does not measure how fast or how well
  double seconds = 60;  // time limit of a run
  std::shared_ptr<MemoryBudget> budget;  // for graphs and for host memory of experiments; null: unlimited

  // For the experiments with queues.
  std::vector<QueueKind> queues;  // empty: the queues that the experiment compares
  std::vector<uint32_t> warps;    // empty: powers of two, 1 .. 16 on the CPU, up to full occupancy on a GPU
  uint32_t loops = 0;         // maximum number of enqueue and dequeue pairs per thread; 0: 10 on a GPU, 1000 on the CPU
  uint32_t iterations = 8;    // for page rank, 1 .. kMaxRankIterations
  std::vector<Graph> graphs;  // for page rank; empty: power-law graphs as large as the two networks of [Kerbl18]

  // For the experiments with scheduling.
  uint32_t workers = 0;        // warps that run tasks, 2 or more; 0: on a CPU one per core but at least 2, on a GPU 256
  uint32_t decisions = 10000;  // for the experiment with quotas, 100 or more
  uint32_t max_tasks = 1000000;  // maximum number of tasks queued at once in the experiment with accuracy, 100 or more

  // For the experiments with frames that are cut off.
  std::string scene = "generated:city";
  int views = 0, view_size = 0;  // for the experiment with views; 0: a scene has 4 views (a captured frame has its own)
  RenderOptions render;          // machine, workers, fixation; the experiment sets policy and budget
};

// A running experiment.
struct LabRun {
  LabMachine& machine;
  const LabOptions& options;
  ResultTable& table;
  const ShowProgress& progress;
};

struct Experiment {
  const char* name;
  const char* figure;  // in [Kerbl18]
  const char* title;
  const char* columns;  // "a,b,c"
  void (*run)(const LabRun&);
  const char* paper = "";  // the finding of [Kerbl18], printed beside the results
};

// Runs an experiment by name. Throws std::invalid_argument for an unknown name or options out of range.
ResultTable run_experiment(std::span<const Experiment> experiments, const std::string& name, LabMachine& machine,
                           const LabOptions& options, const ShowProgress& progress);

struct Times {
  double mean = 0, least = 0;  // milliseconds
  uint32_t runs = 0;
};

// Sets the columns that identify the machine: experiment, machine, detail (instruction set, or the GPU's name) and
// lanes per warp.
void set_where(const LabRun& run, Record& m);

// Sets a row's mean_ms, min_ms and max_ms from the milliseconds of one or more runs. A negative value means that a run
// was aborted, and sets the row's error.
Times set_times(const LabRun& run, Record& m, const std::vector<double>& ms);

// Returns whether the error of a row says that a run reached the time limit. Such a run shows no fault of the queue: a
// thread that spins on a lock can wait for a thread that has no core.
bool is_time_limit(const std::string& error);

// As above, for runs 0 .. runs - 1 of a configuration. Stops after a run that was aborted or sets the row's error.
Times repeat(const LabRun& run, Record& m, uint32_t runs, const std::function<double(uint32_t)>& once);

// The experiments of [Kerbl18, 4.6 and appendix A].

// In running order. Some columns:
//   queue                            the queue, or for atomics the kind of access
//   granularity                      "thread": every lane uses the queue; "warp": one lane of each warp
//   ns_per_operation                 mean_ms divided by the operations of one thread
//   enqueued, dequeued, full, empty  counts of the last run
//   error                            the problem that makes the times invalid
std::span<const Experiment> queue_experiments();

// The experiments of [Kerbl18, 5.3] with scheduling policies.

// In running order. Columns that an experiment does not measure stay empty. Some columns:
//   system                               the scheduler: fifo, separate buckets, sorted, ...
//   workers                              number of warps, including those that sort
//   sorting_threads                      number of lanes in warps that only sort
//   tasks                                number of tasks queued at once, or created
//   load                                 factor for the tasks of the jobs in [Kerbl18, 5.3.4] on kThesisBlocks workers
//   quota, share                         percentages of time
//   on_time                              percentage of tasks
//   late_ms, least_late_ms, most_late_ms time from the deadline to the end of the task
//   accuracy                             S of [Kerbl18, 5.3.5], in percent
//   mean_ms, min_ms, max_ms              duration of a run
//   overhead                             minimum time relative to that of `baseline`, in percent; on a CPU, the
//                                        experiment with overhead uses the threads' processor time
//   refused                              tasks that found their queue full
std::span<const Experiment> schedule_experiments();

// S of [Kerbl18, 5.3.5] in percent: among all pairs of a started task and a task queued at that time, the fraction in
// the right order. Equal priorities are in the right order. `numbers`: tasks in starting order; the i-th of them
// created task tasks + i.
double schedule_accuracy(const std::vector<uint32_t>& numbers, uint32_t tasks, uint32_t seed);

// Compares policies for frames that are cut off: picture quality at equal time, near a fixation point and in important
// views.
struct FoveatedOptions {
  RenderOptions render;         // machine, workers, fixation; the experiment sets policy and budget
  std::vector<double> budgets;  // fractions of a whole frame's time, one or more
  uint32_t runs = 5;            // 1 or more
  int rings = 12;               // 1 or more, from the fixation point to the farthest corner
};

// One row for each machine (name, instruction set and lanes), policy (by its command-line name), budget and part of the
// main target, over all runs:
//   where             "ring": pixels by distance; "view": one view; "others": all views except the most important;
//                     "all"
//   frame_ms          mean, including work that finishes after the budget
//   from_px, to_px    the ring's distances from the fixation point
//   view, priority    of the measured view
//   psnr_db           of red, green and blue, relative to the whole frame's picture; 99 if they are equal
//   right_percent     percentage of pixels equal to those of the whole frame's picture
inline constexpr const char* kFoveatedColumns =
    "machine,detail,lanes,policy,where,budget,budget_ms,frame_ms,from_px,to_px,view,priority,pixels,psnr_db,right_"
    "percent";

enum class CutOff : uint8_t {
  foveated,  // fill-level (first in, first out) against foveated, by distance from the fixation point
  // fill-level against priority, by view: the last view of the main target is the most important, all others are equal.
  // Views are distinguished by their layers.
  views,
};

// Adds rows of kFoveatedColumns. Throws std::invalid_argument for options out of range, for a main target that is not
// RGBA8, and for `views` if the main target's views do not cover at least two layers.
void compare_cut_off(CutOff what, const Frame& frame, const FoveatedOptions& options, ResultTable& table,
                     const ShowProgress& progress);

// As above, as an experiment on the scene in the options.
template <CutOff what>
void cut_off(const LabRun& run);

}  // namespace brokkr::lab
