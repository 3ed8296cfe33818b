// brokkr schedule: the experiments of [Kerbl18, chapter 5].

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iostream>

#include "app/pipeline_options.h"
#include "app/text.h"
#include "brokkr/frame.h"
#include "lab/command/experiment_output.h"
#include "lab/experiment.h"

namespace brokkr::app {

// brokkr queues: the experiments of [Kerbl18, chapter 4].

namespace {

std::vector<QueueKind> queues_of(const std::string& list) {
  std::vector<QueueKind> kinds;
  for (std::string name : lab::split(list)) {
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
  for (const std::string& text : lab::split(list)) {
    uint32_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size() || n < 1 || n > 65536) {
      throw UsageError("--warps: '" + printable(text) + "' is not a number in 1 .. 65536; give a list such as 1,2,4");
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
    for (const auto claim : {&QueueClaims::scalable, &QueueClaims::fair, &QueueClaims::linearizable,
                             &QueueClaims::low_footprint, &QueueClaims::static_memory, &QueueClaims::paradigms,
                             &QueueClaims::multi_queue, &QueueClaims::multi_element}) {
      row.push_back(mark(q.here.*claim) + std::string(q.here.*claim == q.table.*claim ? "" : "*"));
    }
    rows.push_back(row);
  }
  std::cout << format_table({"queue", "scalable", "fair", "linearizable", "footprint", "static", "paradigms",
                             "multi-queue", "multi-element"},
                            rows)
            << "* differs from Table 4.1 of Kerbl 2018 (docs/reference/references.md)\n\nqueues:\n";
  for (const QueueTraits& q : kQueueTraits) {
    std::cout << fmt::format("  {:<6}{} ({})\n", q.name, q.title, q.source);
    if (*q.difference != '\0') std::cout << "        here: " << q.difference << '\n';
  }
  std::cout << "\nexperiments:\n";
  for (const lab::Experiment& e : lab::queue_experiments())
    std::cout << fmt::format("  {:<10}{} (Fig. {})\n", e.name, e.title, e.figure);
}

int run_queues(const Arguments& arguments) {
  if (arguments.has("list")) {
    list_queues();
    return kSuccess;
  }
  lab::LabOptions o =
      lab_options_of(arguments, 2, 5, "choose fewer --warps or --loops, a smaller graph or fewer --iterations");
  if (arguments.has("queues")) o.queues = queues_of(arguments.text("queues"));
  if (arguments.has("warps")) o.warps = warps_of(arguments.text("warps"));
  o.loops = uint32_t(arguments.integer("loops", 0));
  o.iterations = uint32_t(arguments.integer("iterations", 8));
  for (const std::string& path : arguments.all("graph")) o.graphs.push_back(lab::read_edge_list(path, o.budget));
  for (const std::string& nodes : arguments.all("nodes")) {
    const auto n = uint32_t(std::stoul(nodes));
    o.graphs.push_back(lab::make_power_law_graph(n, 4 * n, o.seed, o.budget));
  }
  std::vector<std::string> names = arguments.all("EXPERIMENT");
  if (names.empty()) names = names_of(lab::queue_experiments());
  return run_lab("queues", lab::queue_experiments(), names, o, arguments, "measurements");
}

}  // namespace

Command queues_command() {
  const std::vector<Option> command_options = {
      flag("--list", "List the queues with their properties, and the experiments"),
      text_option("--queues", "LIST", "Queues to measure, such as BQ,BWD,LCRQ"),
      text_option("--warps", "LIST",
                  "Numbers of warps that run at once, such as 1,2,3: 1 .. 256, on a GPU as many as it holds (1,2,4 .. "
                  "16, on a GPU 1,4,16 ..)"),
      integer_option("--loops", "Pairs of enqueue and dequeue per thread (10 on a GPU, 1000 on the CPU)", 1, 100000000),
      several(file_option(
          "--graph", "FILE",
          "Page rank of this graph: an edge list of the SNAP collection, .txt or .txt.gz; may be repeated")),
      several(integer_option("--nodes", "Page rank of a power-law graph with N nodes and 4 N edges; may be repeated",
                             32, 4000000)),
      integer_option("--iterations", "Iterations of page rank (8)", 1, lab::kMaxRankIterations)};
  return {"queues", "Compare concurrent queues",
          lab_options("queues", lab::queue_experiments(),
                      "Few pairs and threads, a small graph: some seconds for everything", command_options,
                      "Where the queues run", 5),
          run_queues};
}

namespace {

int run_schedule(const Arguments& arguments) {
  lab::LabOptions o = lab_options_of(arguments, 1, 3, "choose fewer --tasks, --decisions or --workers");
  o.workers = uint32_t(arguments.integer("workers", 0));
  o.decisions = uint32_t(arguments.integer("decisions", o.quick ? 2000 : 10000));
  o.max_tasks = uint32_t(arguments.integer("tasks", 1000000));
  o.scene = arguments.text("scene", o.scene);
  o.views = int(arguments.integer("views", 0));
  o.view_size = int(arguments.integer("view-size", 0));
  read_options(arguments.without("machine").without("isa"), o.render);  // each experiment chooses its policy
  const LabPlace place = lab_place_of(arguments);
  for (const auto& choice : Choices<MachineKind>::all) {
    if (place.machine == choice.name) o.render.machine = choice.value;
  }
  o.render.isa = place.isa;
  std::vector<std::string> names = arguments.all("EXPERIMENT");
  if (names.empty()) {
    names = names_of(lab::schedule_experiments());
    // Most captured frames have one view, so the comparison of views runs on them only if it is named.
    if (o.scene.ends_with(".bkf")) std::erase(names, "views");
  }
  return run_lab("schedule", lab::schedule_experiments(), names, o, arguments);
}

}  // namespace

Command schedule_command() {
  const std::vector<Option> command_options = {
      integer_option("--workers", "Warps that run tasks, blocks of a frame (one per core, at least 2)", 2, 65536),
      integer_option("--decisions", "Decisions in the experiment with quotas (10000)", 100, 1000000),
      integer_option("--tasks", "Maximum number of tasks queued at once in the experiment with accuracy (1000000)", 100,
                     1000000),
      text_option("--scene", "SCENE", "Frame or scene of the experiments foveated and views (generated:city)"),
      text_option("--fixation", "X,Y", "Fixation point, in pixels from the lower left corner (the centre)"),
      integer_option("--views", "Views in the experiment with views (4)", 2, kMaxTargetLayers),
      integer_option("--view-size", "Pixels per side of each of them (720)", 1, kMaxTargetSize)};
  return {"schedule", "Compare scheduling policies",
          lab_options("schedule", lab::schedule_experiments(), "Few tasks and points: some seconds for everything",
                      command_options, "Where tasks and frames run", 3),
          run_schedule};
}

}  // namespace brokkr::app
