// Metallic-roughness materials: compares the pipeline's picture with OpenGL's.
#include <cmath>

#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/trigonometric.hpp>

#include "brokkr/load.h"
#include "compare.h"

namespace brokkr::test {
namespace {

using PhysicalTest = PipelineVsGlTest;

TEST_F(PhysicalTest, SpheresAgreeAt1080p) {
  expect_materials_agree(load_frame(BROKKR_SOURCE_DIR "/assets/spheres.glb", {.width = 1920, .height = 1080}));
}

// Smooth noise: values between texels change little from one texel to the next.
Texture noise(Random& random, const Sampler& sampler, bool srgb, uint32_t least, uint32_t most) {
  constexpr int kSize = 32;
  Texture texture{"noise", kSize, kSize, srgb, {}, sampler};
  for (int i = 0; i < kSize * kSize; ++i) {
    uint32_t texel = 0xff000000u;
    for (int c = 0; c < 3; ++c) texel |= (least + random.below(most - least)) << (8 * c);
    texture.texels.push_back(texel);
  }
  return texture;
}

// Tilted tiles in rows, each with a different material: samplers, mappings, both sets of coordinates, occlusion, normal
// maps, vertex colours, every roughness and metalness.
Frame tiles() {
  constexpr int kColumns = 8, kRows = 5;
  Random random(7);
  Frame frame = make_frame(1920, 1080);
  frame.views[0].eye = {0, 0, 12};
  frame.views[0].view_projection = glm::perspectiveRH_NO(glm::radians(45.0f), 16.0f / 9, 1.0f, 40.0f) *
                                   glm::lookAtRH(frame.views[0].eye, glm::vec3(0), glm::vec3(0, 1, 0));
  frame.light_direction = {0.3f, 0.5f, 0.8f};
  add_clear(frame, {0, 0, 0, 1});
  const Wrap wraps[] = {Wrap::repeat, Wrap::mirrored_repeat, Wrap::clamp_to_edge};
  const MipFilter mips[] = {MipFilter::linear, MipFilter::none};
  for (int i = 0; i < kColumns * kRows; ++i) {
    const auto texture = [&](bool srgb, uint32_t least, uint32_t most) {
      const Sampler sampler{wraps[random.below(3)], wraps[random.below(3)], mips[random.below(2)]};
      frame.textures.push_back(noise(random, sampler, srgb, least, most));
      return int(frame.textures.size()) - 1;
    };
    const auto mapping = [&] {
      const float angle = random.between(-3, 3), scale = random.between(0.5f, 2);
      const glm::vec2 way = scale * glm::vec2(std::cos(angle), std::sin(angle));
      return TextureMapping{
          random.below(2), glm::mat2(way, glm::vec2(-way.y, way.x)), {random.between(-2, 2), random.between(-2, 2)}};
    };
    Material m;
    m.kind = MaterialKind::metallic_roughness;
    m.diffuse = glm::vec3(random.color());
    m.metallic = float(i % kColumns) / (kColumns - 1);
    m.roughness = 0.2f + 0.2f * float(i / kColumns);
    m.ambient = glm::vec3(random.color());
    m.unlit = i % 11 == 10;
    if (i % 2 == 0) m.diffuse_texture = texture(true, 60, 250), m.diffuse_mapping = mapping();
    if (i % 3 == 0) m.metallic_roughness_texture = texture(false, 150, 255), m.metallic_roughness_mapping = mapping();
    if (i % 3 == 1) m.normal_texture = texture(false, 110, 146), m.normal_mapping = mapping();
    if (i % 5 == 0)
      m.emission_texture = texture(true, 0, 100), m.emission_mapping = mapping(), m.emission = glm::vec3(0.3f);
    if (i % 4 == 1)
      m.occlusion_texture = texture(false, 0, 255), m.occlusion_mapping = mapping(), m.occlusion_strength = 0.7f;
    frame.materials.push_back(m);

    const glm::vec3 place(2.2f * float(i % kColumns) - 7.7f, 2.0f * float(i / kColumns) - 4, 0);
    const glm::vec3 axis = glm::normalize(glm::vec3(random.between(-1, 1), random.between(-1, 1), 0.1f));
    DrawCommand draw;
    draw.vertex_kind = VertexKind::transform;
    draw.material = uint32_t(i);
    draw.first_vertex = frame.positions.size();
    draw.vertex_count = draw.element_count = 6;
    draw.first_instance = uint32_t(frame.models.size());
    frame.models.push_back(glm::rotate(glm::translate(glm::mat4(1), place), random.between(-0.9f, 0.9f), axis));
    frame.commands.emplace_back(draw);
    for (const glm::vec2& c : {glm::vec2(-1, -1), {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}}) {
      frame.positions.emplace_back(0.9f * c, 0, 1);
      frame.normals.push_back(glm::normalize(glm::vec3(0.4f * c, 1)));
      frame.texcoords.push_back(c);
      frame.second_texcoords.emplace_back(0.7f * c.y + 0.2f, c.x - 0.1f);
      frame.colors.push_back(0.5f + 0.5f * random.color());
    }
  }
  return frame;
}

TEST_F(PhysicalTest, EveryFeatureOfMaterialsAgreesAt1080p) { expect_materials_agree(tiles()); }

}  // namespace
}  // namespace brokkr::test
