// brokkr queues: the experiments of thesis chapter 4.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/picture.h"
#include "cli/text.h"
#include "lab/queue_experiments.h"
#include "scene/file_io.h"

namespace brokkr::cli {
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
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return char(std::toupper(c)); });
    const auto found = std::find_if(kQueueTraits.begin(), kQueueTraits.end(),
                                    [&](const QueueTraits& traits) { return name == traits.name; });
    if (found == kQueueTraits.end()) {
      throw UsageError("--queues: there is no '" + printable(name) +
                       "'; `brokkr queues --list` shows them all");
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
      throw UsageError("--warps: '" + printable(text) +
                       "' is not a number in 1 .. 65536; give a list as in 1,2,4");
    }
    warps.push_back(n);
  }
  return warps;
}

const char* mark(Claim claim) {
  return claim == Claim::yes ? "yes" : claim == Claim::partial ? "partly" : "-";
}

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
            << "* differs from Table 4.1 of the thesis\n\nqueues:\n";
  for (const QueueTraits& q : kQueueTraits) {
    std::cout << "  " << q.name << std::string(6 - std::string(q.name).size(), ' ') << q.title << " ("
              << q.source << ")\n";
    if (*q.difference != '\0') std::cout << "        here: " << q.difference << '\n';
  }
  std::cout << "\nexperiments:\n";
  for (const lab::QueueExperiment& e : lab::queue_experiments()) {
    std::cout << "  " << e.name << std::string(10 - std::string(e.name).size(), ' ') << e.title << " (Fig. "
              << e.figure << ")\n";
  }
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  write_file(path, std::as_bytes(std::span(text)));
}

std::string csv(const std::vector<Measurement>& all) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text;
    for (const std::string& cell : cells) {
      std::string safe = cell;
      std::replace_if(
          safe.begin(), safe.end(), [](char c) { return c == ',' || c == '"' || c == '\n'; }, ' ');
      text += (text.empty() ? "" : ",") + safe;
    }
    return text + "\n";
  };
  std::string text = line(lab::measurement_columns());
  for (const Measurement& m : all) text += line(lab::measurement_cells(m));
  return text;
}

std::string to_json(const std::vector<Measurement>& all, const lab::LabMachine& machine,
                    const lab::ExperimentOptions& options) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const auto columns = lab::measurement_columns();
  for (const Measurement& m : all) {
    const auto cells = lab::measurement_cells(m);
    nlohmann::ordered_json row;
    for (size_t i = 0; i < columns.size(); ++i) {
      const char *begin = cells[i].data(), *end = begin + cells[i].size();
      uint64_t whole = 0;
      double value = 0;
      if (std::from_chars(begin, end, whole).ptr == end && begin != end) {
        row[columns[i]] = whole;
      } else if (std::from_chars(begin, end, value).ptr == end && begin != end) {
        row[columns[i]] = value;
      } else {
        row[columns[i]] = cells[i];
      }
    }
    rows.push_back(row);
  }
  return json_text({{"machine", machine.name()},
                    {"detail", machine.detail()},
                    {"cores", std::thread::hardware_concurrency()},
                    {"seed", options.seed},
                    {"runs", options.runs},
                    {"measurements", rows}});
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
  std::cout << format_table({"experiment", "per", "threads", "enq/deq", "work", "graph", "mean ms", "min ms",
                             "max ms", "ns/op", ""},
                            rows);
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
  if (names.empty()) {
    for (const lab::QueueExperiment& e : lab::queue_experiments()) names.emplace_back(e.name);
  }
  const lab::ExperimentOptions options = options_of(arguments);
  const auto machine = lab::make_lab_machine(arguments.text("machine", "auto"));
  const std::string folder = arguments.text("output"), json = arguments.text("json");
  if (!folder.empty()) std::filesystem::create_directories(folder);
  std::vector<Measurement> all;
  {
    Progress progress;
    for (const std::string& name : names) {
      std::vector<Measurement> part;
      lab::run_queue_experiment(name, *machine, options,
                                {.measured = [&](const Measurement& m) { part.push_back(m); },
                                 .progress = [&](const std::string& what) { progress.show(what); }});
      if (!folder.empty()) write_text(std::filesystem::path(folder) / ("queues-" + name + ".csv"), csv(part));
      all.insert(all.end(), part.begin(), part.end());
    }
  }
  if (json == "-") {
    std::cout << to_json(all, *machine, options);
  } else {
    if (!json.empty()) write_text(json, to_json(all, *machine, options));
    print(all);
  }
  const auto failed =
      std::find_if(all.begin(), all.end(), [](const Measurement& m) { return !m.error.empty(); });
  if (failed == all.end()) return kSuccess;
  throw std::runtime_error(failed->experiment + " " + failed->queue + " with " +
                           std::to_string(failed->threads) + " threads: " + failed->error);
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const lab::QueueExperiment& e : lab::queue_experiments()) names.emplace_back(e.name);
  return names;
}

}  // namespace

