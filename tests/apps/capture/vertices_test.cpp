// Vertex programs in a frame file: their attributes, uniforms, blocks and textures give the vertices that the driver
// computed, in every case of the program under capture.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "brokkr/vertex_stage.h"
#include "captured_frames.h"
#include "frame/bkf_fields.h"

namespace brokkr::capture_test {
namespace {

// The draws that stay without a vertex program, by reason.
std::map<std::string, uint64_t> expanded(const Frame& frame) {
  std::map<std::string, uint64_t> reasons;
  for (const auto& [reason, count] : frame.skipped_reasons) {
    if (reason.starts_with(bkf::kExpandedReason)) reasons[reason.substr(bkf::kExpandedReason.size())] = count;
  }
  return reasons;
}

uint64_t draws_with_programs(const Frame& frame) {
  const std::vector<DrawCommand> draws = draws_of(frame);
  return uint64_t(
      std::count_if(draws.begin(), draws.end(), [](const DrawCommand& draw) { return draw.vertices >= 0; }));
}

TEST_F(CapturedFrames, DrawsHaveVertexProgramsOrAReason) {
  using Reasons = std::map<std::string, uint64_t>;
  EXPECT_EQ(expanded(frame(scene::kArrays)), Reasons{});
  EXPECT_EQ(draws_with_programs(frame(scene::kArrays)), draws_of(frame(scene::kArrays)).size());
  EXPECT_EQ(expanded(frame(scene::kInstanced)), Reasons{});
  EXPECT_EQ(expanded(frame(scene::kDrawId)), Reasons{});
  EXPECT_EQ(expanded(frame(scene::kGeometry)), (Reasons{{"a geometry or tessellation shader", 2}}));
  EXPECT_EQ(expanded(frame(scene::kTessellation)), (Reasons{{"a geometry or tessellation shader", 1}}));
  EXPECT_EQ(expanded(frame(scene::kAttributes)), Reasons{});
  EXPECT_EQ(draws_with_programs(frame(scene::kAttributes)), 2u);
  EXPECT_GT(draws_with_programs(frame(scene::kImmediate)), 0u);
  EXPECT_GT(draws_with_programs(frame(scene::kFixedFunction)), 0u);
}

TEST_F(CapturedFrames, AttributesKeepTheirValuesAndDivisors) {
  const Frame captured = frame(scene::kAttributes);
  const DrawCommand draw = draws_of(captured).at(0);
  ASSERT_GE(draw.vertices, 0);
  const VertexInputs& inputs = captured.vertex_inputs[size_t(draw.vertices)];
  const VertexProgram& program = captured.vertex_programs[inputs.program];
  EXPECT_EQ(inputs.base_vertex, scene::kAttributeBase);
  EXPECT_EQ(inputs.base_instance, 1);
  EXPECT_EQ(draw.vertex_count, uint32_t(scene::kAttributeVertices));
  EXPECT_EQ(draw.instances, uint32_t(scene::kInstances));
  const auto stream = [&](const std::string& name) {
    for (size_t i = 0; i < program.attributes.size(); ++i) {
      if (program.attributes[i].name == name) return inputs.attributes[i];
    }
    ADD_FAILURE() << name;
    return VertexStream{};
  };
  const auto number = [&](const std::string& name, size_t i) {
    return std::bit_cast<float>(captured.attributes.at(stream(name).first + i));
  };
  EXPECT_EQ(stream("place").count, uint32_t(scene::kAttributeVertices));
  for (int i = 0; i < scene::kAttributeVertices; ++i) {
    const int vertex = i + scene::kAttributeBase;
    EXPECT_EQ(number("place", size_t(i) * 4), scene::vertex(vertex).x);
    EXPECT_NEAR(number("bytes", size_t(i) * 4 + 1), float((vertex * 16 + 51) & 0xff) / 255, 1e-6f);
    EXPECT_EQ(int32_t(captured.attributes.at(stream("whole").first + size_t(i) * 3 + 1)), 100 - 7 * vertex);
    EXPECT_EQ(captured.attributes.at(stream("natural").first + size_t(i)), 0xfffffff0u + uint32_t(vertex));
    EXPECT_EQ(number("turn", size_t(i) * 4 + 3), 0.5f * float(vertex % 3) - 0.75f);
    EXPECT_EQ(number("pair[1]", size_t(i)), 0.125f * float(vertex) - 1);
    EXPECT_EQ(int32_t(captured.attributes.at(stream("gl_VertexID").first + size_t(i))), vertex);
  }
  EXPECT_EQ(stream("of_two"), (VertexStream{stream("of_two").first, 2, 2}));
  EXPECT_EQ(number("of_two", 0), 2);  // the base instance counts
  EXPECT_EQ(number("of_two", 1), 3);
  EXPECT_EQ(stream("same"), (VertexStream{stream("same").first, 1, 1}));
  EXPECT_EQ(number("same", 2), 0.75f);
}

#if defined(BROKKR_HAVE_SHADERS)
// Positions differ from the driver's in the last bits at most. Those of lit, fogged or generated vertices do as well.
TEST_F(CapturedFrames, VertexProgramsComputeTheDriversVertices) {
  uint64_t positions = 0, same = 0;
  for (int number = 1; number < scene::kCaseCount; ++number) {
    Frame captured = frame(scene::Case(number));
    const std::vector<glm::vec4> driver = captured.positions;
    const std::vector<float> varyings = captured.varyings;
    const std::vector<std::string> problems = shade_vertices(captured);
    if (number != scene::kSubroutines) EXPECT_EQ(problems, std::vector<std::string>{}) << number;
    ASSERT_EQ(captured.positions.size(), driver.size());
    for (const DrawCommand& draw : draws_of(captured)) {
      if (draw.vertices < 0) continue;
      for (uint64_t i = 0; i < uint64_t(draw.vertex_count) * draw.instances; ++i) {
        const glm::vec4 &a = captured.positions[draw.first_vertex + i], &b = driver[draw.first_vertex + i];
        ++positions;
        same += a == b;
        for (int axis = 0; axis < 4; ++axis)
          EXPECT_LE(std::abs(a[axis] - b[axis]), 4e-7f * std::max(1.0f, std::abs(b[axis])))
              << "case " << number << ", " << draw.label << ", vertex " << i;
      }
    }
    for (size_t i = 0; i < varyings.size(); ++i) {
      if (std::bit_cast<uint32_t>(varyings[i]) == std::bit_cast<uint32_t>(captured.varyings[i])) continue;
      EXPECT_NEAR(captured.varyings[i], varyings[i], 1e-5f * std::max(1.0f, std::abs(varyings[i])))
          << "case " << number << ", varying " << i;
    }
  }
  EXPECT_GT(positions, 1000u);
  EXPECT_GE(same * 100, positions * 95) << same << " of " << positions;
}
#endif

}  // namespace
}  // namespace brokkr::capture_test
