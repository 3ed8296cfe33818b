// Every draw function, called by our program: topology, indices, vertices and instances are captured exactly as
// submitted.
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "captured_frames.h"
#include "frame/bkf_fields.h"

namespace brokkr::capture_test {
namespace {

using scene::kIndices;

// The indices kIndices[first …], moved by `base`.
std::vector<int> indices(int first, int count, int base = 0) {
  std::vector<int> numbers;
  for (int i = 0; i < count; i++) numbers.push_back(static_cast<int>(kIndices[size_t(first + i)]) + base);
  return numbers;
}

void expect_draw(const Frame& frame, size_t number, Topology topology, const std::vector<int>& vertices,
                 bool indexed = false) {
  const std::vector<DrawCommand> draws = draws_of(frame);
  ASSERT_LT(number, draws.size());
  EXPECT_EQ(draws[number].topology, topology) << "draw " << number;
  EXPECT_EQ(draws[number].indexed, indexed) << "draw " << number;
  // The draw stores only used vertices, each once, so the reuse is the application's.
  const std::set<int> unique(vertices.begin(), vertices.end());
  EXPECT_EQ(draws[number].vertex_count, indexed ? unique.size() : vertices.size()) << "draw " << number;
  expect_elements(frame, number, expected(vertices));
}

TEST_F(CapturedFrames, Arrays) {
  const Frame captured = frame(scene::kArrays);
  ASSERT_EQ(draws_of(captured).size(), 9u);
  expect_draw(captured, 0, Topology::triangles, range(3, 6));
  expect_draw(captured, 1, Topology::triangle_strip, range(8, 7));
  expect_draw(captured, 2, Topology::triangle_fan, range(16, 5));
  expect_draw(captured, 3, Topology::points, range(24, 4));
  expect_draw(captured, 4, Topology::lines, range(32, 4));
  expect_draw(captured, 5, Topology::line_strip, range(40, 5));
  expect_draw(captured, 6, Topology::line_loop, range(48, 5));
  EXPECT_EQ(draws_of(captured)[7].topology, Topology::lines);
  expect_elements(captured, 7, expected({33, 34, 37, 38}));
  EXPECT_EQ(draws_of(captured)[8].topology, Topology::triangles);
  expect_elements(captured, 8, expected({10, 12, 14, 16, 18, 20}));
}

TEST_F(CapturedFrames, Elements) {
  const Frame captured = frame(scene::kElements);
  ASSERT_EQ(draws_of(captured).size(), 6u);
  for (size_t i = 0; i < 3; i++) expect_draw(captured, i, Topology::triangles, indices(0, 12), true);
  expect_draw(captured, 3, Topology::triangle_strip, indices(0, 12), true);
  expect_draw(captured, 4, Topology::triangles, indices(0, 6, 5), true);
  expect_draw(captured, 5, Topology::triangles, indices(0, 6, -3), true);
}

TEST_F(CapturedFrames, Instances) {
  const Frame captured = frame(scene::kInstanced);
  struct Wanted {
    std::vector<int> vertices;
    uint32_t instances;
    int base_instance;
  };
  const std::vector<Wanted> wanted = {{range(3, 3), 3, 0},  {indices(0, 6), 2, 0}, {indices(0, 6, 7), 2, 0},
                                      {range(20, 4), 2, 1}, {indices(0, 6), 2, 2}, {indices(0, 6, 1), 2, 1}};
  const std::vector<DrawCommand> draws = draws_of(captured);
  ASSERT_EQ(draws.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); i++) {
    ASSERT_EQ(draws[i].instances, wanted[i].instances) << "draw " << i;
    for (uint32_t instance = 0; instance < wanted[i].instances; instance++) {
      const int number = wanted[i].base_instance + static_cast<int>(instance);
      expect_elements(captured, i, expected(wanted[i].vertices, instance_offset(number)), instance);
    }
  }
}

TEST_F(CapturedFrames, MultiDraws) {
  const Frame captured = frame(scene::kMulti);
  ASSERT_EQ(draws_of(captured).size(), 6u);
  expect_draw(captured, 0, Topology::triangles, range(0, 3));
  expect_draw(captured, 1, Topology::triangles, range(20, 6));
  expect_draw(captured, 2, Topology::triangles, indices(0, 3), true);
  expect_draw(captured, 3, Topology::triangles, indices(3, 6), true);
  expect_draw(captured, 4, Topology::triangles, indices(0, 3), true);
  expect_draw(captured, 5, Topology::triangles, indices(3, 6, 2), true);
  EXPECT_EQ(draws_of(captured)[5].label, "#2.1");
}

// The four structures of the program's indirect buffer.
void expect_indirect(const Frame& captured, size_t first, const std::vector<glm::vec4>& id_offsets) {
  const std::vector<DrawCommand> draws = draws_of(captured);
  ASSERT_GE(draws.size(), first + 4);
  const std::vector<std::vector<int>> vertices = {range(5, 3), range(20, 6), indices(0, 6), indices(3, 3, 2)};
  const std::vector<uint32_t> instances = {2, 1, 2, 1};
  const std::vector<int> base_instances = {1, 0, 1, 0};
  for (size_t i = 0; i < 4; i++) {
    ASSERT_EQ(draws[first + i].instances, instances[i]) << "draw " << first + i;
    for (uint32_t instance = 0; instance < instances[i]; instance++) {
      const glm::vec4 offset = instance_offset(base_instances[i] + static_cast<int>(instance)) + id_offsets[i];
      expect_elements(captured, first + i, expected(vertices[i], offset), instance);
    }
  }
}

TEST_F(CapturedFrames, IndirectDraws) {
  const Frame captured = frame(scene::kIndirect);
  const std::vector<DrawCommand> draws = draws_of(captured);
  ASSERT_EQ(draws.size(), 6u);
  EXPECT_EQ(draws[0].instances, 2u);
  expect_elements(captured, 0, expected(range(5, 3), instance_offset(2)), 1);
  EXPECT_EQ(draws[1].instances, 2u);
  expect_elements(captured, 1, expected(indices(0, 6), instance_offset(1)), 0);
  expect_indirect(captured, 2, std::vector<glm::vec4>(4, glm::vec4(0)));
}

TEST_F(CapturedFrames, DrawNumbersInShaders) {
  const Frame captured = frame(scene::kDrawId);
  ASSERT_EQ(draws_of(captured).size(), 9u);
  const auto moved = [](int id) { return glm::vec4(0.0625f * static_cast<float>(id), 0, 0, 0); };
  for (int i = 0; i < 3; i++) expect_elements(captured, size_t(i), expected(range(8 * i, 3), moved(i)));
  expect_elements(captured, 3, expected(indices(0, 3), moved(0)));
  expect_elements(captured, 4, expected(indices(3, 6), moved(1)));
  expect_indirect(captured, 5, {moved(0), moved(1), moved(0), moved(1)});
}

TEST_F(CapturedFrames, PrimitiveRestart) {
  const Frame captured = frame(scene::kRestart);
  const std::vector<DrawCommand> draws = draws_of(captured);
  ASSERT_EQ(draws.size(), 4u);
  const auto cut = [](const std::vector<int>& before, const std::vector<int>& after) {
    std::vector<glm::vec4> all = expected(before);
    all.emplace_back(std::nanf(""));
    for (const glm::vec4& v : expected(after)) all.push_back(v);
    return all;
  };
  EXPECT_EQ(draws[0].topology, Topology::triangle_strip);
  EXPECT_TRUE(draws[0].restart);
  expect_elements(captured, 0, cut({0, 1, 8, 9}, {20, 21, 28, 29}));
  // Lists are cut at an incomplete primitive.
  EXPECT_EQ(draws[1].topology, Topology::triangles);
  EXPECT_FALSE(draws[1].restart);
  expect_elements(captured, 1, expected({0, 1, 8, 20, 21, 28}));
  EXPECT_EQ(draws[2].topology, Topology::lines);
  expect_elements(captured, 2, expected({0, 1, 1, 8, 8, 9, 9, 0, 20, 21, 21, 28, 28, 29, 29, 20}));
  EXPECT_EQ(draws[3].topology, Topology::triangle_fan);
  EXPECT_TRUE(draws[3].restart);
  expect_elements(captured, 3, cut({20, 21, 28, 29}, {40, 41, 48}));
}

TEST_F(CapturedFrames, GeometryShaders) {
  const Frame captured = frame(scene::kGeometry);
  const std::vector<DrawCommand> draws = draws_of(captured);
  ASSERT_EQ(draws.size(), 2u);
  EXPECT_EQ(draws[0].topology, Topology::triangles);
  EXPECT_FALSE(draws[0].indexed);
  std::vector<glm::vec4> wanted;
  for (int triangle = 0; triangle < 2; triangle++) {
    for (int copy = 0; copy < 2; copy++) {
      const glm::vec4 offset(0.25f * static_cast<float>(copy), 0, 0, 0);
      for (const glm::vec4& v : expected(range(3 * triangle, 3), offset)) wanted.push_back(v);
    }
  }
  expect_elements(captured, 0, wanted);
  EXPECT_EQ(draws[1].topology, Topology::lines);
  wanted.clear();
  for (int point = 8; point < 11; point++) {
    const glm::vec4 v = expected({point})[0];
    const glm::vec4 a = v, b = v + glm::vec4(0.125f, 0.125f, 0, 0), c = v + glm::vec4(0.25f, 0, 0, 0);
    for (const glm::vec4& end : {a, b, b, c}) wanted.push_back(end);
  }
  expect_elements(captured, 1, wanted);
}

TEST_F(CapturedFrames, TessellationShaders) {
  const Frame captured = frame(scene::kTessellation);
  const std::vector<DrawCommand> draws = draws_of(captured);
  ASSERT_EQ(draws.size(), 1u);
  EXPECT_EQ(draws[0].topology, Topology::triangles);
  // Tessellation levels of 2 divide a triangle into six around its centre. The areas of the parts add up to the whole.
  const std::vector<glm::vec4> found = elements_of(captured, draws[0]);
  ASSERT_EQ(found.size(), 18u);
  const auto area = [](glm::vec4 a, glm::vec4 b, glm::vec4 c) {
    return 0.5f * std::abs((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
  };
  float sum = 0;
  for (size_t i = 0; i < found.size(); i += 3) sum += area(found[i], found[i + 1], found[i + 2]);
  const std::vector<glm::vec4> corners = expected(range(0, 3));
  EXPECT_NEAR(sum, area(corners[0], corners[1], corners[2]), 1e-5f);
}

TEST_F(CapturedFrames, ImmediateMode) {
  const Frame captured = frame(scene::kImmediate);
  const std::vector<DrawCommand> draws = draws_of(captured);
  ASSERT_EQ(draws.size(), 8u);
  expect_draw(captured, 0, Topology::triangles, range(3, 6));
  expect_draw(captured, 1, Topology::triangle_strip, range(8, 5));
  expect_draw(captured, 4, Topology::triangle_fan, range(32, 5));
  expect_draw(captured, 5, Topology::lines, range(40, 4));
  expect_draw(captured, 6, Topology::points, range(48, 3));
  // Each quad becomes two triangles that together use all four corners.
  for (const auto& [number, corners, count] : {std::tuple<size_t, int, size_t>{2, 16, 6}, {3, 24, 12}, {7, -1, 6}}) {
    EXPECT_EQ(draws[number].topology, Topology::triangles) << "draw " << number;
    EXPECT_EQ(draws[number].element_count, count) << "draw " << number;
    const std::vector<glm::vec4> found = elements_of(captured, draws[number]);
    for (int corner = corners; corners >= 0 && corner < corners + static_cast<int>(count / 3 + 2); corner++) {
      EXPECT_NE(std::find(found.begin(), found.end(), expected({corner})[0]), found.end()) << corner;
    }
  }
  for (const glm::vec4& v : elements_of(captured, draws[7])) {
    EXPECT_EQ(std::abs(v.x), 0.25f);
    EXPECT_EQ(std::abs(v.y), 0.5f);
  }
}

TEST_F(CapturedFrames, DisplayLists) {
  const Frame captured = frame(scene::kLists);
  EXPECT_EQ(captured.skipped_draws, 0u);
  // Lists that change matrices have no vertex programs.
  for (const auto& [reason, count] : captured.skipped_reasons)
    EXPECT_EQ(reason, std::string(bkf::kExpandedReason) + "a display list that changes matrices");
  ASSERT_EQ(draws_of(captured).size(), 9u);
  const auto moved = [](glm::vec4 v) { return v + glm::vec4(0.125f * v.w, 0, 0, 0); };
  // A list with a triangle and a nested list with a fan; then the fan twice, moved by a matrix that it changes.
  expect_elements(captured, 0, expected(range(3, 3)));
  const std::vector<glm::vec4> first = elements_of(captured, draws_of(captured)[1]);
  ASSERT_EQ(first.size(), 6u);
  const std::vector<glm::vec4> second = elements_of(captured, draws_of(captured)[2]);
  ASSERT_EQ(second.size(), 12u);
  for (size_t i = 0; i < 6; i++) {
    EXPECT_EQ(second[i], first[i]);
    EXPECT_EQ(second[6 + i], moved(second[i]));
  }
  expect_elements(captured, 3, expected(range(40, 3)));
  // A list that sets state between its draws.
  for (size_t i = 4; i < 6; i++) {
    expect_elements(captured, i, expected(range(i == 4 ? 3 : 6, 3)));
    EXPECT_EQ(captured.states[draws_of(captured)[i].state].flat_shading, i == 4);
  }
  // A list with triangles and lines, which restores the matrix between them.
  std::vector<glm::vec4> triangle = expected(range(3, 3));
  for (glm::vec4& v : triangle) v = moved(v);
  expect_elements(captured, 6, triangle);
  expect_elements(captured, 7, expected(range(9, 3)));
  expect_elements(captured, 8, expected(range(16, 4)));
}

TEST_F(CapturedFrames, Evaluators) {
  const Frame captured = frame(scene::kEvaluators);
  const std::vector<DrawCommand> draws = draws_of(captured);
  ASSERT_EQ(draws.size(), 2u);
  EXPECT_EQ(draws[0].topology, Topology::triangles);
  EXPECT_EQ(draws[1].topology, Topology::lines);
  const std::vector<glm::vec4> found = elements_of(captured, draws[0]);
  ASSERT_EQ(found.size(), 12u);  // two quads
  float area = 0;
  for (size_t i = 0; i < found.size(); i += 3) {
    const glm::vec4 a = found[i + 1] - found[i], b = found[i + 2] - found[i];
    area += 0.5f * std::abs(a.x * b.y - a.y * b.x);
  }
  EXPECT_NEAR(area, 1.0f, 1e-5f);
  EXPECT_GE(elements_of(captured, draws[1]).size(), 14u);  // the seven edges of the two quads
}

TEST_F(CapturedFrames, ClientArrays) {
  const Frame captured = frame(scene::kClientArrays);
  const std::vector<DrawCommand> draws = draws_of(captured);
  ASSERT_EQ(draws.size(), 4u);
  expect_draw(captured, 0, Topology::triangles, range(3, 6));
  EXPECT_EQ(draws[1].topology, Topology::triangles);
  EXPECT_EQ(draws[1].element_count, 12u);
  EXPECT_EQ(draws[1].vertex_count, 8u);
  const std::vector<glm::vec4> quads = elements_of(captured, draws[1]);
  for (int index : {8, 9, 17, 16, 20, 21, 29, 28}) {
    EXPECT_NE(std::find(quads.begin(), quads.end(), expected({index})[0]), quads.end()) << index;
  }
  expect_draw(captured, 2, Topology::triangle_strip, {8, 9, 17, 16, 20}, true);
  for (const glm::vec4& v : elements_of(captured, draws[3])) {
    bool found = false;
    for (int index = 32; index < 36; index++) {
      const glm::vec4 from = expected({index})[0];
      found = found || v == from + glm::vec4(0.25f * from.w, 0.125f * from.w, 0, 0);
    }
    EXPECT_TRUE(found) << v.x << ' ' << v.y;
  }
}

}  // namespace
}  // namespace brokkr::capture_test
