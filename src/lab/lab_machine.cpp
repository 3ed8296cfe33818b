#include "lab/lab_machine.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>

#include "lab/lab_kernels.h"
#include "machine/worker_pool.h"
#include "machine/zeroed_memory.h"

#define BROKKR_DECLARE_LAB(isa)         \
  namespace isa::queue_lab {            \
  extern const lab::CpuQueueLab lab;    \
  }                                     \
  namespace isa::schedule_lab {         \
  extern const lab::CpuScheduleLab lab; \
  }
namespace brokkr {
#if defined(BROKKR_LAB_CPU)
inline namespace BROKKR_LAB_CPU {}
BROKKR_DECLARE_LAB(BROKKR_LAB_CPU)
#endif
#if defined(BROKKR_LAB_EMULATED)
inline namespace emulated {}
BROKKR_DECLARE_LAB(emulated)
#endif
}  // namespace brokkr

#define BROKKR_TEXT_(x) #x
#define BROKKR_TEXT(x) BROKKR_TEXT_(x)

namespace brokkr::lab {
namespace {

class CpuLabMachine : public LabMachine {
 public:
  CpuLabMachine(std::string name, std::string detail, const CpuQueueLab& lab, const CpuScheduleLab& schedule)
      : name_(std::move(name)), detail_(std::move(detail)), lab_(lab), schedule_(schedule) {}

  std::string name() const override { return name_; }
  std::string detail() const override { return detail_; }
  int width() const override { return lab_.width; }
  int warps_per_block() const override { return 1; }
  int most_warps(QueueKind, Workload) const override { return 256; }

  std::shared_ptr<void> allocate(size_t bytes) override {
    auto memory = std::make_shared<ZeroedMemory>(bytes, "queue experiment");
    return {memory, memory->as<void>()};
  }
  void upload(void* to, const void* from, size_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, size_t bytes) override { std::memcpy(to, from, bytes); }
  void clear(void* memory, size_t bytes) override { std::memset(memory, 0, bytes); }

  size_t queue_bytes(QueueKind kind, const QueueShape& shape) const override { return entry(kind).bytes(shape); }
  void prepare_queue(QueueKind kind, void* memory, const QueueShape& shape) override {
    std::memset(memory, 0, queue_bytes(kind, shape));
    entry(kind).prepare(memory, shape);
  }
  uint32_t* abort_word() override { return &abort_; }

  double run(QueueKind kind, const MixPlan& plan, double seconds) override {
    return launch(plan.crew.warps, seconds, [&](int warp) { entry(kind).mix(plan, warp); });
  }
  double run(QueueKind kind, const RankPlan& plan, double seconds) override {
    return launch(plan.crew.warps, seconds, [&](int warp) { entry(kind).rank(plan, warp); });
  }
  double run(const AtomicPlan& plan, double seconds) override {
    return launch(plan.crew.warps, seconds, [&](int warp) { lab_.atomics(plan, warp); });
  }
  ProgramStart program_start(const SchedulePlan& plan) const override {
    return schedule_.program[size_t(plan.program)].start(plan);
  }
  double run(const SchedulePlan& plan, double seconds) override {
    return launch(plan.crew.warps, seconds, [&](int warp) { schedule_.program[size_t(plan.program)].run(plan, warp); });
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string name_, detail_;
  const CpuQueueLab& lab_;
  const CpuScheduleLab& schedule_;
  WorkerPool pool_;
  uint32_t abort_ = 0;

  const CpuQueueEntry& entry(QueueKind kind) const { return lab_.queue[size_t(kind)]; }

  double launch(uint32_t warps, double seconds, const std::function<void(int)>& work) {
    std::atomic_ref<uint32_t> abort(abort_);
    abort.store(0);
    std::atomic<uint32_t> ready = 0;
    std::atomic<int64_t> begin = 0, end = 0;
    const auto now = [] { return Clock::now().time_since_epoch().count(); };
    const std::function<void(int)> warp = [&](int i) {
      if (ready.fetch_add(1) + 1 == warps) begin.store(now());
      while (ready.load() < warps) std::this_thread::yield();
      work(i);
      const int64_t mine = now();
      for (int64_t last = end.load(); last < mine && !end.compare_exchange_weak(last, mine);) {
      }
    };
    pool_.start(int(warps), warp);
    const bool in_time = pool_.wait(seconds * 1000.0);
    if (!in_time) {
      abort.store(1);
      pool_.wait(-1);
    }
    const Clock::duration took{end.load() - begin.load()};
    return in_time ? std::chrono::duration<double, std::milli>(took).count() : -1.0;
  }
};

}  // namespace

std::unique_ptr<LabMachine> make_lab_machine(const std::string& name) {
#if defined(BROKKR_LAB_CUDA)
  if (name == "cuda" || name == "auto") {
    if (auto machine = make_cuda_lab_machine()) return machine;
    if (name == "cuda") throw std::invalid_argument("--machine cuda: no GPU was found; see `brokkr machines`");
  }
#else
  if (name == "cuda") {
    throw std::invalid_argument("--machine cuda: this program was built without CUDA (-DBROKKR_CUDA=ON)");
  }
#endif
#if defined(BROKKR_LAB_CPU)
  if (name == "cpu" || name == "auto") {
    return std::make_unique<CpuLabMachine>("cpu", BROKKR_TEXT(BROKKR_LAB_CPU), BROKKR_LAB_CPU::queue_lab::lab,
                                           BROKKR_LAB_CPU::schedule_lab::lab);
  }
#endif
#if defined(BROKKR_LAB_EMULATED)
  if (name == "emulated" || name == "auto") {
    return std::make_unique<CpuLabMachine>("emulated", "emulated", emulated::queue_lab::lab,
                                           emulated::schedule_lab::lab);
  }
#endif
  throw std::invalid_argument("--machine " + name + ": not built into this program (see -DBROKKR_ISAS)");
}

}  // namespace brokkr::lab
