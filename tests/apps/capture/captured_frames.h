// The frames of the test program, captured once for all tests.
#pragma once

#include <gtest/gtest.h>

#include <glm/vec4.hpp>
#include <memory>
#include <string>
#include <vector>

#include "frame/bkf.h"
#include "program/scene.h"
#include "run.h"

namespace brokkr::capture_test {

class CapturedFrames : public testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite() { shared().reset(); }
  void SetUp() override;

  struct Shared {
    TemporaryFolder folder;
    RunResult plain, captured;
  };
  static std::unique_ptr<Shared>& shared();

  static std::filesystem::path file(scene::Case number);
  static Frame frame(scene::Case number);
};

// The lines of the program's output that describe its pictures.
std::string lines_with_hashes(const std::string& text);

// The draws of a frame, in order.
std::vector<DrawCommand> draws_of(const Frame& frame);

// The vertices of one instance of a draw, element by element. The capture removes restarts from triangle and line
// lists; in strips they appear as NaN.
std::vector<glm::vec4> elements_of(const Frame& frame, const DrawCommand& draw, uint32_t instance = 0);

// The scene's vertices with these numbers, moved by `offset`.
std::vector<glm::vec4> expected(const std::vector<int>& numbers, glm::vec4 offset = glm::vec4(0));
std::vector<int> range(int first, int count);
glm::vec4 instance_offset(int instance);

// Expects the same bits for each element. A failure names the draw.
void expect_elements(const Frame& frame, size_t draw, const std::vector<glm::vec4>& wanted, uint32_t instance = 0);

}  // namespace brokkr::capture_test
