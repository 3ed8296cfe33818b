// Geometry and shading: compares the pipeline's picture with OpenGL's for topologies, instances, views and textured
// light.
#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/trigonometric.hpp>

#include "compare.h"

namespace brokkr::test {
namespace {

constexpr int kMeshWidth = 160, kMeshHeight = 120;

// Clip-space vertices with individual w, some behind the eye.
std::vector<glm::vec4> random_clip_vertices(Random& random, int count) {
  const glm::mat4 projection = glm::perspective(1.0f, float(kMeshWidth) / kMeshHeight, 0.1f, 50.0f);
  std::vector<glm::vec4> vertices;
  vertices.reserve(size_t(count));
  for (int i = 0; i < count; ++i)
    vertices.push_back(projection * glm::vec4(random.between(-3, 3), random.between(-3, 3), random.between(-9, 1), 1));
  return vertices;
}

class TopologyTest : public PipelineVsGlTest, public ::testing::WithParamInterface<Topology> {};

TEST_P(TopologyTest, IndexedRestartedAndInstanced) {
  Random random(7);
  Frame frame = make_frame(kMeshWidth, kMeshHeight);
  frame.materials.emplace_back();
  for (uint32_t d = 0; d < 24; ++d) {
    DrawCommand draw;
    draw.topology = GetParam();
    draw.indexed = d % 3 != 0;
    draw.restart = d % 2 == 0 && draw.indexed;
    draw.instances = 1 + d % 4;
    draw.vertex_count = 12;
    draw.element_count = draw.indexed ? 29 : 11;  // a rest that makes no triangle
    draw.first_vertex = frame.positions.size();
    draw.first_index = frame.indices.size();
    for (const glm::vec4& vertex : random_clip_vertices(random, int(draw.instances * draw.vertex_count)))
      frame.positions.push_back(vertex);
    for (uint32_t i = 0; draw.indexed && i < draw.element_count; ++i)
      frame.indices.push_back(draw.restart && random.below(6) == 0 ? ~0u : random.below(draw.vertex_count));
    frame.commands.emplace_back(draw);
  }
  const Difference difference = render_both(frame, Shading::flat, 255, kSteepDepth);
  // Points and lines become quads in the pipeline: their ends may differ by a pixel.
  EXPECT_LE(difference.percent(difference.depth), GetParam() < Topology::points ? 0.05 : 0.5) << difference.depth;
}

std::string topology_name(const ::testing::TestParamInfo<Topology>& info) {
  static constexpr const char* kNames[] = {"triangles", "strip", "fan", "points", "lines", "line_strip", "line_loop"};
  return kNames[size_t(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Topologies, TopologyTest,
                         ::testing::Values(Topology::triangles, Topology::triangle_strip, Topology::triangle_fan,
                                           Topology::points, Topology::lines, Topology::line_strip,
                                           Topology::line_loop),
                         topology_name);

TEST_F(PipelineVsGlTest, PolygonModes) {
  for (PolygonMode mode : {PolygonMode::line, PolygonMode::point}) {
    Random random(8);
    Frame frame = make_frame(kMeshWidth, kMeshHeight);
    frame.materials.emplace_back();
    frame.states[0].polygon_mode = mode;
    frame.states[0].cull = CullMode::back;
    DrawCommand draw;
    draw.element_count = draw.vertex_count = 60;
    // All vertices are in front of the eye, because clipping changes outlines differently in each renderer.
    for (uint32_t v = 0; v < draw.vertex_count; ++v)
      frame.positions.emplace_back(random.between(-0.9f, 0.9f), random.between(-0.9f, 0.9f),
                                   random.between(-0.9f, 0.9f), 1.0f);
    frame.commands.emplace_back(draw);
    const Difference difference = render_both(frame, Shading::flat, 255, kSteepDepth);
    EXPECT_LE(difference.percent(difference.depth), 0.5) << "mode " << int(mode);
  }
}

// Between two rows of samples both renderers choose the lower one, and between two columns the left one.
TEST_F(PipelineVsGlTest, LinesBetweenSamples) {
  Frame frame = make_frame(kMeshWidth, kMeshHeight);
  frame.materials.emplace_back();
  DrawCommand draw;
  draw.topology = Topology::lines;
  const auto add = [&](int x, int y) {
    frame.positions.emplace_back(2.0f * float(x) / kMeshWidth - 1, 2.0f * float(y) / kMeshHeight - 1, 0.0f, 1.0f);
  };
  for (int i = 1; i < 8; ++i) {
    add(4, 5 * i), add(40, 5 * i);
    add(50 + 5 * i, 4), add(50 + 5 * i, 40);
  }
  draw.element_count = draw.vertex_count = uint32_t(frame.positions.size());
  frame.commands.emplace_back(draw);
  EXPECT_EQ(render_both(frame, Shading::flat, 255, kSteepDepth).depth, 0u);
}

// A sphere of `rings` x 2 rings quads with normals and texture coordinates.
void add_sphere(Frame& frame, int rings) {
  const uint32_t columns = uint32_t(2 * rings) + 1;
  for (int y = 0; y <= rings; ++y)
    for (uint32_t x = 0; x < columns; ++x) {
      const float u = float(x) / float(columns - 1), v = float(y) / float(rings);
      const float a = 6.2831853f * u, b = 3.1415927f * v;
      const glm::vec3 normal(glm::sin(b) * glm::cos(a), -glm::cos(b), -glm::sin(b) * glm::sin(a));
      frame.positions.emplace_back(normal, 1.0f);
      frame.normals.push_back(normal);
      frame.texcoords.emplace_back(4 * u, 2 * v);
    }
  for (uint32_t y = 0; y < uint32_t(rings); ++y)
    for (uint32_t x = 0; x + 1 < columns; ++x) {
      const uint32_t i = y * columns + x;
      for (uint32_t corner : {i, i + 1, i + columns + 1, i, i + columns + 1, i + columns})
        frame.indices.push_back(corner);
    }
}

Texture checkerboard(bool srgb) {
  Texture texture;
  texture.name = "checker";
  texture.width = texture.height = 64;
  texture.srgb = srgb;
  for (uint32_t y = 0; y < 64; ++y)
    for (uint32_t x = 0; x < 64; ++x) texture.texels.push_back((x / 8 + y / 8) % 2 ? 0xff4080c0u : 0xa0e0f010u);
  return texture;
}

// Spheres in a row; each instance has its own model matrix.
Frame sphere_frame(int layers) {
  Frame frame = make_frame(kMeshWidth, kMeshHeight, layers);
  add_sphere(frame, 24);
  for (int i = 0; i < 3; ++i)
    frame.models.push_back(glm::rotate(glm::translate(glm::mat4(1), glm::vec3(2.2f * float(i) - 2.2f, 0, 0)),
                                       0.7f * float(i), glm::vec3(0.2f, 1, 0.1f)));
  for (size_t v = 0; v < frame.views.size(); ++v) {
    View& view = frame.views[v];
    view.eye = glm::vec3(3 * glm::sin(float(v)), 1.5f, 5 * glm::cos(float(v)));
    view.view_projection = glm::perspective(0.9f, float(kMeshWidth) / kMeshHeight, 0.1f, 20.0f) *
                           glm::lookAt(view.eye, glm::vec3(0), glm::vec3(0, 1, 0));
  }
  Material material;
  material.kind = MaterialKind::blinn_phong;
  material.diffuse = {0.7f, 0.8f, 0.6f};
  material.specular = {0.4f, 0.3f, 0.2f};
  material.shininess = 24;
  frame.materials.push_back(material);
  DrawCommand draw;
  draw.vertex_kind = VertexKind::transform;
  draw.indexed = true;
  draw.element_count = uint32_t(frame.indices.size());
  draw.vertex_count = uint32_t(frame.positions.size());
  draw.instances = 3;
  draw.view_count = uint32_t(layers);
  add_clear(frame, {0.2f, 0.2f, 0.25f, 1});
  frame.commands.emplace_back(draw);
  return frame;
}

TEST_F(PipelineVsGlTest, LitInstancesInSeveralViews) {
  const Frame frame = sphere_frame(4);
  for (uint32_t layer = 0; layer < 4; ++layer) {
    const Difference difference = render_both(frame, Shading::material, 2, 1e-5f, 0, layer);
    EXPECT_LE(difference.percent(difference.color), 0.1) << "layer " << layer;
    EXPECT_LE(difference.percent(difference.depth), 0.1) << "layer " << layer;
  }
}

TEST_F(PipelineVsGlTest, TrilinearTextures) {
  for (bool srgb : {false, true}) {
    Frame frame = sphere_frame(1);
    frame.textures.push_back(checkerboard(srgb));
    frame.materials[0].diffuse_texture = 0;
    const Difference difference = render_both(frame, Shading::material);
    EXPECT_LE(difference.percent(difference.color), 0.01) << "srgb " << srgb;
  }
}

TEST_F(PipelineVsGlTest, CutoutTextures) {
  Frame frame = sphere_frame(1);
  frame.textures.push_back(checkerboard(true));
  frame.materials[0].diffuse_texture = 0;
  frame.materials[0].alpha_cutoff = 0.8f;
  // Samples whose alpha equals the cutoff except for rounding may be cut by only one of the renderers.
  const Difference difference = render_both(frame, Shading::material);
  EXPECT_LE(difference.percent(difference.depth), 0.02);
  EXPECT_LE(difference.percent(difference.color), 0.02);
}

}  // namespace
}  // namespace brokkr::test
