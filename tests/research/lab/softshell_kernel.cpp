// Programs on Softshell's scheduler, for one build of the CPU machine.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "lab/softshell.h"
#include "schedule/halving.h"
#include "softshell_launch.h"

BROKKR_MACHINE_BEGIN
namespace softshell_programs {
using softshell_test::Packed;

// Memory of a program, and the function that runs it.
template <class Program>
class Run {
 public:
  using Memory = typename Program::Memory;
  Run(uint32_t capacity, int workers)
      : bytes_((Memory::bytes(capacity, uint32_t(workers)) + 63) / 64 * 64),
        space_(std::aligned_alloc(64, bytes_), std::free) {
    std::memset(space_.get(), 0, bytes_);
    memory = Memory::layout(space_.get(), capacity);
    *memory.program.open = uint32_t(workers);
  }
  Memory memory;

  // `context` makes a separate context for each worker.
  template <class MakeContext>
  void go(int workers, softshell_test::Launch launch, MakeContext context) {
    struct All {
      Memory& memory;
      MakeContext& context;
    } all{memory, context};
    launch(
        workers,
        [](void* p, int worker) {
          All& a = *static_cast<All*>(p);
          Warp w;
          auto its = a.context();
          Program::run(w, a.memory, its, uint32_t(worker));
        },
        &all);
  }
  uint32_t left_over() const {
    uint32_t n = 0;
    for (uint32_t page = 0; page < memory.pages; ++page) n += uint32_t(count_bits(memory.used[page]));
    return n;
  }

 private:
  size_t bytes_;
  std::unique_ptr<void, void (*)(void*)> space_;
};

static uint64_t halving_sum(uint32_t n, int workers, softshell_test::Launch launch) {
  using Program = schedule_lab::Softshell<halving::SmallFirst, halving::Halve, halving::Leaf, halving::AddUp>;
  Run<Program> run(1u << 14, workers);
  halving::Total total;
  run.go(workers, launch, [&] { return halving::Context{total, n}; });
  return total.lost == 0 && total.leaves > 0 && run.left_over() == 0 ? total.sum : ~uint64_t(0);
}

struct Small {
  static constexpr int kId = 3, kThreads = 1, kWords = 1;
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int, Mask active) {
    Warp& w = worker.warp();
    Packed& all = worker.context().all;
    const uint64_t sum = w.reduce_add(select(active, Ulong(payload[0]), Ulong(uint64_t(0))));
    const int n = w.count(active);
    w.once([&] {
      device_atomic<uint32_t>(all.calls).fetch_add(1, kRelaxed);
      device_atomic<uint32_t>(all.tasks).fetch_add(uint32_t(n), kRelaxed);
      device_atomic<uint64_t>(all.sum).fetch_add(sum, kRelaxed);
    });
  }
};
struct SmallContext {
  Packed& all;
  uint32_t n;
  int at_once;
  template <class Worker>
  BROKKR_FN void seed(Worker& worker) {
    if (worker.number() != 0) return;
    Warp& w = worker.warp();
    for (uint32_t first = 1; first <= n; first += uint32_t(at_once)) {
      const uint32_t left = n - first + 1;
      const Mask m = w.first_lanes(left < uint32_t(at_once) ? int(left) : at_once);
      const Uint payload[1] = {Uint(first) + as_uint(w.lane())};
      const int lost = w.count(m) - w.count(worker.template enqueue<Small>(payload, m));
      device_atomic<uint32_t>(all.refused).fetch_add(uint32_t(lost), kRelaxed);
    }
  }
};
// No worker sorts: the queue is first in, first out.
static Packed pack(uint32_t n, int at_once, int workers, uint32_t capacity, softshell_test::Launch launch) {
  Run<schedule_lab::Softshell<SortedByPriority<0>, Small>> run(capacity, workers);
  run.memory.program.maintainers = 0;
  Packed all;
  run.go(workers, launch, [&] { return SmallContext{all, n, at_once}; });
  all.left_over = run.left_over();
  return all;
}

struct Wide {
  static constexpr int kId = 1, kThreads = 32, kWords = 1;
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int thread, Mask active) {
    Warp& w = worker.warp();
    if (!w.any(active && thread == Int(0))) return;
    auto& context = worker.context();
    context.priority[context.ran++] = w.broadcast(payload[0], 0);
  }
};
struct WideContext {
  uint32_t* priority;
  int n, ran = 0;
  template <class Worker>
  BROKKR_FN void seed(Worker& worker) {
    for (int i = 0; i < n; ++i) {
      const Uint payload[1] = {Uint(priority[i])};
      worker.template enqueue<Wide>(payload, worker.warp().first_lanes(1));
    }
    sort(sorter);
  }
  void (*sort)(void* sorter) = nullptr;  // called when all tasks are queued
  void* sorter = nullptr;
};
static void sort(uint32_t* priority, int n, int passes) {
  using Program = schedule_lab::Softshell<SortedByPriority<0>, Wide>;
  Run<Program> run(1024, 1);
  run.memory.program.maintainers = 0;
  struct Sorter {
    typename Program::Memory& memory;
    int passes;
  } sorter{run.memory, passes};
  const auto sort_now = [](void* p) {
    Sorter& s = *static_cast<Sorter*>(p);
    Warp w;
    Maintainer<typename Program::Root> maintainer(w, s.memory.program.queues, s.memory.program.stop);
    for (int i = 0; i < s.passes; ++i) maintainer.pass({0, s.memory.program.user});
  };
  run.go(
      1, [](int, void (*work)(void*, int), void* data) { work(data, 0); },
      [&] {
        return WideContext{priority, n, 0, sort_now, &sorter};
      });
}

softshell_test::Programs programs();
softshell_test::Programs programs() { return {kWidth, halving_sum, pack, sort}; }

}  // namespace softshell_programs
BROKKR_MACHINE_END
