// DiffMachine on a CUDA device: the same bits as on the CPU.
#include <gtest/gtest.h>

#include "diff/all_operations.h"

namespace brokkr::diff_test {
namespace {

TEST(CudaDiff, MachineHasTheBitsOfTheCpu) {
  const Scene s = sphere(2, 24, 37);
  EXPECT_EQ(run_all({.workers = 1, .isa = {}, .machine = MachineKind::cuda}, s), run_all({.workers = 1}, s));
}

}  // namespace
}  // namespace brokkr::diff_test