Command queues_command() {
  return {
      "queues",
      "Measure concurrent queues beside each other",
      {{.names = "EXPERIMENT",
        .kind = ValueKind::choice,
        .value = "EXPERIMENT",
        .help = "What to measure (all)",
        .choices = experiment_names(),
        .repeat = true},
       {.names = "--list", .help = "Show the queues with their properties, and the experiments"},
       {.names = "--machine",
        .kind = ValueKind::choice,
        .value = "M",
        .help = "Where the queues run (auto)",
        .choices = {"auto", "cuda", "cpu", "emulated"}},
       {.names = "--queues",
        .kind = ValueKind::text,
        .value = "LIST",
        .help = "Only these, as in BQ,BWD,LCRQ"},
       {.names = "--warps",
        .kind = ValueKind::text,
        .value = "LIST",
        .help = "Warps at once, as in 1,2,4 (powers of two)"},
       {.names = "--loops",
        .kind = ValueKind::integer,
        .value = "N",
        .help = "Pairs of enqueue and dequeue per thread (10 on a GPU, 1000 on the CPU)",
        .min = 1,
        .max = 100000000},
       {.names = "--runs",
        .kind = ValueKind::integer,
        .value = "N",
        .help = "Runs of each configuration (5)",
        .min = 1,
        .max = 1000},
       {.names = "--quick", .help = "Few pairs and threads, a small graph: some seconds for everything"},
       {.names = "--graph",
        .kind = ValueKind::file,
        .value = "FILE",
        .help =
            "Page rank of this graph: an edge list of the SNAP collection, .txt or .txt.gz; may be repeated",
        .repeat = true},
       {.names = "--nodes",
        .kind = ValueKind::integer,
        .value = "N",
        .help = "Page rank of a power-law graph with N nodes and 4 N edges; may be repeated",
        .min = 32,
        .max = 4000000,
        .repeat = true},
       {.names = "--iterations",
        .kind = ValueKind::integer,
        .value = "N",
        .help = "Iterations of page rank (8)",
        .min = 1,
        .max = lab::kMaxRankIterations},
       {.names = "--seed",
        .kind = ValueKind::integer,
        .value = "N",
        .help = "Seed of what is drawn (1)",
        .min = 0,
        .max = 4294967295.0},
       {.names = "--seconds",
        .kind = ValueKind::real,
        .value = "S",
        .help = "End a run after so long (60)",
        .min = 0.1,
        .max = 3600},
       {.names = "-o,--output",
        .kind = ValueKind::file,
        .value = "DIR",
        .help = "Also write queues-EXPERIMENT.csv into this folder"},
       {.names = "--json",
        .kind = ValueKind::file,
        .value = "FILE.json",
        .help = "Write all measurements; - prints them instead of the table"}},
      run_queues};
}

}  // namespace brokkr::cli
