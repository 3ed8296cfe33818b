#include "lab/queue_experiments.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "lab/result_table.h"

namespace brokkr::lab {
namespace {

// A queue in the machine's memory.
struct LabQueue {
  std::shared_ptr<void> memory;
  QueueStorage storage;
};

LabQueue make_lab_queue(LabMachine& machine, QueueKind kind, const Crew& crew, uint64_t capacity) {
  LabQueue queue;
  QueueShape& shape = queue.storage.shape;
  shape.capacity = power_above(std::clamp<uint64_t>(capacity, 1024, 1u << 26));
  shape.threads = crew.warps * crew.lanes;
  const uint32_t per_block = uint32_t(machine.warps_per_block());
  shape.homes = (crew.warps + per_block - 1) / per_block;
  queue.memory = machine.allocate(machine.queue_bytes(kind, shape));
  queue.storage.memory = static_cast<std::byte*>(queue.memory.get());
  queue.storage.abort = machine.abort_word();
  return queue;
}

// An array in the machine's memory.
template <class T>
class LabArray {
 public:
  LabArray(LabMachine& machine, size_t count)
      : machine_(machine), memory_(machine.allocate(count * sizeof(T))), count_(count) {}
  LabArray(LabMachine& machine, const std::vector<T>& values) : LabArray(machine, values.size()) {
    if (!values.empty()) machine.upload(data(), values.data(), values.size() * sizeof(T));
  }
  T* data() const { return static_cast<T*>(memory_.get()); }
  void clear() const { machine_.clear(data(), count_ * sizeof(T)); }
  std::vector<T> values(size_t first, size_t count) const {
    std::vector<T> result(count);
    machine_.download(result.data(), data() + first, count * sizeof(T));
    return result;
  }

