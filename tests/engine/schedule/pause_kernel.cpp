// The program of pause_program.h on one build of the CPU machine.
#include <memory>

#include "pause_program.h"

BROKKR_MACHINE_BEGIN
namespace pause_program {

template <class Task>
static pause_test::Kernel kernel() {
  return kernel_of<Task>({[](const Plan& plan, int warp) {
                            Warp w;
                            run<Task>(w, plan, warp);
                          },
                          nullptr});
}
// Every worker is a block.
static pause_test::Kernel kernel_with_own() {
  return kernel_of<Large>({[](const Plan& plan, int warp) {
                             Warp w;
                             const auto own = std::make_unique<Own<Large>>();
                             run<Large>(w, plan, warp, own.get());
                           },
                           nullptr});
}
pause_test::Kernels kernels();
pause_test::Kernels kernels() { return {kernel<Small>(), kernel<Large>(), kernel_with_own()}; }

}  // namespace pause_program
BROKKR_MACHINE_END
