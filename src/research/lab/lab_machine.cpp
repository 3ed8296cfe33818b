#include "lab/lab_machine.h"

#include <stdexcept>

#include "pipeline/task_machine.h"

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

const LabKernels& lab_kernels_of(const std::string& build) {
#if defined(BROKKR_LAB_CUDA)
  if (build == "cuda") return cuda_lab_kernels();
#endif
  if (build == "simt") return *static_cast<const LabKernels*>(simt_device().kernels("lab"));
#define X(isa) \
  if (build == #isa) return isa::lab_build::kernels;
  BROKKR_HAVE_ISA_LIST
#undef X
  throw std::invalid_argument("--isa " + build + ": the experiments were not built for it (see -DBROKKR_ISAS)");
}

// The size and alignment of a cache line.
struct alignas(64) QueueLine {
  std::byte bytes[64]{};
};

}  // namespace

void LabMachine::prepare_queue(QueueKind kind, void* memory, const QueueShape& shape) {
  const size_t bytes = queue(kind).bytes(shape);
  if (!is_gpu()) {
    clear(memory, bytes);
    queue(kind).prepare(memory, shape);
    return;
  }
  std::vector<QueueLine> image((bytes + sizeof(QueueLine) - 1) / sizeof(QueueLine));  // zeroed
  queue(kind).prepare(image.data(), shape);
  upload(memory, image.data(), bytes);
}

std::unique_ptr<LabMachine> make_lab_machine(const std::string& name, const std::string& isa) {
  std::unique_ptr<TaskMachine> machine = make_task_machine(name, isa);
  const LabKernels& kernels = lab_kernels_of(machine->build);
  return std::make_unique<LabMachine>(std::move(machine), kernels);
}

}  // namespace brokkr::lab