 private:
  LabMachine& machine_;
  std::shared_ptr<void> memory_;
  size_t count_;
};

std::vector<uint32_t> warp_counts(const LabMachine& machine, const ExperimentOptions& options, QueueKind kind,
                                  Workload workload) {
  const uint32_t most = uint32_t(std::max(1, machine.most_warps(kind, workload)));
  std::vector<uint32_t> counts;
  if (!options.warps.empty()) {
    for (const uint32_t n : options.warps) {
      if (n <= most) counts.push_back(n);
    }
    return counts;
  }
  const bool gpu = machine.name() == "cuda";
  if (options.quick) return gpu ? std::vector<uint32_t>{1, most} : std::vector<uint32_t>{1, 4};
  const uint32_t last = gpu ? most : 16;
  for (uint32_t n = 1; n < last; n *= gpu ? 4 : 2) counts.push_back(n);
  counts.push_back(last);
  return counts;
}

Measurement measurement_of(const LabMachine& machine, const std::string& experiment, const Crew& crew) {
  Measurement m;
  m.experiment = experiment;
  m.machine = machine.name();
  m.detail = machine.detail();
  m.granularity = crew.lanes > 1 || machine.width() == 1 ? "thread" : "warp";
  m.warps = crew.warps;
  m.threads = crew.warps * crew.lanes;
  return m;
}

void measure_mix(LabMachine& machine, QueueKind kind, MixPlan plan, uint64_t capacity, const ExperimentOptions& options,
                 Measurement& m) {
  const LabQueue queue = make_lab_queue(machine, kind, plan.crew, capacity);
  const LabArray<MixCounts> counts(machine, plan.crew.warps);
  plan.queue = queue.storage;
  plan.counts = counts.data();
  m.queue = queue_traits(kind).name;
  m.loops = plan.most_loops;
  m.multiply_adds = plan.multiply_adds;
  m.enqueue_probability = plan.enqueue_chance / 65536.0;
  m.dequeue_probability = plan.dequeue_chance / 65536.0;
  std::vector<double> ms;
  for (uint32_t run = 0; run < options.runs; ++run) {
    machine.prepare_queue(kind, queue.storage.memory, queue.storage.shape);
    plan.seed = options.seed + run;
    ms.push_back(machine.run(kind, plan, options.seconds));
    if (ms.back() < 0) break;
  }
  m.runs = uint32_t(ms.size());
  set_times(m, ms, options.seconds);
  for (const MixCounts& c : counts.values(0, plan.crew.warps)) {
    m.enqueued += c.enqueued;
    m.dequeued += c.dequeued;
    m.full += c.full;
    m.empty += c.empty;
  }
  const double each = double(m.enqueued + m.dequeued + m.full + m.empty) / std::max(1u, m.threads);
  if (each > 0) m.ns_per_operation = m.mean_ms * 1e6 / each;
  if (m.error.empty() && m.dequeued > m.enqueued) m.error = "more elements came out than went in";
}

void measure_rank(LabMachine& machine, QueueKind kind, const Crew& crew, const Graph& graph,
                  const std::vector<uint64_t>& expected, const ExperimentOptions& options, Measurement& m) {
  const size_t nodes = graph.nodes(), items = nodes * options.iterations;
  const LabQueue queue = make_lab_queue(machine, kind, crew, items);
  const LabArray<uint32_t> first_edge(machine, graph.first_edge), target(machine, graph.target),
      in_degree(machine, graph.in_degree), arrived(machine, items), state(machine, 2);
  const LabArray<uint64_t> sum(machine, items);
  RankPlan plan;
  plan.queue = queue.storage;
  plan.crew = crew;
  plan.nodes = graph.nodes();
  plan.iterations = options.iterations;
  plan.first_edge = first_edge.data();
  plan.target = target.data();
  plan.in_degree = in_degree.data();
  plan.sum = sum.data();
  plan.arrived = arrived.data();
  plan.done = state.data();
  plan.refused = state.data() + 1;
  m.queue = queue_traits(kind).name;
  m.graph = graph.name;
  m.nodes = graph.nodes();
  m.edges = graph.edges();
  m.iterations = options.iterations;
  std::vector<double> ms;
  for (uint32_t run = 0; run < options.runs && m.error.empty(); ++run) {
    machine.prepare_queue(kind, queue.storage.memory, queue.storage.shape);
    arrived.clear();
    sum.clear();
    state.clear();
    plan.fill = 1;
    machine.run(kind, plan, options.seconds);
    plan.fill = 0;
    ms.push_back(machine.run(kind, plan, options.seconds));
    if (ms.back() < 0) break;
    if (state.values(1, 1)[0] != 0) m.error = "the queue was full";
    const uint64_t base = kRankOne / nodes * (kDampingDenominator - kDampingNumerator) / kDampingDenominator;
    std::vector<uint64_t> rank = sum.values(items - nodes, nodes);
    for (uint64_t& r : rank) r += base;
    if (m.error.empty() && rank != expected) m.error = "ranks differ from those computed in sequence";
  }
  m.runs = uint32_t(ms.size());
  set_times(m, ms, options.seconds);
  m.enqueued = m.dequeued = items;
  m.ns_per_operation = m.mean_ms * 1e6 * m.threads / double(2 * items);
}

bool is_blocking(QueueKind kind) { return queue_traits(kind).here.multi_queue == Claim::no; }
bool needs_warps(QueueKind kind) { return queue_traits(kind).here.paradigms == Claim::no; }

std::vector<QueueKind> chosen(const ExperimentOptions& options, std::vector<QueueKind> usual) {
  if (!options.queues.empty()) return options.queues;
  if (!usual.empty()) return usual;
  for (const QueueTraits& traits : kQueueTraits) usual.push_back(traits.kind);
  return usual;
}

class Experiments {
 public:
  Experiments(LabMachine& machine, const ExperimentOptions& options, const ExperimentReport& report)
      : machine_(machine),
        options_(options),
        report_(report),
        gpu_(machine.name() == "cuda"),
        width_(uint32_t(machine.width())) {}

  void atomics() {
    const char* names[] = {"contended", "own-word", "plain"};
    const uint32_t loops = options_.quick ? 1000 : gpu_ ? 1000 : 20000;
    std::vector<Crew> crews = {{1, 1}};
    for (const uint32_t warps : warp_counts(machine_, options_, QueueKind::bq, Workload::mix)) {
      crews.push_back({warps, width_});
    }
    for (int access = 0; access < 3; ++access) {
      for (const Crew& crew : crews) {
        AtomicPlan plan;
        plan.crew = crew;
        plan.loops = loops;
        plan.access = AtomicAccess(access);
        const auto words = machine_.allocate((1 + size_t(crew.warps) * crew.lanes) * 64);
        plan.words = static_cast<uint32_t*>(words.get());
        Measurement m = start("atomics", names[access], crew);
        m.granularity = "thread";
        m.loops = loops;
        std::vector<double> ms;
        for (uint32_t run = 0; run < options_.runs; ++run) ms.push_back(machine_.run(plan, options_.seconds));
        m.runs = uint32_t(ms.size());
        set_times(m, ms, options_.seconds);
        m.ns_per_operation = m.mean_ms * 1e6 / loops;
        report_.measured(m);
      }
    }
  }

