// Page rank without rounds: a node runs when all its predecessors have run. Nodes of different iterations run at the
// same time, and the result has the bits of a sequential loop.
#include <brokkr/tasks.h>

#include <cstdio>
#include <vector>

using namespace brokkr;

constexpr uint32_t kNodes = 10000, kEdgesOfNode = 4, kIterations = 8;
constexpr uint64_t kOne = uint64_t(1) << 40;  // ranks are integers: sums do not depend on their order

struct Graph {
  std::vector<uint32_t> target, predecessors;
  Graph() : target(kNodes * kEdgesOfNode), predecessors(kNodes) {
    uint32_t random = 1;
    for (uint32_t& to : target) {
      random = random * 1664525u + 1013904223u;
      // Low numbers are popular, and every node has a predecessor.
      const uint32_t at = uint32_t(&to - target.data());
      to = at % kEdgesOfNode == 0 ? (at / kEdgesOfNode + 1) % kNodes
                                  : uint32_t(uint64_t(random >> 16) * (random >> 16) * kNodes >> 32);
      ++predecessors[to];
    }
  }
};

uint64_t rank_of(uint64_t given) { return kOne * 15 / 100 + given * 85 / 100; }

struct Visit;
using Root = Queue<HasTasks, Visit>;  // first in, first out

struct Ranks {
  const Graph& graph;
  std::vector<uint64_t> given = std::vector<uint64_t>(size_t(kIterations + 1) * kNodes);  // [iteration][node]
  std::vector<uint32_t> missing = std::vector<uint32_t>(size_t(kIterations + 1) * kNodes);

  explicit Ranks(const Graph& g) : graph(g) {
    for (uint32_t i = 0; i <= kIterations; ++i)
      for (uint32_t n = 0; n < kNodes; ++n) missing[i * kNodes + n] = g.predecessors[n];
    for (uint32_t n = 0; n < kNodes; ++n) given[n] = kOne;
  }
  template <class Worker>
  void seed(Worker& worker);
};

// Payload: node, iteration. A node gives its rank to its successors; the task that gives a successor its last rank
// enqueues the successor.
struct Visit {
  static constexpr int kId = 0, kThreads = 1, kWords = 2;
  template <class Worker>
  static void execute(Worker& worker, const Uint (&payload)[kWords], Int, Mask active) {
    Ranks& ranks = worker.context();
    Warp& w = worker.warp();
    const auto nodes = w.spill(payload[0]), iterations = w.spill(payload[1]);
    for (uint32_t edge = 0; edge < kEdgesOfNode; ++edge) {
      auto ready = w.spill(0u), next = w.spill(0u);
      w.for_lanes(active, [&](int i) {
        const uint32_t to = ranks.graph.target[nodes[i] * kEdgesOfNode + edge], at = (iterations[i] + 1) * kNodes + to;
        const uint64_t share = rank_of(ranks.given[iterations[i] * kNodes + nodes[i]]) / kEdgesOfNode;
        device_atomic<uint64_t>(ranks.given[at]).fetch_add(share, kRelaxed);
        const bool last = device_atomic<uint32_t>(ranks.missing[at]).fetch_add(~0u, kAcqRel) == 1;
        ready.set(i, last && iterations[i] + 1 < kIterations ? 1u : 0u);
        next.set(i, to);
      });
      const Uint task[kWords] = {next.lanes(), payload[1] + 1u};
      const Mask wanted = active && ready.lanes() != 0u;
      const Mask refused = wanted && !worker.template enqueue<Visit>(task, wanted);
      if (w.any(refused)) execute(worker, task, 0, refused);  // if the queue is full, runs them immediately
    }
  }
};

template <class Worker>
void Ranks::seed(Worker& worker) {
  if (worker.number() != 0) return;
  for (uint32_t first = 0; first < kNodes; first += uint32_t(kWidth)) {
    const Uint task[Visit::kWords] = {as_uint(worker.warp().lane()) + first, 0u};
    const Mask wanted = task[0] < Uint(kNodes);
    const Mask refused = wanted && !worker.template enqueue<Visit>(task, wanted);
    if (worker.warp().any(refused)) Visit::execute(worker, task, 0, refused);
  }
}

int main() {
  const Graph graph;
  Ranks ranks(graph);
  TaskProgram<Root, Ranks> program(ranks);
  if (!program.run()) return 1;

  std::vector<uint64_t> now(kNodes, kOne), next(kNodes);
  for (uint32_t i = 0; i < kIterations; ++i) {
    std::fill(next.begin(), next.end(), 0);
    for (uint32_t e = 0; e < graph.target.size(); ++e)
      next[graph.target[e]] += rank_of(now[e / kEdgesOfNode]) / kEdgesOfNode;
    now.swap(next);
  }
  uint32_t best = 0, wrong = 0;
  for (uint32_t n = 0; n < kNodes; ++n) {
    wrong += ranks.given[kIterations * kNodes + n] != now[n];
    if (now[n] > now[best]) best = n;
  }
  std::printf("%u nodes, %u iterations: node %u is first; %u differ from a sequential loop\n", kNodes, kIterations,
              best, wrong);
  return wrong == 0 ? 0 : 1;
}
