// Queues on a CPU of twenty cores [Kerbl18, Fig. A.1], which this project has never had.
#include <fmt/format.h>

#include <numeric>

#include "lab/lab_machine.h"
#include "simt/figures.h"
#include "simt/queue_pairs.h"

namespace brokkr::simt {
namespace {

constexpr QueueKind kKinds[] = {QueueKind::bq,  QueueKind::msq, QueueKind::lcrq,
                                QueueKind::wfq, QueueKind::biq, QueueKind::mcq};
constexpr uint32_t kThreads[] = {1, 2, 5, 10, 20};

// Cycles of a pair of enqueue and dequeue, by each of `threads` threads.
double cycles_of_pair(const lab::QueueKernels& kernels, QueueKind kind, uint32_t threads, uint32_t pairs) {
  Runner runner(find_config("cpu-20"), module_text("queue_pairs"));
  const std::string name = queue_traits(kind).name;
  QueuePairs plan;
  plan.queue.shape = {.capacity = 1024, .threads = threads, .homes = 1, .segment = 256};
  plan.queue.memory = runner.buffer<std::byte>(kernels.bytes(plan.queue.shape));
  plan.queue.abort = runner.buffer<uint32_t>(1);
  kernels.prepare(plan.queue.memory, plan.queue.shape);
  plan.pairs = pairs;
  plan.done = runner.buffer<uint32_t>(threads);
  runner.launch("pairs_" + name, {threads}, {1}, plan);
  const uint32_t done = std::accumulate(plan.done, plan.done + threads, 0u);
  // A queue of producers' queues may say that it is empty while another thread's element arrives.
  if (queue_traits(kind).here.linearizable == Claim::yes && done != 2 * threads * pairs)
    fail("{}: {} of {} operations moved an element", name, done, 2 * threads * pairs);
  return double(runner.statistics().cycles) / pairs;
}

}  // namespace

FigureResult figure_queue_pairs(const FigureOptions& o) {
  const auto machine = lab::make_lab_machine("cpu");
  const uint32_t pairs = 40 * o.scale;
  constexpr size_t kColumns = std::size(kThreads);
  std::vector<double> cycles(std::size(kKinds) * kColumns);
  for_each_run(cycles.size(), [&](size_t i) {
    const QueueKind kind = kKinds[i / kColumns];
    const uint32_t threads = kThreads[i % kColumns];
    if (o.progress) o.progress(fmt::format("{}, {} threads", queue_traits(kind).name, threads));
    cycles[i] = cycles_of_pair(machine->queue(kind), kind, threads, pairs);
  });
  FigureResult r;
  for (const uint32_t threads : kThreads)
    r.columns.push_back(fmt::format("{} thread{}", threads, threads > 1 ? "s" : ""));
  for (const uint32_t threads : kThreads) r.columns.push_back(fmt::format("over BQ, {}", threads));
  for (size_t k = 0; k < std::size(kKinds); ++k) {
    FigureRow row{queue_traits(kKinds[k]).name, {}, ""};
    for (size_t t = 0; t < kColumns; ++t) row.values.push_back(cycles[k * kColumns + t]);
    for (size_t t = 0; t < kColumns; ++t) row.values.push_back(cycles[k * kColumns + t] / cycles[t]);
    const bool is_faster = kKinds[k] == QueueKind::lcrq || kKinds[k] == QueueKind::wfq;
    if (is_faster) row.thesis = "less than half of BQ's time with many threads, more with one";
    if (kKinds[k] == QueueKind::msq) row.thesis = "more than BQ's time";
    r.rows.push_back(row);
  }
  r.notes = {
      fmt::format("Cycles of a pair of enqueue and dequeue, {} of them by each thread, on machine cpu-20: a thread on "
                  "each of twenty cores.",
                  pairs),
      "Every shared word is 100 cycles away, and cores add to one word in turn, 100 cycles each. So with many threads "
      "a queue takes the time of the word that it changes most often for a pair: the broker queue changes its count "
      "twice, for room and for an element, and LCRQ and WFQ change each end once.",
      "The machine does not keep a word in the core that wrote it last, which makes one thread slower than on a CPU."};
  return r;
}

}  // namespace brokkr::simt
