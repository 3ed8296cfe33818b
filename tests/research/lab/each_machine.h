// Tests that run on every machine of the lab that this build has.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/experiment.h"

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
inline auto each_machine() { return testing::Values("cpu", "emulated", "cuda"); }
inline std::string machine_name(const testing::TestParamInfo<std::string>& info) { return info.param; }

// A row by the names of its columns.
struct Cells : std::map<std::string, std::string> {
  double number(const std::string& column) const { return std::stod(at(column)); }
};
inline std::vector<Cells> cells_of(const ResultTable& table) {
  std::vector<Cells> all;
  for (const Row& row : table.rows) {
    Cells& cells = all.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) cells[table.columns[i]] = row[i];
  }
  return all;
}

}  // namespace brokkr::lab
