#include "pipeline/task_machine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "base/processors.h"
#include "machine/worker_pool.h"
#include "machine/zeroed_memory.h"
#include "pipeline/cpu_machine.h"

namespace brokkr {
namespace {

class CpuTaskMachine : public TaskMachine {
 public:
  CpuTaskMachine(std::string its_name, const std::string& isa) : TaskMachine(std::move(its_name), isa, isa, 1) {}

  uint32_t max_warps(const void*) const override { return 256; }
  uint32_t usual_warps(const void*) const override { return uint32_t(usable_processors()); }
  void upload(void* to, const void* from, size_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void download(void* to, const void* from, size_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void clear(void* memory, size_t bytes) override {
    if (bytes > 0) std::memset(memory, 0, bytes);
  }
  uint32_t* abort_word() override { return &abort_; }
  uint32_t* pause_word() override { return &pause_; }
  void request_pause() override { std::atomic_ref<uint32_t>(pause_).store(1); }

 private:
  using Clock = std::chrono::steady_clock;
  uint32_t abort_ = 0, pause_ = 0;
  WorkerPool pool_;  // destroyed first: its threads read the words

  std::shared_ptr<void> make_memory(size_t bytes) override {
    auto memory = std::make_shared<ZeroedMemory>(std::max<size_t>(bytes, 1), "a program of tasks");
    return {memory, memory->as<void>()};
  }
  TaskRun launch(uint32_t warps, const TaskLimits& limits, const std::function<void(int)>& work, const void*,
                 const void*) override {
    std::atomic_ref<uint32_t> abort(abort_), pause(pause_);
    abort.store(0);
    pause.store(0);
    std::atomic<uint32_t> ready = 0;
    std::atomic<int64_t> begin = 0;
    std::vector<int64_t> end(warps);
    const auto now = [] { return Clock::now().time_since_epoch().count(); };
    const std::function<void(int)> warp = [&](int i) {
      if (ready.fetch_add(1) + 1 == warps) begin.store(now());
      while (ready.load() < warps) std::this_thread::yield();
      work(i);
      end[size_t(i)] = now();
    };
    pool_.start(int(warps), warp);
    const bool can_pause = limits.pause_ms >= 0 && limits.pause_ms < limits.abort_ms;
    bool in_time = pool_.wait(can_pause ? limits.pause_ms : limits.abort_ms);
    if (!in_time && can_pause) {
      pause.store(1);
      in_time = pool_.wait(limits.abort_ms - limits.pause_ms);
    }
    if (!in_time) {
      pause.store(1);
      abort.store(1);
      pool_.wait(-1);
    }
    const Clock::duration took{*std::max_element(end.begin(), end.end()) - begin.load()};
    return {!in_time            ? TaskEnd::aborted
            : pause.load() != 0 ? TaskEnd::paused
                                : TaskEnd::done,
            std::chrono::duration<double, std::milli>(took).count()};
  }
};

std::unique_ptr<TaskMachine> make_cpu_task_machine(const std::string& name, const std::string& isa) {
  if (find_cpu_kernel(isa) == nullptr) {
    throw std::invalid_argument("--isa " + isa + ": not built into this program (see -DBROKKR_ISAS)");
  }
  if (!cpu_supports(isa)) {
    throw std::invalid_argument("--isa " + isa + ": this processor does not run it; see `brokkr machines`");
  }
  return std::make_unique<CpuTaskMachine>(name, isa);
}

}  // namespace

std::unique_ptr<TaskMachine> make_task_machine(const std::string& name, const std::string& isa) {
  if (!isa.empty() && name != "cpu" && name != "auto") {
    throw std::invalid_argument("--isa " + isa + ": --machine " + name + " has no instruction sets to choose from");
  }
#if defined(BROKKR_HAVE_CUDA)
  if (name == "cuda" || (name == "auto" && isa.empty())) {
    if (auto machine = make_cuda_task_machine()) return machine;
    if (name == "cuda") throw std::invalid_argument("--machine cuda: no GPU was found; see `brokkr machines`");
  }
#else
  if (name == "cuda") {
    throw std::invalid_argument("--machine cuda: this program was built without CUDA (-DBROKKR_CUDA=ON)");
  }
#endif
  if (name == "simt") return simt_device().make_task_machine();
  if (name == "emulated") return make_cpu_task_machine(name, name);
  if (name != "cpu" && name != "auto") throw std::invalid_argument("--machine " + name + ": there is no such machine");
  return make_cpu_task_machine("cpu", isa.empty() ? best_cpu_isa() : isa);
}

}  // namespace brokkr
