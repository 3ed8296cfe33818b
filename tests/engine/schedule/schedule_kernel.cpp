// The tests' programs on one build of the CPU machine.
#include "pipeline/kernel.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "bits_workers.h"
#include "halving.h"
#include "schedule_programs.h"

BROKKR_MACHINE_BEGIN
namespace schedule_programs {

// Fills a queue, lets one maintainer pass over it, and reads the queue from front to back.
static void sort(uint32_t* deadline, int n, int passes) {
  using Memory = ProgramMemory<DeadlineSorted>;
  const uint32_t capacity = 1024;
  const size_t bytes = (Memory::bytes(capacity, 1) + 63) / 64 * 64;
  void* space = std::aligned_alloc(64, bytes);
  std::memset(space, 0, bytes);
  const Memory memory = Memory::layout(space, capacity);
  BrokerQueues<Memory::kWords> queue(memory.queues);
  Warp w;
  for (int i = 0; i < n; ++i) {
    const uint32_t element[Memory::kWords] = {0, 0, deadline[i], uint32_t(i), 0};
    queue.enqueue(w, 0, element);
  }
  Maintainer<DeadlineSorted> maintainer(w, memory.queues, memory.stop);
  for (int i = 0; i < passes; ++i) maintainer.pass({});
  uint32_t element[Memory::kWords];
  for (int i = 0; i < n; ++i) deadline[i] = queue.dequeue(w, 0, element) ? element[2] : 0xffffffffu;
  std::free(space);
}

static uint64_t halving_sum(HalvingQueues queues, uint32_t n, int workers,
                            void (*launch)(int, void (*)(void*, int), void*)) {
  switch (queues) {
    case HalvingQueues::per_type: return halving::run<halving::PerType>(n, workers, launch);
    case HalvingQueues::monolithic: return halving::run<halving::Monolithic>(n, workers, launch);
    case HalvingQueues::own: break;
  }
  return halving::run<halving::PerType, true>(n, workers, launch, 4);
}

// The queue of `blocks` free blocks, numbered from 0 on.
class FreeBlocks {
 public:
  explicit FreeBlocks(uint32_t blocks) {
    const uint32_t capacity = std::bit_ceil(blocks + 2);
    const size_t bytes = (QueueMemory<1>::bytes(1, capacity) + 63) / 64 * 64;
    space_.reset(std::aligned_alloc(64, bytes));
    std::memset(space_.get(), 0, bytes);
    memory = QueueMemory<1>::layout(space_.get(), 1, capacity);
    Warp w;
    BrokerQueues<1> queue(memory);
    for (uint32_t i = 0; i < blocks; ++i) queue.enqueue(w, 0, {i});
  }
  QueueMemory<1> memory;

