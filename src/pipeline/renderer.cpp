#include "brokkr/renderer.h"

#include <map>
#include <stdexcept>
#include <thread>

#include "pipeline/cpu_machine.h"
#if defined(BROKKR_HAVE_CUDA)
#include "pipeline/cuda/machine.h"
#endif
#include "pipeline/view_order.h"

namespace brokkr {

struct Renderer::Impl {
  std::map<std::string, std::unique_ptr<MachineBackend>> machines;
  std::atomic<uint32_t> abort{0};
  MachineBackend* last = nullptr;  // that rendered

  MachineBackend& machine(const RenderOptions& options) {
    MachineKind kind = options.machine;
#if defined(BROKKR_HAVE_CUDA)
    if (kind == MachineKind::automatic && options.isa.empty() && cuda_is_available()) kind = MachineKind::cuda;
    if (kind == MachineKind::cuda) {
      std::unique_ptr<MachineBackend>& m = machines["cuda"];
      if (!m) m = make_cuda_machine();
      return *m;
    }
#else
    if (kind == MachineKind::cuda) {
      throw std::runtime_error(
          "machine: this program was built without CUDA; use --machine cpu, or rebuild with BROKKR_CUDA=ON");
    }
#endif
    const std::string isa = kind == MachineKind::emulated ? "emulated" : options.isa;
    std::unique_ptr<MachineBackend>& m = machines["cpu " + isa];
    if (!m) m = std::make_unique<CpuMachine>(isa);
    return *m;
  }
};

Renderer::Renderer() : impl_(std::make_unique<Impl>()) {}
Renderer::~Renderer() = default;

RenderResult Renderer::render(PreparedFrame& frame, const RenderOptions& options, bool read_back) {
  MachineBackend& machine = impl_->machine(options);
  const PhasePlan& plan = frame.impl_->make_plan(options);
  const LaunchShape shape = machine.shape(options);
  LaunchLayout layout = make_layout(*frame.impl_->frame, plan.batches, options, shape,
                                    plan.reuse != nullptr ? plan.reuse->max_triangles : kBatchTriangles);
  add_view_order(*frame.impl_, plan, options, layout);
  RenderResult result;
  impl_->abort.store(0);
  impl_->last = &machine;
  machine.launch(*frame.impl_, plan, layout, shape, options, impl_->abort, result, read_back);
  return result;
}

RenderResult Renderer::render(const Frame& frame, const RenderOptions& options) {
  PreparedFrame prepared = prepare(frame);
  return render(prepared, options);
}

bool Renderer::resolve_to_surface(uint32_t target, uint32_t layer, unsigned long long surface) {
  return impl_->last != nullptr && impl_->last->resolve_to_surface(target, layer, surface);
}

void Renderer::request_abort() { impl_->abort.store(1); }

const char* library_version() { return BROKKR_VERSION; }

std::vector<MachineInfo> find_machines() {
  std::vector<MachineInfo> all;
  const int cores = std::max(1, int(std::thread::hardware_concurrency()));
#if defined(BROKKR_HAVE_CUDA)
  for (MachineInfo& m : find_cuda_machines()) all.push_back(std::move(m));
#else
  all.push_back({MachineKind::cuda, "CUDA", "", 32, 0, false, "built without CUDA"});
#endif
  struct Build {
    const char *isa, *name;
  };
  for (const Build& b :
       {Build{"v4", "x86-64-v4"}, Build{"v3", "x86-64-v3"}, Build{"v2", "x86-64-v2"}, Build{"neon", "AArch64 NEON"}}) {
    const CpuKernel* kernel = find_cpu_kernel(b.isa);
    if (kernel == nullptr) continue;
    const bool runs = cpu_supports(b.isa);
    all.push_back({MachineKind::cpu, "CPU", b.name, kernel->width, cores, runs, runs ? "" : "this processor lacks it"});
  }
  if (const CpuKernel* kernel = find_cpu_kernel("emulated")) {
    all.push_back({MachineKind::emulated, "emulated warp", "32 lanes", kernel->width, cores, cpu_supports("emulated"),
                   "for tests"});
  }
  return all;
}

}  // namespace brokkr
