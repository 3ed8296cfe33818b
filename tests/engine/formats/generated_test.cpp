// Generated scenes match their descriptions and are the same every time.
#include "formats/sources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <glm/geometric.hpp>
#include <map>

#include "brokkr/load.h"

namespace brokkr {
namespace {

const DrawCommand& draw_of(const Frame& frame) { return std::get<DrawCommand>(frame.commands.back()); }

TEST(Generated, ScenesHaveTheirNumbers) {
  const std::pair<const char*, uint64_t> expected[] = {{"sphere-1m", 1'002'252}, {"sphere-100k", 99'372},
                                                       {"overlap-10k", 10'000},  {"terrain", 524'288},
                                                       {"city", 240'000},        {"city?instanced=1", 240'000}};
  for (const auto& [spec, triangles] : expected) {
    const Frame frame = load_frame("generated:" + std::string(spec), {});
    EXPECT_EQ(triangle_count(frame), triangles) << spec;
    EXPECT_EQ(frame.targets[0].width, 1920);
    EXPECT_EQ(frame.targets[0].height, 1080);
    EXPECT_EQ(draw_of(frame).vertex_kind, VertexKind::transform);
    EXPECT_EQ(frame.normals.size(), frame.positions.size());
    EXPECT_EQ(frame.texcoords.size(), frame.positions.size());
    for (const glm::vec3& normal : frame.normals) ASSERT_NEAR(glm::length(normal), 1, 1e-4f) << spec;
  }
}

TEST(Generated, ViewsAreLayersOfOneTarget) {
  const Frame frame = generate("views", {});
  EXPECT_EQ(frame.views.size(), 1024u);
  EXPECT_EQ(frame.targets[0].layers, 1024);
  EXPECT_EQ(frame.targets[0].width, 128);
  LoadOptions options;
  options.views = 3000;
  options.view_size = 64;
  const Frame many = generate("views?triangles=100", options);
  EXPECT_EQ(many.targets[0].width, 64);
  EXPECT_EQ(draw_of(many).view_count, 3000u);
  for (uint32_t i = 0; i < 3000; i++) ASSERT_EQ(many.views[i].layer, i);
}

TEST(Generated, TheSameEveryTime) {
  for (const SceneSource& scene : generated_scenes()) {
    const std::string spec = scene.name + "?triangles=600&textured=1";
    const Frame a = generate(spec, {}), b = generate(spec, {});
    EXPECT_EQ(a.positions, b.positions) << spec;
    EXPECT_EQ(a.indices, b.indices) << spec;
    ASSERT_EQ(a.textures.size(), 1u) << spec;
    EXPECT_EQ(a.textures[0].width, 1024);
    EXPECT_EQ(a.textures[0].texels, b.textures[0].texels) << spec;
    EXPECT_NEAR(double(triangle_count(a)) / double(a.views.size()), scene.name == "screen" ? 1 : 600, 80) << spec;
  }
}

// The draws of a cut mesh are its triangles, each once and in their order.
TEST(Generated, DrawsCutTheMesh) {
  const Frame whole = generate("sphere-100k?triangles=600", {});
  for (const uint64_t draws : {1, 7, 588, 600}) {
    const Frame frame = generate("sphere-100k?triangles=600&draws=" + std::to_string(draws), {});
    ASSERT_EQ(frame.indices, whole.indices);
    uint64_t next = 0, count = 0;
    for (const Command& command : frame.commands) {
      const auto* draw = std::get_if<DrawCommand>(&command);
      if (draw == nullptr) continue;
      EXPECT_EQ(draw->first_index, next);
      EXPECT_GT(draw->element_count, 0u);
      next += draw->element_count;
      ++count;
    }
    EXPECT_EQ(next, whole.indices.size());
    EXPECT_EQ(count, std::min<uint64_t>(draws, triangle_count(whole)));
  }
}

// Every edge of the sphere, by the positions of its ends, is used once in each direction: no cracks, no folds.
TEST(Generated, SphereIsClosed) {
  const Frame frame = generate("sphere-100k?triangles=5000", {});
  using Point = std::array<float, 3>;
  std::map<std::pair<Point, Point>, int> edges;
  const auto point = [&](uint32_t index) {
    const glm::vec4& p = frame.positions[frame.indices[index]];
    return Point{p.x, p.y, p.z};
  };
  for (uint32_t i = 0; i < frame.indices.size(); i += 3) {
    for (uint32_t k = 0; k < 3; k++) edges[{point(i + k), point(i + (k + 1) % 3)}]++;
  }
  for (const auto& [edge, uses] : edges) {
    ASSERT_EQ(uses, 1);
    ASSERT_TRUE(edges.contains({edge.second, edge.first}));
  }
}

TEST(Generated, FacesLookAlongTheirNormals) {
  for (const char* spec : {"sphere-100k?triangles=5000", "terrain?triangles=5000", "city?triangles=5000"}) {
    const Frame frame = generate(spec, {});
    for (size_t i = 0; i < frame.indices.size(); i += 3) {
      const glm::vec3 a(frame.positions[frame.indices[i]]), b(frame.positions[frame.indices[i + 1]]);
      const glm::vec3 c(frame.positions[frame.indices[i + 2]]);
      ASSERT_GT(glm::dot(glm::cross(b - a, c - a), frame.normals[frame.indices[i]]), 0) << spec << ' ' << i;
    }
  }
}

TEST(Generated, MistakesAreNamed) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"nothing", "use one of sphere-1m, sphere-100k"}, {"city?colour=1", "field 'colour'"},
      {"city?triangles=many", "field 'triangles'"},     {"city?triangles=99999999999", "field 'triangles'"},
      {"city?textured=2", "field 'textured'"},          {"", "field 'name'"},
  };
  for (const auto& [spec, message] : mistakes) {
    try {
      load_frame("generated:" + std::string(spec), {});
      ADD_FAILURE() << spec;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
  LoadOptions options;
  options.width = 20'000;
  EXPECT_THROW(generate("city?triangles=100", options), std::runtime_error);
  options.width = 0;
  options.views = 70'000;
  EXPECT_THROW(generate("city?triangles=100", options), std::runtime_error);
  EXPECT_THROW(load_frame("picture.xyz", {}), std::runtime_error);
}

}  // namespace
}  // namespace brokkr
