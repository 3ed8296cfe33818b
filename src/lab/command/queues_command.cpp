// brokkr queues: the experiments of [Kerbl18, chapter 4].
#include <algorithm>
#include <cctype>
#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/pipeline_options.h"
#include "app/text.h"
#include "lab/command/commands.h"
#include "lab/command/experiment_output.h"
#include "lab/queue_experiments.h"

namespace brokkr::app {
namespace {

using lab::Measurement;

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<QueueKind> queues_of(const std::string& list) {
  std::vector<QueueKind> kinds;
  for (std::string name : split(list)) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    const auto found = std::find_if(kQueueTraits.begin(), kQueueTraits.end(),
                                    [&](const QueueTraits& traits) { return name == traits.name; });
    if (found == kQueueTraits.end()) {
      throw UsageError("--queues: there is no '" + printable(name) + "'; `brokkr queues --list` shows them all");
    }
    kinds.push_back(found->kind);
  }
  return kinds;
}

std::vector<uint32_t> warps_of(const std::string& list) {
  std::vector<uint32_t> warps;
  for (const std::string& text : split(list)) {
    uint32_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size() || n < 1 || n > 65536) {
      throw UsageError("--warps: '" + printable(text) + "' is not a number in 1 .. 65536; give a list as in 1,2,4");
    }
    warps.push_back(n);
  }
  return warps;
}

const char* mark(Claim claim) { return claim == Claim::yes ? "yes" : claim == Claim::partial ? "partly" : "-"; }

void list_queues() {
  std::vector<std::vector<std::string>> rows;
  for (const QueueTraits& q : kQueueTraits) {
    std::vector<std::string> row = {q.name};
    const auto cell = [&](Claim table, Claim here) {
      row.push_back(table == here ? mark(here) : std::string(mark(here)) + "*");
    };
    cell(q.table.scalable, q.here.scalable);
    cell(q.table.fair, q.here.fair);
    cell(q.table.linearizable, q.here.linearizable);
    cell(q.table.low_footprint, q.here.low_footprint);
    cell(q.table.static_memory, q.here.static_memory);
    cell(q.table.paradigms, q.here.paradigms);
    cell(q.table.multi_queue, q.here.multi_queue);
    cell(q.table.multi_element, q.here.multi_element);
    rows.push_back(row);
  }
  std::cout << format_table({"queue", "scalable", "fair", "linearizable", "footprint", "static", "paradigms",
                             "multi-queue", "multi-element"},
                            rows)
            << "* differs from Table 4.1 of Kerbl 2018 (docs/references.md)\n\nqueues:\n";
  for (const QueueTraits& q : kQueueTraits) {
    std::cout << "  " << q.name << std::string(6 - std::string(q.name).size(), ' ') << q.title << " (" << q.source
              << ")\n";
    if (*q.difference != '\0') std::cout << "        here: " << q.difference << '\n';
  }
  std::cout << "\nexperiments:\n";
  for (const lab::QueueExperiment& e : lab::queue_experiments()) {
    std::cout << "  " << e.name << std::string(10 - std::string(e.name).size(), ' ') << e.title << " (Fig. " << e.figure
              << ")\n";
  }
}

void print(const std::vector<Measurement>& all) {
  std::vector<std::vector<std::string>> rows;
  for (const Measurement& m : all) {
    rows.push_back({m.experiment + " " + m.queue, m.granularity, std::to_string(m.threads),
                    fixed(m.enqueue_probability, 2) + "/" + fixed(m.dequeue_probability, 2),
                    std::to_string(m.multiply_adds), m.graph.empty() ? "-" : m.graph, fixed(m.mean_ms, 3),
                    fixed(m.min_ms, 3), fixed(m.max_ms, 3), fixed(m.ns_per_operation, 1),
                    m.error.empty() ? "" : "  " + m.error});
  }
  std::cout << format_table(
      {"experiment", "per", "threads", "enq/deq", "work", "graph", "mean ms", "min ms", "max ms", "ns/op", ""}, rows);
}

