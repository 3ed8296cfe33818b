// The program of pause_program.h on one build of the CPU machine.
#include "pause_program.h"

BROKKR_MACHINE_BEGIN
namespace pause_program {

pause_test::Kernel kernel();
pause_test::Kernel kernel() {
  return kernel_of({[](const Plan& plan, int warp) {
                      Warp w;
                      run(w, plan, warp);
                    },
                    nullptr});
}

}  // namespace pause_program
BROKKR_MACHINE_END
