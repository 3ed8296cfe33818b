#include "captured_frames.h"

#include <cmath>
#include <cstdlib>
#include <limits>

namespace brokkr::capture_test {

std::unique_ptr<CapturedFrames::Shared>& CapturedFrames::shared() {
  static std::unique_ptr<Shared> result;
  return result;
}

// Use Mesa's software driver, so that the test needs no GPU and no display. Mesa answers the length of a program's
// binary differently for programs from its cache, so both runs find all programs in a cache that an earlier run filled.
void CapturedFrames::SetUpTestSuite() {
  shared() = std::make_unique<Shared>();
  const std::string environment =
      "LIBGL_ALWAYS_SOFTWARE=1 MESA_SHADER_CACHE_DIR=" + (shared()->folder / "cache").string() + " ";
  run(environment + BROKKR_CAPTURE_PROGRAM);
  shared()->plain = run(environment + BROKKR_CAPTURE_PROGRAM);
  shared()->captured =
      run(environment + BROKKR_PROGRAM + " capture -o " + (shared()->folder / "frame-{}.bkf").string() +
          " --frame 1 --every 1 --count " + std::to_string(scene::kCaseCount - 1) +
          " --check-state --application \"test program\" --license CC0-1.0 -- " + BROKKR_CAPTURE_PROGRAM);
}

void CapturedFrames::SetUp() {
  // Exit code 77 means that there is no driver. This is a failure on computers that must have one.
  if (shared()->plain.code == 77 && !std::getenv("BROKKR_REQUIRE_GL")) GTEST_SKIP() << shared()->plain.out;
  ASSERT_EQ(shared()->plain.code, 0) << shared()->plain.out;
  ASSERT_EQ(shared()->captured.code, 0) << shared()->captured.out;
}

std::filesystem::path CapturedFrames::file(scene::Case number) {
  return shared()->folder / ("frame-" + std::to_string(number) + ".bkf");
}

Frame CapturedFrames::frame(scene::Case number) { return read_bkf(file(number)); }

std::string lines_with_hashes(const std::string& text) {
  std::string result;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.size() > 34 && line.find(" 0x") != std::string::npos && line.find("bkf") == std::string::npos) {
      result += line + "\n";
    }
    begin = end + 1;
  }
  return result;
}

std::vector<DrawCommand> draws_of(const Frame& frame) {
  std::vector<DrawCommand> draws;
  for (const Command& command : frame.commands) {
    if (const auto* draw = std::get_if<DrawCommand>(&command)) draws.push_back(*draw);
  }
  return draws;
}

std::vector<glm::vec4> elements_of(const Frame& frame, const DrawCommand& draw, uint32_t instance) {
  std::vector<glm::vec4> elements;
  const uint64_t first = draw.first_vertex + uint64_t(instance) * draw.vertex_count;
  for (uint32_t i = 0; i < draw.element_count; i++) {
    const uint32_t index = draw.indexed ? frame.indices[draw.first_index + i] : i;
    elements.push_back(index == 0xffffffffu ? glm::vec4(std::numeric_limits<float>::quiet_NaN())
                                            : frame.positions[first + index]);
  }
  return elements;
}

std::vector<glm::vec4> expected(const std::vector<int>& numbers, glm::vec4 offset) {
  std::vector<glm::vec4> result;
  for (int number : numbers) {
    const scene::Vertex v = scene::vertex(number);
    result.emplace_back(glm::vec4(v.x, v.y, v.z, v.w) + offset);
  }
  return result;
}

std::vector<int> range(int first, int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; i++) numbers.push_back(first + i);
  return numbers;
}

glm::vec4 instance_offset(int instance) {
  const scene::Vertex v = scene::instance_offset(instance);
  return {v.x, v.y, v.z, v.w};
}

void expect_elements(const Frame& frame, size_t number, const std::vector<glm::vec4>& wanted, uint32_t instance) {
  const std::vector<DrawCommand> draws = draws_of(frame);
  ASSERT_LT(number, draws.size());
  ASSERT_LT(instance, draws[number].instances);
  const std::vector<glm::vec4> found = elements_of(frame, draws[number], instance);
  ASSERT_EQ(found.size(), wanted.size()) << "draw " << number;
  for (size_t i = 0; i < wanted.size(); i++) {
    const bool restart = std::isnan(wanted[i].x);
    EXPECT_TRUE(restart ? std::isnan(found[i].x) : found[i] == wanted[i])
        << "draw " << number << ", element " << i << ": " << found[i].x << ' ' << found[i].y << ' ' << found[i].z << ' '
        << found[i].w << " instead of " << wanted[i].x << ' ' << wanted[i].y << ' ' << wanted[i].z << ' '
        << wanted[i].w;
  }
}

}  // namespace brokkr::capture_test
