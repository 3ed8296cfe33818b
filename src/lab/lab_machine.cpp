#include "lab/lab_machine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "machine/worker_pool.h"
#include "machine/zeroed_memory.h"
#include "pipeline/cpu_machine.h"

namespace brokkr {
#define X(isa)                          \
  inline namespace isa {                \
  namespace lab_build {                 \
  extern const lab::LabKernels kernels; \
  }                                     \
  }
BROKKR_HAVE_ISA_LIST
#undef X
}  // namespace brokkr

namespace brokkr::lab {
namespace {

class CpuLabMachine : public LabMachine {
 public:
  CpuLabMachine(std::string its_name, std::string its_detail, const LabKernels& its_kernels)
      : LabMachine(std::move(its_name), std::move(its_detail), its_kernels, 1) {}

  uint32_t most_warps(const void*) const override { return 256; }
  std::shared_ptr<void> allocate(size_t bytes) override {
    auto memory = std::make_shared<ZeroedMemory>(bytes, "queue experiment");
    return {memory, memory->as<void>()};
  }
  void upload(void* to, const void* from, size_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, size_t bytes) override { std::memcpy(to, from, bytes); }
  void clear(void* memory, size_t bytes) override { std::memset(memory, 0, bytes); }
  void prepare_queue(QueueKind kind, void* memory, const QueueShape& shape) override {
    clear(memory, queue(kind).bytes(shape));
    queue(kind).prepare(memory, shape);
  }
  uint32_t* abort_word() override { return &abort_; }

 private:
  using Clock = std::chrono::steady_clock;
  WorkerPool pool_;
  uint32_t abort_ = 0;

  double launch(uint32_t warps, double seconds, const std::function<void(int)>& work, const void*,
                const void*) override {
    std::atomic_ref<uint32_t> abort(abort_);
    abort.store(0);
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
    const bool in_time = pool_.wait(seconds * 1000.0);
    if (!in_time) {
      abort.store(1);
      pool_.wait(-1);
    }
    const Clock::duration took{*std::max_element(end.begin(), end.end()) - begin.load()};
    return in_time ? std::chrono::duration<double, std::milli>(took).count() : -1.0;
  }
};

const LabKernels* find_lab_kernels(const std::string& isa) {
#define X(build) \
  if (isa == #build) return &build::lab_build::kernels;
  BROKKR_HAVE_ISA_LIST
#undef X
  return nullptr;
}

std::unique_ptr<LabMachine> make_cpu_lab_machine(const std::string& name, const std::string& isa) {
  const LabKernels* kernels = find_lab_kernels(isa);
  if (kernels == nullptr) {
    throw std::invalid_argument("--isa " + isa + ": not built into this program (see -DBROKKR_ISAS)");
  }
  if (!cpu_supports(isa)) {
    throw std::invalid_argument("--isa " + isa + ": this processor does not run it; see `brokkr machines`");
  }
  return std::make_unique<CpuLabMachine>(name, isa, *kernels);
}

}  // namespace

std::unique_ptr<LabMachine> make_lab_machine(const std::string& name, const std::string& isa) {
  if (!isa.empty() && name != "cpu" && name != "auto") {
    throw std::invalid_argument("--isa " + isa + ": --machine " + name + " has no instruction sets to choose from");
  }
#if defined(BROKKR_LAB_CUDA)
  if (name == "cuda" || (name == "auto" && isa.empty())) {
    if (auto machine = make_cuda_lab_machine()) return machine;
    if (name == "cuda") throw std::invalid_argument("--machine cuda: no GPU was found; see `brokkr machines`");
  }
#else
  if (name == "cuda") {
    throw std::invalid_argument("--machine cuda: this program was built without CUDA (-DBROKKR_CUDA=ON)");
  }
#endif
  if (name == "emulated") return make_cpu_lab_machine(name, name);
  if (name != "cpu" && name != "auto") throw std::invalid_argument("--machine " + name + ": there is no such machine");
  return make_cpu_lab_machine("cpu", isa.empty() ? best_cpu_isa() : isa);
}

}  // namespace brokkr::lab