  void balanced() {
    for (const uint32_t lanes : {width_, 1u}) {
      for (const QueueKind kind : chosen(options_, {})) {
        if (lanes > 1 && needs_warps(kind)) continue;  // lanes that wait for each other
        mix_over_warps("balanced", kind, lanes, 1, 1, 0, false);
      }
    }
  }

  void mix() {
    for (const auto& [put, get] : {std::pair{0.5, 0.25}, std::pair{0.25, 0.5}}) {
      for (const QueueKind kind : chosen(options_, {})) {
        if (!is_blocking(kind)) mix_over_warps("mix", kind, width_, put, get, 128, true);
      }
    }
  }

  void ratio() {
    for (const uint32_t work : {0u, 320u}) {
      for (const QueueKind kind : chosen(options_, {QueueKind::bq, QueueKind::bwd, QueueKind::bsq})) {
        if (is_blocking(kind)) continue;
        const auto warps = warp_counts(machine_, options_, kind, Workload::mix);
        if (warps.empty()) continue;
        for (int tenth = 1; tenth <= 9; tenth += options_.quick ? 4 : 1) {
          one_mix("ratio", kind, {warps.back(), width_}, tenth / 10.0, 1 - tenth / 10.0, work, true);
        }
      }
    }
  }

  void pagerank() {
    std::vector<Graph> made;
    if (options_.graphs.empty()) {
      report_.progress("pagerank: generating graphs");
      // As many nodes and edges as p2p-Gnutella31 and web-NotreDame have.
      made.push_back(options_.quick ? make_power_law_graph(2000, 6000, options_.seed)
                                    : make_power_law_graph(62586, 147892, options_.seed));
      if (!options_.quick) made.push_back(make_power_law_graph(325729, 1497134, options_.seed));
    }
    for (const Graph& graph : options_.graphs.empty() ? made : options_.graphs) {
      if (uint64_t(graph.nodes()) * options_.iterations > 1u << 26) {
        throw std::invalid_argument(
            graph.name +
            ": more than 2^26 items (nodes times iterations); choose a smaller graph or fewer --iterations");
      }
      const std::vector<uint64_t> expected = page_rank_fixed(graph, options_.iterations);
      for (const QueueKind kind : chosen(options_, {})) {
        if (is_blocking(kind)) continue;
        for (const uint32_t warps : warp_counts(machine_, options_, kind, Workload::rank)) {
          const Crew crew{warps, width_};
          Measurement m = start("pagerank", queue_traits(kind).name, crew);
          m.granularity = "thread";
          measure_rank(machine_, kind, crew, graph, expected, options_, m);
          report_.measured(m);
        }
      }
    }
  }

  void pairs() {
    const uint32_t loops = options_.loops > 0 ? options_.loops : options_.quick ? 5000 : 1000000;
    for (const QueueKind kind : chosen(options_, {QueueKind::bq, QueueKind::msq, QueueKind::lcrq, QueueKind::wfq})) {
      for (const uint32_t warps : warp_counts(machine_, options_, kind, Workload::mix)) {
        MixPlan plan;
        plan.crew = {warps, 1};
        plan.least_loops = plan.most_loops = loops;
        Measurement m = start("pairs", queue_traits(kind).name, plan.crew);
        measure_mix(machine_, kind, plan, 4096, options_, m);
        report_.measured(m);
      }
    }
  }

 private:
  LabMachine& machine_;
  const ExperimentOptions& options_;
  const ExperimentReport& report_;
  bool gpu_;
  uint32_t width_;

