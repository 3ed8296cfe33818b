#include "lab/experiment_run.h"

#include <algorithm>
#include <numeric>

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

}  // namespace

uint32_t power_above(uint64_t n) {
  uint32_t p = 2;
  while (p < n && p < 1u << 31) p *= 2;
  return p;
}

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

}  // namespace brokkr::lab