 private:
  std::unique_ptr<void, void (*)(void*)> space_{nullptr, std::free};
};

static schedule_test::Admission admit(uint32_t free_blocks, uint32_t each, int want) {
  const FreeBlocks free(free_blocks);
  const StockTables tables{free.memory, uint32_t(want) * each, 0};
  StockState state{};
  Stock stock(tables, state);
  ScheduleControl control{};
  ScheduleTables schedule{};
  schedule.control = &control;
  schedule.counted = true;
  schedule.tasks = 1000;
  schedule.blocks_per_task = each;
  Warp w;
  const TaskRange got = admit_tasks(w, schedule, {0, 0, 0, 0, int(free_blocks)}, stock, want, 1);
  return {got.count, state.held, got.refused};
}

static bool has_room(uint32_t window, uint32_t under_way, int workers, int want) {
  const FreeBlocks free{uint32_t(want)};
  const StockTables tables{free.memory, uint32_t(want), 0};
  StockState state{};
  Stock stock(tables, state);
  ScheduleControl control{};
  ScheduleTables schedule{};
  schedule.control = &control;
  schedule.tasks = 1000;
  schedule.window = window;
  schedule.blocks_per_task = 1;
  constexpr uint32_t kDone = 100;
  control.next_task = kDone + under_way;
  Warp w;
  return admit_tasks(w, schedule, {0, 0, kDone, control.next_task, want}, stock, want, workers).count == uint32_t(want);
}

static void settle(int tasks, uint32_t each, const uint32_t* used, uint32_t* owners) {
  const uint32_t blocks = uint32_t(tasks) * each;
  const FreeBlocks free(blocks);
  const StockTables tables{free.memory, blocks, blocks};
  StockState state{};
  Stock stock(tables, state);
  Warp w;
  if (stock.fill(w, tasks, int(each)) != tasks) return;
  for (int task = 0; task < tasks; ++task) {
    for (uint32_t i = 0; i < used[task]; ++i) ++owners[stock.nth_of_task(w, task, tasks, int(i))];
    stock.note_used(w, task, int(used[task]));
  }
  stock.settle(w, tasks);
  for (uint32_t i = 0; i < state.held; ++i) ++owners[state.numbers[i]];
}

static schedule_test::Mark mark(uint32_t complete, uint32_t tasks, uint32_t batches) {
  ScheduleTables schedule{};
  schedule.tasks = tasks;
  schedule.task_batches = 4;
  schedule.batches = batches;
  const Watermark below = watermark_of({0, 0, complete, tasks, 0}, schedule);
  return {below.tasks, below.batches};
}

static void complete(uint32_t tasks, uint32_t window, bool counted, const schedule_test::TasksDone* ranges, int n,
                     uint32_t* marks) {
  std::vector<uint32_t> done(window);
  ScheduleControl control{};
  ScheduleTables schedule{};
  schedule.control = &control;
  schedule.counted = counted;
  schedule.tasks = tasks;
  schedule.window = window;
  schedule.task_done = done.data();
  Warp w;
  for (int i = 0; i < n; ++i) {
    complete_tasks(w, schedule, {ranges[i].first, ranges[i].count, false});
    marks[i] = control.watermark;
  }
}

static int find(uint32_t rasterizers, uint32_t begin, uint32_t r, schedule_test::Work work) {
  using schedule_test::Work;
  constexpr uint32_t kBatches = 40;
  std::vector<RasterizerState> state(rasterizers);
  std::vector<QueueControl> queue(rasterizers);
  const size_t words = RasterizerBitTables::words(rasterizers);
  std::vector<uint32_t> claimed(words), filled(words);
  for (RasterizerState& s : state) s.wake = kBatches;
  if (work == Work::end) std::fill(claimed.begin(), claimed.end(), 0xffffffffu);
  if (r < rasterizers) {
    const uint32_t bit = 1u << r % 32;
    if (work == Work::elements) queue[r].count = 1, filled[r / 32] |= bit;
    if (work == Work::awake) state[r].wake = 0;
    if (work == Work::end) claimed[r / 32] &= ~bit;
  }
  RasterTables tables{};
  tables.rasterizers = state.data();
  tables.queues.control = queue.data();
  tables.queues.capacity = 64;
  tables.bits.claimed = claimed.data();
  if (work != Work::awake) tables.bits.filled = filled.data();
  ScheduleTables schedule{};
  schedule.rasterizers = rasterizers;
  schedule.batches = kBatches;
  schedule.stealing = true;
  uint32_t cursor = begin;
  LaunchView view{tables, schedule, nullptr, &cursor, 0, 1};
  view.mark.batches = work == Work::end ? kBatches : kBatches / 2;
  Warp w;
  return Rasterizers<LongestNearby>::choose(w, view, TreePlace{}).leaf;
}

static uint32_t take(uint32_t rasterizers, uint32_t each, int workers,
                     void (*launch)(int, void (*)(void*, int), void*)) {
  const uint32_t capacity = std::bit_ceil(each * uint32_t(workers));
  const size_t bytes = (QueueMemory<1>::bytes(int(rasterizers), capacity) + 63) / 64 * 64;
  void* space = std::aligned_alloc(64, bytes);
  std::memset(space, 0, bytes);
  std::vector<uint32_t> claimed(RasterizerBitTables::words(rasterizers)), filled(claimed), taken(rasterizers);
  uint32_t ready = 0;
  schedule_test::BitsPlan plan{QueueMemory<1>::layout(space, int(rasterizers), capacity),
                               {claimed.data(), filled.data()},
                               taken.data(),
                               &ready,
                               uint32_t(workers),
                               each};
  launch(
      workers,
      [](void* data, int worker) {
        Warp w;
        put_and_take(w, *static_cast<const schedule_test::BitsPlan*>(data), uint32_t(worker));
      },
      &plan);
  std::free(space);
  uint32_t sum = 0;
  for (const uint32_t n : taken) sum += n;
  return sum;
}

Programs programs() {
  static const Program all[] = {program<Fifo>("fifo"),
                                program<Priorities16>("discretized"),
                                program<Decreasing16>("decreasing"),
                                program<DecreasingKinds>("decreasing kinds"),
                                program<Priorities80>("discretized 80"),
                                program<Turns>("round-robin"),
                                program<Fair>("fair"),
                                program<FairSorted>("fair sorted"),
                                program<DeadlineSorted>("edf sorted"),
                                program<DeadlinePerJob>("edf per job"),
                                program<DeadlineSliced>("edf discretized"),
                                program<DeadlineRing>("edf wrap-around"),
                                program<PrioritySorted>("priority sorted"),
                                program<PriorityOfKinds>("priorities of kinds"),
                                program<KindsApart>("kinds apart"),
                                program<KindsMixed>("kinds mixed"),
                                program<KindsByWarps>("kinds by warps"),
                                program<Nested<Together>>("nested"),
                                program<Nested<OneByOne>>("nested, one by one"),
                                program<ManyKinds<Together>>("many kinds"),
                                program<ManyKinds<OneByOne>>("many kinds, one by one"),
                                program<Tied<Together>>("tied"),
                                program<Tied<OneByOne>>("tied, one by one")};
  return {kWidth, all, int(sizeof all / sizeof all[0]), sort, halving_sum, admit, has_room, settle, mark, complete,
          find,   take};
}

}  // namespace schedule_programs
BROKKR_MACHINE_END
