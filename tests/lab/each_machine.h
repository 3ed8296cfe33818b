// Tests that run on every machine of the lab that this build has.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "lab/lab_machine.h"

namespace brokkr::lab {

class EachMachine : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    try {
      make_lab_machine(GetParam());
    } catch (const std::invalid_argument& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

// For INSTANTIATE_TEST_SUITE_P(Machines, Suite, each_machine(), machine_name).
inline auto each_machine() { return testing::Values("cpu", "emulated"); }
inline std::string machine_name(const testing::TestParamInfo<std::string>& info) { return info.param; }

}  // namespace brokkr::lab
