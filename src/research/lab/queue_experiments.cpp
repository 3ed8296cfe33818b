#include "base/processors.h"
#include "lab/experiment.h"

#include <algorithm>
#include <stdexcept>

namespace brokkr::lab {
namespace {

// A queue in the memory of the machine.
struct LabQueue {
  LabArray<std::byte> memory;
  QueueStorage storage;
};

LabQueue make_lab_queue(LabMachine& machine, QueueKind kind, const Crew& crew, uint64_t capacity) {
  QueueShape shape;
  shape.capacity = power_above(std::clamp<uint64_t>(capacity, 1024, 1u << 26));
  shape.threads = crew.warps * crew.lanes;
  shape.homes = (crew.warps + machine.warps_per_block - 1) / machine.warps_per_block;
  const LabArray<std::byte> memory(machine, machine.queue(kind).bytes(shape));
  return {memory, {memory.data(), machine.abort_word(), shape}};
}

// The numbers of warps to measure a kernel with. Throws std::invalid_argument if more are requested than can run at the
// same time.
template <class Plan>
std::vector<uint32_t> warp_counts(const LabRun& run, const LabKernel<Plan>& kernel) {
  const uint32_t most = std::max(1u, run.machine.max_warps(kernel.on_gpu));
  std::vector<uint32_t> counts = run.options.warps;
  for (const uint32_t n : counts) {
    if (n < 1 || n > most) {
      throw std::invalid_argument("--warps " + std::to_string(n) + ": " + run.table.name + " on machine " +
                                  run.machine.name + " runs 1 .. " + std::to_string(most) + " warps at once");
    }
  }
  if (!counts.empty()) return counts;
  const bool gpu = run.machine.is_gpu();
  if (run.options.quick) return gpu ? std::vector<uint32_t>{1, most} : std::vector<uint32_t>{1, 4};
  // On a CPU, measures up to 16 warps and up to 16 times as many threads as cores, like [Kenzel23].
  const uint32_t last = gpu ? most : std::max(16u, 16 * uint32_t(usable_processors()));
  for (uint32_t n = 1; n < last; n *= gpu ? 4 : 2) counts.push_back(n);
  counts.push_back(last);
  return counts;
}

// Starts the row of a configuration.
Record start(const LabRun& run, const char* queue, const Crew& crew) {
  const uint32_t threads = crew.warps * crew.lanes;
  run.progress(run.table.name + ": " + queue + ", " + std::to_string(threads) + " threads");
  Record m;
  for (const char* count : {"multiply_adds", "loops", "nodes", "edges", "iterations", "full", "empty"}) m.set(count, 0);
  set_where(run, m);
  m.set("granularity", crew.lanes > 1 || run.machine.width() == 1 ? "thread" : "warp");
  m.set("queue", queue).set("threads", threads).set("warps", crew.warps).set("p_enqueue", 1).set("p_dequeue", 1);
  return m.set("enqueued", 0).set("dequeued", 0);
}

// Measures loops of enqueue and dequeue according to the plan, with a queue of that capacity.
void measure_mix(const LabRun& run, QueueKind kind, MixPlan plan, uint64_t capacity) {
  Record m = start(run, queue_traits(kind).name, plan.crew);
  const LabQueue queue = make_lab_queue(run.machine, kind, plan.crew, capacity);
  const LabArray<MixCounts> counts(run.machine, plan.crew.warps);
  plan.queue = queue.storage;
  plan.counts = counts.data();
  m.set("loops", plan.max_loops).set("multiply_adds", plan.multiply_adds);
  m.set("p_enqueue", plan.enqueue_chance / 65536.0).set("p_dequeue", plan.dequeue_chance / 65536.0);
  const Times times = repeat(run, m, run.options.runs, [&](uint32_t i) {
    run.machine.prepare_queue(kind, queue.storage.memory, queue.storage.shape);
    plan.seed = run.options.seed + i;
    return run.machine.run(run.machine.queue(kind).mix, plan, run.options.seconds);
  });
  MixCounts sum{};
  for (const MixCounts& c : counts.values(0, plan.crew.warps)) {
    sum.enqueued += c.enqueued;
    sum.dequeued += c.dequeued;
    sum.full += c.full;
    sum.empty += c.empty;
  }
  const double each = double(sum.enqueued + sum.dequeued + sum.full + sum.empty) / queue.storage.shape.threads;
  m.set("runs", times.runs).set("ns_per_operation", each > 0 ? times.mean * 1e6 / each : 0);
  m.set("enqueued", sum.enqueued).set("dequeued", sum.dequeued).set("full", sum.full).set("empty", sum.empty);
  if (!m.failed() && sum.dequeued > sum.enqueued) m.set("error", "more elements were dequeued than enqueued");
  run.table.add(m);
}

void measure_rank(const LabRun& run, QueueKind kind, const Crew& crew, const Graph& graph,
                  const std::vector<uint64_t>& expected) {
  LabMachine& machine = run.machine;
  Record m = start(run, queue_traits(kind).name, crew);
  const size_t nodes = graph.nodes(), items = nodes * run.options.iterations;
  const LabQueue queue = make_lab_queue(machine, kind, crew, items);
  const LabArray<uint32_t> first_edge(machine, graph.first_edge), target(machine, graph.target),
      in_degree(machine, graph.in_degree), arrived(machine, items), state(machine, 2);
  const LabArray<uint64_t> sum(machine, items);
  RankPlan plan;
  plan.queue = queue.storage;
  plan.crew = crew;
  plan.nodes = graph.nodes();
  plan.iterations = run.options.iterations;
  plan.first_edge = first_edge.data();
  plan.target = target.data();
  plan.in_degree = in_degree.data();
  plan.sum = sum.data();
  plan.arrived = arrived.data();
  plan.done = state.data();
  plan.refused = state.data() + 1;
  m.set("graph", graph.name).set("nodes", graph.nodes()).set("edges", graph.edges());
  m.set("iterations", run.options.iterations).set("enqueued", items).set("dequeued", items);
  const Times times = repeat(run, m, run.options.runs, [&](uint32_t) {
    machine.prepare_queue(kind, queue.storage.memory, queue.storage.shape);
    arrived.clear();
    sum.clear();
    state.clear();
    plan.fill = 1;
    machine.run(machine.queue(kind).rank, plan, run.options.seconds);
    plan.fill = 0;
    const double ms = machine.run(machine.queue(kind).rank, plan, run.options.seconds);
    if (ms < 0) return ms;
    const uint64_t base = kRankOne / nodes * (kDampingDenominator - kDampingNumerator) / kDampingDenominator;
    std::vector<uint64_t> rank = sum.values(items - nodes, nodes);
    for (uint64_t& r : rank) r += base;
    if (rank != expected) m.set("error", "ranks differ from those computed in sequence");
    if (state.values(1, 1)[0] != 0) m.set("error", "the queue was full");
    return ms;
  });
  m.set("runs", times.runs);
  m.set("ns_per_operation", times.mean * 1e6 * queue.storage.shape.threads / double(2 * items));
  run.table.add(m);
}

bool is_blocking(QueueKind kind) { return queue_traits(kind).here.multi_queue == Claim::no; }
bool needs_warps(QueueKind kind) { return queue_traits(kind).here.paradigms == Claim::no; }

std::vector<QueueKind> chosen(const LabRun& run, std::vector<QueueKind> usual = {}) {
  if (!run.options.queues.empty()) return run.options.queues;
  if (!usual.empty()) return usual;
  for (const QueueTraits& traits : kQueueTraits) usual.push_back(traits.kind);
  return usual;
}

// Probabilities of enqueue and dequeue, and multiply-adds per element.
struct Mix {
  double put = 1, get = 1;
  uint32_t work = 0;
  bool random_loops = true;
};

void one_mix(const LabRun& run, QueueKind kind, const Crew& crew, const Mix& mix) {
  MixPlan plan;
  plan.crew = crew;
  plan.max_loops = run.options.loops > 0  ? run.options.loops
                   : run.machine.is_gpu() ? 10
                   : run.options.quick    ? 50
                                          : 1000;
  plan.min_loops = mix.random_loops ? 1 : plan.max_loops;
  plan.enqueue_chance = uint32_t(mix.put * 65536.0 + 0.5);
  plan.dequeue_chance = uint32_t(mix.get * 65536.0 + 0.5);
  plan.multiply_adds = mix.work;
  // The queue must hold all elements: one per thread for pairs, and for a mix all elements that are never dequeued.
  const uint64_t threads = uint64_t(crew.warps) * crew.lanes;
  measure_mix(run, kind, plan, mix.random_loops ? threads * plan.max_loops : 4 * threads);
}

void mix_over_warps(const LabRun& run, QueueKind kind, uint32_t lanes, const Mix& mix) {
  for (const uint32_t warps : warp_counts(run, run.machine.queue(kind).mix)) one_mix(run, kind, {warps, lanes}, mix);
}

void atomics(const LabRun& run) {
  const char* names[] = {"contended", "own-word", "plain"};
  std::vector<Crew> crews = {{1, 1}};
  for (const uint32_t warps : warp_counts(run, run.machine.queue(QueueKind::bq).mix)) {
    crews.push_back({warps, run.machine.width()});
  }
  for (int access = 0; access < 3; ++access) {
    for (const Crew& crew : crews) {
      AtomicPlan plan;
      plan.crew = crew;
      plan.loops = run.options.quick || run.machine.is_gpu() ? 1000 : 20000;
      plan.access = AtomicAccess(access);
      const LabArray<uint32_t> words(run.machine, (1 + size_t(crew.warps) * crew.lanes) * 16);
      plan.abort = run.machine.abort_word();
      plan.words = words.data();
      Record m = start(run, names[access], crew);
      const Times times = repeat(run, m, run.options.runs, [&](uint32_t) {
        return run.machine.run(run.machine.kernels.atomics, plan, run.options.seconds);
      });
      m.set("granularity", "thread").set("loops", plan.loops).set("runs", times.runs);
      run.table.add(m.set("ns_per_operation", times.mean * 1e6 / plan.loops));
    }
  }
}

void balanced(const LabRun& run) {
  for (const uint32_t lanes : {run.machine.width(), 1u}) {
    for (const QueueKind kind : chosen(run)) {
      if (lanes > 1 && needs_warps(kind)) continue;  // skip queues in which lanes would wait for each other
      mix_over_warps(run, kind, lanes, {.random_loops = false});
    }
  }
}

void mix(const LabRun& run) {
  for (const Mix& chances : {Mix{0.5, 0.25, 128}, Mix{0.25, 0.5, 128}}) {
    for (const QueueKind kind : chosen(run)) {
      if (!is_blocking(kind)) mix_over_warps(run, kind, run.machine.width(), chances);
    }
  }
}

void ratio(const LabRun& run) {
  for (const uint32_t work : {0u, 320u}) {
    for (const QueueKind kind : chosen(run, {QueueKind::bq, QueueKind::bwd, QueueKind::bsq})) {
      const auto warps = warp_counts(run, run.machine.queue(kind).mix);
      if (is_blocking(kind) || warps.empty()) continue;
      for (int tenth = 1; tenth <= 9; tenth += run.options.quick ? 4 : 1) {
        one_mix(run, kind, {warps.back(), run.machine.width()}, {tenth / 10.0, 1 - tenth / 10.0, work});
      }
    }
  }
}

void pagerank(const LabRun& run) {
  const LabOptions& o = run.options;
  std::vector<Graph> made;
  if (o.graphs.empty()) {
    run.progress("pagerank: generating graphs");
    // Generate as many nodes and edges as p2p-Gnutella31 and web-NotreDame have.
    made.push_back(o.quick ? make_power_law_graph(2000, 6000, o.seed, o.budget)
                           : make_power_law_graph(62586, 147892, o.seed, o.budget));
    if (!o.quick) made.push_back(make_power_law_graph(325729, 1497134, o.seed, o.budget));
  }
  for (const Graph& graph : o.graphs.empty() ? made : o.graphs) {
    if (uint64_t(graph.nodes()) * o.iterations > 1u << 26) {
      throw std::invalid_argument(
          graph.name + ": more than 2^26 items (nodes times iterations); choose a smaller graph or fewer --iterations");
    }
    // Memory for the expected ranks, the expected ranks of the last iteration, and the ranks read back.
    const HeldMemory ranks_memory(o.budget, uint64_t(graph.nodes()) * 3 * sizeof(uint64_t), "ranks");
    const std::vector<uint64_t> expected = page_rank_fixed(graph, o.iterations);
    for (const QueueKind kind : chosen(run)) {
      if (is_blocking(kind)) continue;
      for (const uint32_t warps : warp_counts(run, run.machine.queue(kind).rank)) {
        measure_rank(run, kind, {warps, run.machine.width()}, graph, expected);
      }
    }
  }
}

// Elements of 1 to 64 words: copied to and from slots, in slots by pointers, and in a pool [Kerbl18, 4.3.3].
void elements(const LabRun& run) {
  const char* names[] = {"copied", "in place", "pooled"};
  const uint32_t lanes = run.machine.is_gpu() ? run.machine.width() : 1;
  const auto& kernel = run.machine.kernels.elements;
  for (int way = 0; way < 3; ++way) {
    for (const uint32_t words :
         run.options.quick ? std::vector<uint32_t>{1, 64} : std::vector<uint32_t>{1, 4, 16, 64}) {
      for (const uint32_t warps : warp_counts(run, kernel)) {
        ElementPlan plan;
        plan.crew = {warps, lanes};
        plan.way = ElementWay(way);
        plan.words = words;
        plan.loops = run.options.loops > 0  ? run.options.loops
                     : run.machine.is_gpu() ? 10
                     : run.options.quick    ? 500
                                            : 100000;
        plan.capacity = power_above(std::max(1024u, 4 * warps * lanes));
        plan.abort = run.machine.abort_word();
        run.progress(run.table.name + ": " + names[way] + ", " + std::to_string(words) + " words, " +
                     std::to_string(warps * lanes) + " threads");
        const bool pooled = plan.way == ElementWay::pooled;
        const LabArray<std::byte> queue(run.machine, slot_pointer_bytes(plan.capacity, pooled ? 1 : words));
        const LabArray<std::byte> free(run.machine, slot_pointer_bytes(plan.capacity, 1));
        const LabArray<uint32_t> pool(run.machine, pooled ? size_t(plan.capacity) * words : 1), begun(run.machine, 1);
        const LabArray<ElementSums> sums(run.machine, warps);
        plan.queue = queue.data(), plan.free = free.data(), plan.pool = pool.data(), plan.begun = begun.data();
        plan.sums = sums.data();
        Record m;
        set_where(run, m);
        m.set("granularity", lanes > 1 ? "thread" : "warp").set("way", names[way]).set("words", words);
        m.set("threads", warps * lanes).set("warps", warps).set("loops", plan.loops);
        const Times times = repeat(run, m, run.options.runs, [&](uint32_t) {
          queue.clear(), free.clear(), begun.clear(), sums.clear();
          const double ms = run.machine.run(kernel, plan, run.options.seconds);
          if (ms < 0) return ms;
          ElementSums all{};
          for (const ElementSums& s : sums.values(0, warps)) {
            all.put += s.put, all.got += s.got;
            all.made += s.made, all.taken += s.taken;
          }
          const uint64_t wanted = uint64_t(warps) * lanes * plan.loops;
          if (all.made != uint32_t(wanted) || all.taken != uint32_t(wanted) || all.put != all.got)
            m.set("error", "the elements that came out are not those that went in");
          return ms;
        });
        m.set("runs", times.runs).set("ns_per_operation", times.mean * 1e6 / (2.0 * plan.loops));
        run.table.add(m);
      }
    }
  }
}

void pairs(const LabRun& run) {
  const uint32_t loops = run.options.loops > 0 ? run.options.loops : run.options.quick ? 5000 : 1000000;
  for (const QueueKind kind :
       chosen(run, {QueueKind::bq, QueueKind::msq, QueueKind::lcrq, QueueKind::wfq, QueueKind::biq, QueueKind::mcq})) {
    for (const uint32_t warps : warp_counts(run, run.machine.queue(kind).mix)) {
      MixPlan plan;
      plan.crew = {warps, 1};
      plan.min_loops = plan.max_loops = loops;
      measure_mix(run, kind, plan, 4096);
    }
  }
}

constexpr const char* kMixColumns =
    "experiment,machine,detail,lanes,queue,granularity,threads,warps,p_enqueue,p_dequeue,multiply_adds,loops,graph,"
    "nodes,"
    "edges,iterations,runs,mean_ms,min_ms,max_ms,ns_per_operation,enqueued,dequeued,full,empty,error";
constexpr const char* kElementColumns =
    "experiment,machine,detail,lanes,way,words,granularity,threads,warps,loops,runs,mean_ms,min_ms,max_ms,"
    "ns_per_operation,error";
constexpr Experiment kQueueExperiments[] = {
    {"atomics", "4.1", "additions to one word by many threads, compared with plain loads and stores", kMixColumns,
     atomics,
     "on a CPU the time rises sharply with the threads; 10 000-fold contention on a GPU costs what 10-fold does on a "
     "CPU"},
    {"balanced", "4.2, A.2-A.5", "pairs of enqueue and dequeue, by every lane and by one lane of each warp",
     kMixColumns, balanced,
     "GQ takes more than 2 times BQ's time, LCRQ and WFQ 3 to 6 times, optimistic queues more than 1000 times; SFQ is "
     "1.4 to 9 % behind BQ"},
    {"mix", "4.3, A.6, A.7", "twice as many enqueues as dequeues and the reverse, 128 multiply-adds per element",
     kMixColumns, mix,
     "at underflow LCRQ and WFQ take at least 2.5 times the others' time, GQ is up to 64 % faster than BQ, BWD 10 % "
     "faster than GQ"},
    {"ratio", "4.5", "BQ, BWD and BSQ over the share of enqueues, without work and with 320 multiply-adds", kMixColumns,
     ratio,
     "near one third BQ takes up to 5 times BWD's time; below, BSQ up to 30 times; with 320 multiply-adds all are "
     "alike"},
    {"pagerank", "4.4, A.8, A.9", "page rank over queues, checked against a sequential one", kMixColumns, pagerank,
     "LCRQ and WFQ take 60 and 6 times BQ's time on the small graph, 95 and 400 times on the large one; BQ is 10 to 15 "
     "% faster than GQ, BSQ 9 % faster than BWD"},
    {"pairs", "A.1", "long runs of pairs by few threads, as in comparisons of CPU queues", kMixColumns, pairs,
     "BQ is fastest with one thread, and takes more than 2 times LCRQ's and WFQ's time with many; it stays ahead of "
     "MSQ"},
    {"elements", "4.3.3", "elements of 1 to 64 words: copied, in their slots by pointers, and in a pool",
     kElementColumns, elements, "a queue can return a pointer to the slot that an operation has acquired"},
};

}  // namespace

std::span<const Experiment> queue_experiments() { return kQueueExperiments; }

}  // namespace brokkr::lab