lab::ExperimentOptions options_of(const Arguments& arguments) {
  lab::ExperimentOptions o;
  o.quick = arguments.has("quick");
  if (arguments.has("queues")) o.queues = queues_of(arguments.text("queues"));
  if (arguments.has("warps")) o.warps = warps_of(arguments.text("warps"));
  o.loops = uint32_t(arguments.integer("loops", 0));
  o.runs = uint32_t(arguments.integer("runs", o.quick ? 2 : 5));
  o.iterations = uint32_t(arguments.integer("iterations", 8));
  o.seed = uint32_t(arguments.integer("seed", 1));
  o.seconds = arguments.real("seconds", 60);
  for (const std::string& path : arguments.all("graph")) o.graphs.push_back(lab::read_edge_list(path));
  for (const std::string& nodes : arguments.all("nodes")) {
    const auto n = uint32_t(std::strtoul(nodes.c_str(), nullptr, 10));
    o.graphs.push_back(lab::make_power_law_graph(n, 4 * n, o.seed));
  }
  return o;
}

int run_queues(const Arguments& arguments) {
  if (arguments.has("list")) {
    list_queues();
    return kSuccess;
  }
  std::vector<std::string> names = arguments.all("EXPERIMENT");
  if (names.empty()) names = names_of(lab::queue_experiments());
  const lab::ExperimentOptions options = options_of(arguments);
  const auto machine = lab::make_lab_machine(arguments.text("machine", "auto"));
  const ResultFiles files("queues", arguments);
  std::vector<Measurement> all;
  ResultTable everything{"all", lab::measurement_columns(), {}};
  {
    Progress progress;
    for (const std::string& name : names) {
      ResultTable part{name, everything.columns, {}};
      lab::run_queue_experiment(name, *machine, options,
                                {.measured =
                                     [&](const Measurement& m) {
                                       all.push_back(m);
                                       part.rows.push_back(lab::measurement_cells(m));
                                     },
                                 .progress = [&](const std::string& what) { progress.show(what); }});
      files.add(part);
      everything.rows.insert(everything.rows.end(), part.rows.begin(), part.rows.end());
    }
  }
  nlohmann::ordered_json document = lab_heading(*machine, options.seed, options.runs);
  document["measurements"] = json_rows(everything);
  if (files.finish(document)) print(all);
  const auto failed = std::find_if(all.begin(), all.end(), [](const Measurement& m) { return !m.error.empty(); });
  if (failed == all.end()) return kSuccess;
  throw std::runtime_error(failed->experiment + " " + failed->queue + " with " + std::to_string(failed->threads) +
                           " threads: " + failed->error);
}

}  // namespace

Command queues_command() {
  const std::vector<Option> own = {
      flag("--list", "Show the queues with their properties, and the experiments"),
      text_option("--queues", "LIST", "Queues to measure, as in BQ,BWD,LCRQ"),
      text_option("--warps", "LIST", "Warps at once, as in 1,2,4 (powers of two)"),
      integer_option("--loops", "Pairs of enqueue and dequeue per thread (10 on a GPU, 1000 on the CPU)", 1, 100000000),
      several(file_option(
          "--graph", "FILE",
          "Page rank of this graph: an edge list of the SNAP collection, .txt or .txt.gz; may be repeated")),
      several(integer_option("--nodes", "Page rank of a power-law graph with N nodes and 4 N edges; may be repeated",
                             32, 4000000)),
      integer_option("--iterations", "Iterations of page rank (8)", 1, lab::kMaxRankIterations)};
  return {"queues", "Measure concurrent queues beside each other",
          joined(joined(joined(experiment_options(names_of(lab::queue_experiments()),
                                                  "Few pairs and threads, a small graph: some seconds for everything"),
                               own),
                        lab_options("Where the queues run", 5)),
                 result_options("queues")),
          run_queues};
}

}  // namespace brokkr::app
