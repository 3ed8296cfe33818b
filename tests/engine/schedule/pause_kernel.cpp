// The program of pause_program.h on one build of the CPU machine.
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
pause_test::Kernels kernels();
pause_test::Kernels kernels() { return {kernel<Small>(), kernel<Large>()}; }

}  // namespace pause_program
BROKKR_MACHINE_END
