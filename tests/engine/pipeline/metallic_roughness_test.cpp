// The metallic-roughness shader against glTF's formula in double precision, written here from appendix B of its
// specification.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <numbers>
#include <string>

#include "brokkr/renderer.h"
#include "oracle/frame_builder.h"
#include "pictures.h"

namespace brokkr {
namespace {

using oracle::FrameBuilder;

// The tolerance for half-precision pixels and the shader's single precision: a relative part and an absolute one.
constexpr double kRelative = 1.0 / 512, kAbsolute = 1e-4;
constexpr int kWidth = 4, kHeight = 4;

// A square across the picture at z = 0 with a given normal, texture coordinates and material; the eye looks along +z.
// The camera is the identity, so that the sample at window x is at world x = 2 x / width - 1.
struct Square {
  Square(const glm::vec3& normal, const glm::vec3& light, const glm::vec3& eye)
      : builder(kWidth, kHeight, ColorFormat::rgba16f) {
    Frame& f = builder.frame;
    f.models = {glm::mat4(1)};
    f.views[0].eye = eye;
    f.light_direction = light;
    f.materials[0].kind = MaterialKind::metallic_roughness;
    for (const glm::vec2& c : {glm::vec2(-1, -1), {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}}) {
      corners.emplace_back(c, 0, 1);
      f.normals.push_back(normal);
      f.texcoords.push_back(c);
    }
    builder.draw(builder.default_state(), corners).vertex_kind = VertexKind::transform;
  }
  Material& material() { return builder.frame.materials[0]; }
  // A texture of one colour, with linear channels.
  int texture(uint32_t texel) {
    builder.frame.textures.push_back({"texel", 1, 1, false, {texel}});
    return int(builder.frame.textures.size()) - 1;
  }
  std::vector<float> render(MachineKind machine, Shading shading = Shading::material) const {
    RenderOptions o;
    o.machine = machine;
    o.shading = shading;
    o.workers = 1;
    return Renderer().render(builder.frame, o).targets[0].layers[0].color_float;
  }
  glm::dvec3 position(int pixel) const {
    return {2 * (pixel % kWidth + 0.5) / kWidth - 1, 2 * (pixel / kWidth + 0.5) / kHeight - 1, 0};
  }