  Measurement start(const char* experiment, const char* queue, const Crew& crew) {
    report_.progress(std::string(experiment) + ": " + queue + ", " + std::to_string(crew.warps * crew.lanes) +
                     " threads");
    Measurement m = measurement_of(machine_, experiment, crew);
    m.queue = queue;
    return m;
  }
  void mix_over_warps(const char* experiment, QueueKind kind, uint32_t lanes, double put, double get, uint32_t work,
                      bool random_loops) {
    for (const uint32_t warps : warp_counts(machine_, options_, kind, Workload::mix)) {
      one_mix(experiment, kind, {warps, lanes}, put, get, work, random_loops);
    }
  }
  void one_mix(const char* experiment, QueueKind kind, const Crew& crew, double put, double get, uint32_t work,
               bool random_loops) {
    MixPlan plan;
    plan.crew = crew;
    plan.most_loops = options_.loops > 0 ? options_.loops : gpu_ ? 10 : options_.quick ? 50 : 1000;
    plan.least_loops = random_loops ? 1 : plan.most_loops;
    plan.enqueue_chance = uint32_t(put * 65536.0 + 0.5);
    plan.dequeue_chance = uint32_t(get * 65536.0 + 0.5);
    plan.multiply_adds = work;
    Measurement m = start(experiment, queue_traits(kind).name, crew);
    // The queue must hold all elements: with pairs one per thread, with a mix those that no thread dequeues.
    const uint64_t threads = uint64_t(crew.warps) * crew.lanes;
    measure_mix(machine_, kind, plan, random_loops ? threads * plan.most_loops : 4 * threads, options_, m);
    report_.measured(m);
  }
};

template <auto experiment>
void run(LabMachine& machine, const ExperimentOptions& options, const ExperimentReport& report) {
  (Experiments(machine, options, report).*experiment)();
}

constexpr std::array<QueueExperiment, 6> kExperiments = {{
    {"atomics", "4.1", "additions to one word by many threads, beside plain loads and stores",
     run<&Experiments::atomics>},
    {"balanced", "4.2, A.2-A.5", "pairs of enqueue and dequeue, by every lane and by one lane of each warp",
     run<&Experiments::balanced>},
    {"mix", "4.3, A.6, A.7", "twice as many enqueues as dequeues and the reverse, 128 multiply-adds per element",
     run<&Experiments::mix>},
    {"ratio", "4.5", "BQ, BWD and BSQ over the share of enqueues, without work and with 320 multiply-adds",
     run<&Experiments::ratio>},
    {"pagerank", "4.4, A.8, A.9", "page rank over queues, checked against a sequential one",
     run<&Experiments::pagerank>},
    {"pairs", "A.1", "long runs of pairs by few threads, as CPU queues are compared", run<&Experiments::pairs>},
}};

}  // namespace

uint32_t power_above(uint64_t n) {
  uint32_t p = 2;
  while (p < n && p < 1u << 31) p *= 2;
  return p;
}

std::span<const QueueExperiment> queue_experiments() { return kExperiments; }

std::vector<std::string> measurement_columns() {
  return {"experiment", "machine",  "detail",    "queue",     "granularity",
          "threads",    "warps",    "p_enqueue", "p_dequeue", "multiply_adds",
          "loops",      "graph",    "nodes",     "edges",     "iterations",
          "runs",       "mean_ms",  "min_ms",    "max_ms",    "ns_per_operation",
          "enqueued",   "dequeued", "full",      "empty",     "error"};
}

std::vector<std::string> measurement_cells(const Measurement& m) {
  return row(m.experiment, m.machine, m.detail, m.queue, m.granularity, m.threads, m.warps, m.enqueue_probability,
             m.dequeue_probability, m.multiply_adds, m.loops, m.graph, m.nodes, m.edges, m.iterations, m.runs,
             m.mean_ms, m.min_ms, m.max_ms, m.ns_per_operation, m.enqueued, m.dequeued, m.full, m.empty, m.error);
}

void run_queue_experiment(const std::string& name, LabMachine& machine, const ExperimentOptions& options,
                          const ExperimentReport& report) {
  if (options.runs < 1 || options.iterations < 1 || options.iterations > kMaxRankIterations) {
    throw std::invalid_argument("queue experiment: needs one run or more, and 1 .. 15 iterations");
  }
  for (const QueueExperiment& e : kExperiments) {
    if (name == e.name) return e.run(machine, options, report);
  }
  throw std::invalid_argument("queue experiment: there is no '" + name + "'");
}

}  // namespace brokkr::lab