  std::vector<glm::vec4> corners;
  FrameBuilder builder;
};

struct Surface {
  glm::dvec3 base, normal;
  double metallic, roughness;
};

// [Gltf20, B.3.5] in the form of the specification: G and D, divided by 4 N.L N.V.
glm::dvec3 reference(const Surface& s, const glm::dvec3& eye, const glm::dvec3& position, glm::dvec3 light) {
  const double pi = std::numbers::pi, roughness = std::max(s.roughness, 0.045), a2 = std::pow(roughness, 4);
  light = glm::normalize(light);
  const glm::dvec3 view = glm::normalize(eye - position), half = glm::normalize(light + view);
  glm::dvec3 n = glm::normalize(s.normal);
  if (glm::dot(n, view) < 0) n = -n;
  const double nl = glm::dot(n, light), nv = glm::dot(n, view), nh = glm::dot(n, half), vh = glm::dot(view, half);
  const double d = a2 / (pi * std::pow(nh * nh * (a2 - 1) + 1, 2));
  const auto g = [&](double c) { return 2 * c / (c + std::sqrt(a2 + (1 - a2) * c * c)); };
  const double specular = nl > 0 ? g(nl) * g(nv) * d / (4 * nl * nv) : 0;
  const glm::dvec3 f0 = glm::mix(glm::dvec3(0.04), s.base, s.metallic);
  const glm::dvec3 fresnel = f0 + (glm::dvec3(1) - f0) * std::pow(1 - std::abs(vh), 5);
  const glm::dvec3 diffuse = s.base * (1 - s.metallic) / pi;
  const glm::dvec3 all_around = 0.25 * (s.base * (1 - s.metallic) + f0);
  return all_around + pi * std::max(nl, 0.0) * ((glm::dvec3(1) - fresnel) * diffuse + fresnel * specular);
}

void expect_near(double value, double expected, const std::string& what) {
  EXPECT_NEAR(value, expected, kRelative * std::abs(expected) + kAbsolute) << what;
}

void compare(const Square& square, const Surface& surface, const std::string& what) {
  const Frame& f = square.builder.frame;
  for (const MachineKind machine : test::machines()) {
    const std::vector<float> color = square.render(machine);
    ASSERT_EQ(color.size(), size_t(kWidth * kHeight * 4));
    for (int p = 0; p < kWidth * kHeight; ++p) {
      const glm::dvec3 expected =
          reference(surface, glm::dvec3(f.views[0].eye), square.position(p), glm::dvec3(f.light_direction));
      for (int k = 0; k < 3; ++k) {
        if (expected[k] > 6e4) continue;  // beyond the range of half precision
        expect_near(double(color[size_t(4 * p + k)]), expected[k], what + " pixel " + std::to_string(p));
      }
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(MetallicRoughness, AgreesWithTheFormulaOverAnglesAndSurfaces) {
  const glm::vec3 eye(0.4f, -0.3f, -2.5f);
  const glm::vec3 color(0.9f, 0.5f, 0.05f);
  for (const glm::vec3& normal : {glm::vec3(0, 0, -1), {0.5f, 0.2f, -1}, {-1, 1, -0.8f}, {0, -0.3f, 1}}) {
    for (const glm::vec3& light :
         {glm::vec3(0, 0, -1), {0.4f, 0.8f, -0.45f}, {-3, 0.1f, -1}, {0.2f, 0.1f, 1}, {0.4f, 0.3f, -2.4f}}) {
      for (const float roughness : {0.0f, 0.2f, 0.6f, 1.0f}) {
        for (const float metallic : {0.0f, 0.4f, 1.0f}) {
          Square square(normal, light, eye);
          square.material().diffuse = color;
          square.material().metallic = metallic;
          square.material().roughness = roughness;
          const std::string what = "normal " + std::to_string(normal.x) + " light " + std::to_string(light.x) +
                                   " roughness " + std::to_string(roughness) + " metallic " + std::to_string(metallic);
          compare(square, {color, normal, double(metallic), double(roughness)}, what);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Roughness is in green, metalness in blue; normals are bent along the growing texture coordinates.
TEST(MetallicRoughness, TexturesChangeTheSurface) {
  const glm::vec3 light(0.3f, 0.5f, -1);
  Square square({0, 0, -1}, light, {0, 0, -3});
  Material& m = square.material();
  m.diffuse = glm::vec3(1);
  m.metallic = 1;
  m.roughness = 0.5f;
  m.diffuse_texture = square.texture(0xff3366ccu);
  m.metallic_roughness_texture = square.texture(0xff4080ffu);  // roughness 128, metalness 64 of 255
  m.normal_texture = square.texture(0xffe0a0b0u);              // x 176, y 160, z 224
  m.normal_scale = 0.5f;
  const auto signed_unit = [](int byte) { return 2.0 * byte / 255 - 1; };
  const Surface surface{{204 / 255.0, 102 / 255.0, 51 / 255.0},
                        {0.5 * signed_unit(176), 0.5 * signed_unit(160), -signed_unit(224)},
                        64 / 255.0,
                        0.5 * 128 / 255};
  compare(square, surface, "textured");
}

TEST(MetallicRoughness, EmissionAddsAndUnlitSurfacesShowTheirColour) {
  Square square({0, 0, -1}, {0, 0, 1}, {0, 0, -3});  // lit from behind
  Material& m = square.material();
  m.diffuse = {0.5f, 0.25f, 1};
  m.emission = {2, 1, 0.5f};
  m.emission_texture = square.texture(0xff8040ffu);
  const std::vector<float> lit = square.render(MachineKind::cpu);
  m.metallic = 0;
  for (int k = 0; k < 3; ++k) {
    const double emitted = double(m.emission[k]) * std::array{1.0, 64 / 255.0, 128 / 255.0}[size_t(k)];
    expect_near(double(lit[size_t(k)]), emitted + 0.25 * (double(m.diffuse[k]) + 0.04), "emission");
  }
  m.unlit = true;
  const std::vector<float> unlit = square.render(MachineKind::cpu);
  for (int k = 0; k < 3; ++k) expect_near(double(unlit[size_t(k)]), double(m.diffuse[k]), "unlit");
}

// Occlusion affects only the light that comes from all sides.
TEST(MetallicRoughness, OcclusionDarkensTheLightFromAllSides) {
  Square square({0, 0, -1}, {0.2f, 0, -1}, {0, 0, -3});
  Material& m = square.material();
  m.diffuse = {0.5f, 0.25f, 1};
  m.metallic = 0.25f;
  const std::vector<float> open = square.render(MachineKind::cpu);
  m.occlusion_texture = square.texture(0xffffff33u);  // 51 of 255 reaches the surface
  m.occlusion_strength = 0.5f;
  for (const MachineKind machine : test::machines()) {
    const std::vector<float> closed = square.render(machine);
    for (int k = 0; k < 3; ++k) {
      const double base = double(m.diffuse[k]), f0 = 0.04 + (base - 0.04) * 0.25;
      const double taken = 0.25 * (base * 0.75 + f0) * (1 - (1 + 0.5 * (51 / 255.0 - 1)));
      expect_near(double(closed[size_t(k)]), double(open[size_t(k)]) - taken, "occluded");
    }
  }
}

// Vertex colours multiply the base colour and alpha, interpolated with perspective.
TEST(MetallicRoughness, VertexColoursMultiply) {
  Square square({0, 0, -1}, {0, 0, -1}, {0, 0, -3});
  Material& m = square.material();
  m.unlit = true;
  m.diffuse = {0.5f, 1, 0.75f};
  Frame& f = square.builder.frame;
  for (const glm::vec2& c : f.texcoords) f.colors.emplace_back((c.x + 1) / 2, (c.y + 1) / 2, 0.5f, 1 - (c.x + 1) / 4);
  for (const MachineKind machine : test::machines()) {
    const std::vector<float> picture = square.render(machine);
    for (int p = 0; p < kWidth * kHeight; ++p) {
      const double x = (p % kWidth + 0.5) / kWidth, y = (p / kWidth + 0.5) / kHeight;
      const double expected[] = {0.5 * x, y, 0.375, 1 - 0.5 * x};
      for (size_t k = 0; k < 4; ++k)
        expect_near(double(picture[size_t(4 * p) + k]), expected[k], "pixel " + std::to_string(p));
    }
  }
}

// The shading `material` uses the frame's own materials.
TEST(MetallicRoughness, MaterialModeChoosesIt) {
  Square square({0.2f, 0, -1}, {0, 1, -1}, {0, 0, -3});
  EXPECT_EQ(square.render(MachineKind::cpu), square.render(MachineKind::cpu, Shading::metallic_roughness));
  square.material().kind = MaterialKind::blinn_phong;
  EXPECT_NE(square.render(MachineKind::cpu), square.render(MachineKind::cpu, Shading::metallic_roughness));
}

}  // namespace
}  // namespace brokkr
