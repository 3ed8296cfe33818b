// The appearance of surfaces: Blinn-Phong against the formula, textures and their mip maps, alpha, derivatives.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <glm/geometric.hpp>
#include <random>
#include <set>

#include "brokkr/load.h"
#include "oracle/frame_builder.h"
#include "pictures.h"
#include "settings.h"

namespace brokkr {
namespace {

using oracle::FrameBuilder;

using test::cpu;

// Object-space triangles whose camera is the identity: x and y are clip space, z towards the far plane.
class Scene {
 public:
  Scene(int width, int height) : builder(width, height) {
    Frame& f = builder.frame;
    f.models = {glm::mat4(1)};
    f.views[0].eye = {0, 0, -1e6f};  // looks along +z
    f.light_direction = {0, 0, -1};
    f.materials[0].kind = MaterialKind::blinn_phong;
    f.materials[0].diffuse = glm::vec3(1);
    f.materials[0].ambient = glm::vec3(0);
    f.materials[0].specular = glm::vec3(0);
  }

  Material& material() { return builder.frame.materials[0]; }

  // Texels row by row from the bottom.
  void texture(int width, int height, const std::vector<uint32_t>& texels, bool srgb = false) {
    Texture t;
    t.width = width;
    t.height = height;
    t.srgb = srgb;
    t.texels = texels;
    material().diffuse_texture = int(builder.frame.textures.size());
    builder.frame.textures.push_back(t);
  }

  struct Corner {
    glm::vec2 position, texcoord;
  };
  void draw(const std::vector<Corner>& corners, float z = 0) {
    std::vector<glm::vec4> positions;
    for (const Corner& c : corners) {
      positions.emplace_back(c.position, z, 1);
      builder.frame.normals.emplace_back(0, 0, -1);
      builder.frame.texcoords.push_back(c.texcoord);
    }
    builder.draw(builder.default_state(), positions).vertex_kind = VertexKind::transform;
  }
  // The rectangle from (x0, y0) to (x1, y1) with texture coordinates from (0, 0) to (u, v).
  void quad(float x0, float y0, float x1, float y1, float u = 1, float v = 1) {
    const Corner a{{x0, y0}, {0, 0}}, b{{x1, y0}, {u, 0}}, c{{x1, y1}, {u, v}}, d{{x0, y1}, {0, v}};
    draw({a, b, c, a, c, d});
  }

  Layer render(RenderOptions o = cpu()) const { return Renderer().render(builder.frame, o).targets[0].layers[0]; }

  FrameBuilder builder;
};

int channel(uint32_t color, int k) { return int(color >> (8 * k) & 255); }

void expect_color(uint32_t color, const glm::vec4& linear, const std::string& what) {
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(channel(color, k), std::min(1.0f, std::max(0.0f, linear[k])) * 255, 1.01) << what << " " << k;
  }
}

// The formula of shaders/blinn_phong.h for a surface that faces a camera far away.
glm::vec3 blinn_phong(const Material& m, const glm::vec3& albedo, const glm::vec3& normal,
                      const glm::vec3& towards_light) {
  const glm::vec3 light = glm::normalize(towards_light), view(0, 0, -1);
  const float lambert = std::max(0.0f, glm::dot(normal, light));
  const float gloss =
      lambert > 0 ? std::pow(std::max(0.0f, glm::dot(normal, glm::normalize(light + view))), m.shininess) : 0;
  return m.emission + albedo * m.diffuse * (m.ambient * 0.25f + lambert) + m.specular * gloss;
}

TEST(Shading, QuadHasTheHandComputedColour) {
  for (const glm::vec3& light :
       {glm::vec3(0, 0, -1), glm::vec3(0, 3, -4), glm::vec3(-2, 1, -2), glm::vec3(0, 1, 0.5f)}) {
    for (const bool textured : {false, true}) {
      Scene s(24, 16);
      Material& m = s.material();
      m.diffuse = {0.7f, 0.5f, 0.25f};
      m.ambient = {0.4f, 0.2f, 0.6f};
      m.emission = {0.02f, 0.05f, 0};
      m.specular = {0.3f, 0.1f, 0.2f};
      m.shininess = 10;
      m.opacity = 0.8f;
      s.builder.frame.light_direction = light;
      glm::vec4 texel(1);
      if (textured) {
        texel = {204 / 255.0f, 102 / 255.0f, 51 / 255.0f, 128 / 255.0f};
        s.texture(2, 2, std::vector<uint32_t>(4, 0x803366ccu));
      }
      s.quad(-1, -1, 1, 1);
      const glm::vec3 expected = blinn_phong(m, glm::vec3(texel), {0, 0, -1}, light);
      for (const MachineKind machine : test::machines()) {
        RenderOptions o = cpu();
        o.machine = machine;
        const Layer layer = s.render(o);
        for (const uint32_t c : layer.color) {
          expect_color(c, glm::vec4(expected, 0.8f * texel.w), textured ? "textured" : "plain");
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

// The visible side of a surface is lit, whichever way its normals point.
TEST(Shading, NormalsTurnTowardsTheViewer) {
  Scene s(8, 8);
  s.quad(-1, -1, 1, 1);
  for (glm::vec3& n : s.builder.frame.normals) n = -n;
  for (const uint32_t c : s.render().color) EXPECT_EQ(c, 0xffffffffu);
}

// sRGB texels are decoded: 128 becomes 0.2159 in linear light.
TEST(Shading, SrgbTexturesAreDecoded) {
  Scene s(8, 8);
  s.texture(1, 1, {0xff808080u}, true);
  s.quad(-1, -1, 1, 1);
  for (const uint32_t c : s.render().color) expect_color(c, {0.2159f, 0.2159f, 0.2159f, 1}, "sRGB");
}

// Texel centres fall on pixel centres: the picture equals the texture, with its first row at the bottom.
TEST(Shading, TexelsOneToOne) {
  Scene s(32, 16);
  std::vector<uint32_t> texels;
  for (uint32_t i = 0; i < 32 * 16; ++i) texels.push_back(0xff000000u | (i % 32 * 8) | (i / 32 * 16) << 8);
  s.texture(32, 16, texels);
  s.quad(-1, -1, 1, 1);
  const Layer layer = s.render();
  for (size_t i = 0; i < texels.size(); ++i) {
    EXPECT_NEAR(channel(layer.color[i], 0), channel(texels[i], 0), 1);
    EXPECT_NEAR(channel(layer.color[i], 1), channel(texels[i], 1), 1);
  }
}

// Three by three copies of a texture, first with pixels on texel centres, then half a texel further. There each pixel
// shows two texels: at the border the last and the first.
TEST(Shading, TexturesRepeat) {
  const auto red = [](int column) { return 40 + 60 * (column & 3); };
  const auto green = [](int row) { return 30 + 50 * (row & 3); };
  std::vector<uint32_t> texels;
  for (int i = 0; i < 16; ++i) texels.push_back(0xff000000u | uint32_t(red(i % 4)) | uint32_t(green(i / 4)) << 8);
  for (const float shift : {0.0f, 0.125f}) {
    for (const MachineKind machine : test::machines()) {
      Scene s(12, 12);
      s.texture(4, 4, texels);
      const float low = shift - 1, high = shift + 2;
      const Scene::Corner a{{-1, -1}, {low, low}}, b{{1, -1}, {high, low}}, c{{1, 1}, {high, high}},
          d{{-1, 1}, {low, high}};
      s.draw({a, b, c, a, c, d});
      RenderOptions o = cpu();
      o.machine = machine;
      const Layer layer = s.render(o);
      const int next = shift > 0 ? 1 : 0;
      for (int y = 0; y < 12; ++y) {
        for (int x = 0; x < 12; ++x) {
          const uint32_t color = layer.color[size_t(y * 12 + x)];
          EXPECT_NEAR(channel(color, 0), (red(x) + red(x + next)) / 2.0, 1.5) << x << ", " << y << ", shift " << shift;
          EXPECT_NEAR(channel(color, 1), (green(y) + green(y + next)) / 2.0, 1.5)
              << x << ", " << y << ", shift " << shift;
        }
      }
    }
  }
}

// Perspective: the texture shrinks with depth w. The centre of the screen edge sees u = near / (near + far).
TEST(Shading, TextureCoordinatesArePerspectiveCorrect) {
  Scene s(64, 64);
  std::vector<uint32_t> ramp;
  for (uint32_t i = 0; i < 256; ++i) ramp.push_back(0xff000000u | i);
  s.texture(256, 1, ramp);
  s.quad(-1, -1, 1, 1);
  // w = 1 on the left, 3 on the right: the view matrix makes w = 2 + x.
  glm::mat4& view = s.builder.frame.views[0].view_projection;
  view = glm::mat4(0);
  view[0][3] = 1;  // w = x + 2
  view[3][3] = 2;
  view[0][0] = 2;  // x' = 2 x + 1: -1 at w = 1, and 3 at w = 3
  view[3][0] = 1;
  view[1][1] = 1;
  const Layer layer = s.render();
  for (int x = 2; x < 62; ++x) {
    const double ndc = (x + 0.5) / 32 - 1;
    const double object = (2 * ndc - 1) / (2 - ndc);  // 2 x + 1 = ndc (x + 2)
    const double u = (object + 1) / 2;
    if (u < 0.02 || u > 0.98) continue;
    EXPECT_NEAR(channel(layer.color[size_t(32 * 64 + x)], 0), u * 256 - 0.5, 2.5) << x;
  }
}

std::vector<uint32_t> checkerboard(int size) {
  std::vector<uint32_t> texels;
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) texels.push_back((x + y) % 2 == 0 ? 0xffffffffu : 0xff000000u);
  }
  return texels;
}

TEST(Shading, CheckerboardIsGreyAtADistanceAndSharpAtHand) {
  for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
    RenderOptions o = cpu();
    o.order = order;
    Scene far_away(16, 16);
    far_away.texture(256, 256, checkerboard(256));
    far_away.quad(-1, -1, 1, 1);
    for (const uint32_t c : far_away.render(o).color) EXPECT_NEAR(channel(c, 0), 127.5, 1.01);

    Scene close(256, 256);
    close.texture(4, 4, checkerboard(4));
    close.quad(-1, -1, 1, 1);
    const Layer layer = close.render(o);
    // At texel centres (32, 96, 160 and 224), filtering changes little.
    for (int y = 32; y < 256; y += 64) {
      for (int x = 32; x < 256; x += 64) {
        const int expected = (x / 64 + y / 64) % 2 == 0 ? 255 : 0;
        EXPECT_NEAR(channel(layer.color[size_t(y * 256 + x)], 0), expected, 8) << x << ", " << y;
      }
    }
  }
}

// Vertical and horizontal stripes of one texel are grey at a distance: a level holds the means along both axes.
TEST(Shading, StripesOfBothDirectionsAreGreyAtADistance) {
  for (const bool upright : {false, true}) {
    Scene s(16, 16);
    std::vector<uint32_t> texels;
    for (int i = 0; i < 128 * 128; ++i) {
      const int line = upright ? i % 128 : i / 128;
      texels.push_back(line % 2 == 0 ? 0xff000000u : 0xffffffffu);
    }
    s.texture(128, 128, texels);
    s.quad(-1, -1, 1, 1);
    for (const uint32_t c : s.render().color)
      ASSERT_NEAR(channel(c, 0), 127.5, 1.01) << (upright ? "upright" : "level");
  }
}

// Level of detail by hand: a texture whose levels have known greys shows them mixed by the fraction of the level.
TEST(Shading, TrilinearMixesLevels) {
  // Stripes two texels wide: levels 0 and 1 keep black and white, level 2 and above are grey. With 2^1.5 texels per
  // pixel, the picture is half of level 1 and half of level 2, so the contrast is a half.
  const int size = 256;
  std::vector<uint32_t> texels;
  for (int i = 0; i < size * size; ++i) texels.push_back(i / size / 2 % 2 ? 0xffffffffu : 0xff000000u);
  for (const double lod : {1.0, 1.25, 1.5, 1.75, 2.0, 3.0}) {
    Scene s(64, 64);
    s.texture(size, size, texels);
    const float step = float(std::exp2(lod) / size * 64);  // texture coordinate across the target
    // Only v varies by the level; u stays, so that bilinear filtering along u does nothing.
    const Scene::Corner a{{-1, -1}, {0, 0}}, b{{1, -1}, {0, 0}}, c{{1, 1}, {0, step}}, d{{-1, 1}, {0, step}};
    s.draw({a, b, c, a, c, d});
    int low = 255, high = 0;
    for (const uint32_t color : s.render().color) {
      low = std::min(low, channel(color, 0));
      high = std::max(high, channel(color, 0));
    }
    const double expected = lod >= 2 ? 0 : 255 * (2 - lod);
    EXPECT_LE(high - low, expected + 4) << "level " << lod;
    EXPECT_GE(high - low, expected * 0.6 - 4) << "level " << lod;  // samples need not fall on stripe centres
  }
}

// Differences are taken within one triangle: neighbours far away in the texture do not blur each other.
TEST(Shading, DerivativesStayInsideTheTriangle) {
  for (const MachineKind machine : test::machines()) {
    for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
      Scene s(60, 60);
      std::vector<uint32_t> texels;
      for (int i = 0; i < 64 * 64; ++i) texels.push_back(i % 64 < 32 ? 0xff000000u : 0xffffffffu);
      s.texture(64, 64, texels);
      // Triangles of three pixels, alternating between the black and the white half.
      std::vector<Scene::Corner> corners;
      for (int y = 0; y < 20; ++y) {
        for (int x = 0; x < 20; ++x) {
          const auto at = [&](int i, int j) { return glm::vec2(float(x + i) / 10 - 1, float(y + j) / 10 - 1); };
          const glm::vec2 one((x + y) % 2 == 0 ? 0.25f : 0.75f, 0.5f), two(1 - one.x, 0.5f);
          corners.insert(corners.end(), {{at(0, 0), one}, {at(1, 0), one}, {at(1, 1), one}});
          corners.insert(corners.end(), {{at(0, 0), two}, {at(1, 1), two}, {at(0, 1), two}});
        }
      }
      s.draw(corners);
      RenderOptions o = cpu();
      o.machine = machine;
      o.order = order;
      o.keep_ids = true;
      const Layer layer = s.render(o);
      int white = 0;
      for (size_t i = 0; i < layer.color.size(); ++i) {
        const uint32_t id = layer.visible_id[i];
        ASSERT_NE(id, ~0u);
        const bool bright = corners[3 * id].texcoord.x > 0.5f;
        ASSERT_EQ(channel(layer.color[i], 0), bright ? 255 : 0) << i;
        white += bright;
      }
      EXPECT_GT(white, 1000);
      EXPECT_LT(white, 2600);
    }
  }
}

// Edges are drawn with derivatives, which at a triangle's border need samples of the quad outside the triangle.
TEST(Shading, WireframesLookTheSameInEveryOrder) {
  FrameBuilder builder(70, 70);
  for (int i = 0; i < 6; ++i) {
    builder.draw_window(builder.default_state(), {{3.3 + 9 * i, 2.7}, {60.1, 20.9 + 7 * i}, {11.4, 66.2 - 8 * i}},
                        0.5 - 0.1 * i);
  }
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(builder.frame);
  for (const MachineKind machine : test::machines()) {
    RenderOptions o = cpu();
    o.machine = machine;
    o.shading = Shading::wireframe;
    o.order = OrderMode::strict;
    const RenderResult expected = renderer.render(prepared, o);
    o.order = OrderMode::automatic;
    EXPECT_EQ(renderer.render(prepared, o).targets[0].layers[0].color, expected.targets[0].layers[0].color)
        << name_of(machine);
  }
}

TEST(Shading, AlphaCutoffDiscards) {
  for (const bool by_alpha_texture : {false, true}) {
    for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
      Scene s(64, 32);
      s.builder.clear(glm::vec4(0, 0, 1, 1), 1.0f, uint8_t(0));
      // The left half is transparent: by the alpha channel, or by the red channel of an alpha texture.
      std::vector<uint32_t> texels;
      for (int i = 0; i < 16 * 8; ++i) {
        const bool left = i % 16 < 8;
        texels.push_back(by_alpha_texture ? (left ? 0xff000000u : 0xff0000ffu) : (left ? 0x0000ff00u : 0xff00ff00u));
      }
      s.texture(16, 8, texels);
      s.material().alpha_cutoff = 0.5f;
      if (by_alpha_texture) std::swap(s.material().diffuse_texture, s.material().alpha_texture);
      s.quad(-1, -1, 1, 1);
      RenderOptions o = cpu();
      o.order = order;
      o.keep_ids = true;
      const Layer layer = s.render(o);
      for (int y = 4; y < 28; ++y) {
        for (int x = 4; x < 60; ++x) {
          if (x >= 28 && x < 36) continue;  // filtered
          const size_t p = size_t(y * 64 + x);
          const bool kept = x >= 32;
          EXPECT_EQ(layer.depth[p], kept ? 0.5f : 1.0f);
          EXPECT_EQ(layer.color[p], !kept ? 0xffff0000u : by_alpha_texture ? 0xffffffffu : 0xff00ff00u);
          EXPECT_EQ(layer.visible_id[p] != ~0u, kept);
          EXPECT_EQ(layer.depth_id[p] != ~0u, kept);
        }
      }
    }
  }
}

// An alpha of a quarter against references below and above.
TEST(Shading, AlphaTestComparesWithItsReference) {
  for (const CompareFunc func : {CompareFunc::never, CompareFunc::less, CompareFunc::lequal, CompareFunc::greater,
                                 CompareFunc::notequal, CompareFunc::gequal, CompareFunc::always}) {
    for (const float reference : {0.1f, 0.4f}) {
      for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
        Scene s(16, 16);
        s.material().opacity = 0.25f;
        s.quad(-1, -1, 1, 1);
        s.builder.frame.states[0].alpha_test = AlphaTest{func, reference};
        const bool below = 0.25f < reference;
        const bool passes = func == CompareFunc::always || func == CompareFunc::notequal ||
                            ((func == CompareFunc::less || func == CompareFunc::lequal) && below) ||
                            ((func == CompareFunc::greater || func == CompareFunc::gequal) && !below);
        RenderOptions o = cpu();
        o.order = order;
        for (const float depth : s.render(o).depth) {
          ASSERT_EQ(depth, passes ? 0.5f : 1.0f) << "function " << int(func) << ", reference " << reference;
        }
      }
    }
  }
}

TEST(Shading, OpacityBlendsOverWhatIsBehind) {
  Scene s(16, 16);
  s.builder.clear(glm::vec4(0, 0, 1, 1), 1.0f, uint8_t(0));
  s.material().opacity = 0.25f;
  s.material().diffuse = {1, 0.5f, 0};
  s.quad(-1, -1, 1, 1);
  State& state = s.builder.frame.states[0];
  state.blend = BlendState{};
  state.blend->color = {BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha, BlendEquation::add};
  state.blend->alpha = {BlendFactor::one, BlendFactor::one_minus_src_alpha, BlendEquation::add};
  for (const uint32_t c : s.render().color) expect_color(c, {0.25f, 0.125f, 0.75f, 1}, "blended");
}

TEST(Shading, ObjSceneLooksTheSameInEveryOrder) {
  const auto path = std::filesystem::path(BROKKR_SOURCE_DIR) / "assets" / "courtyard.obj";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  LoadOptions load;
  load.width = 240;
  load.height = 136;
  const Frame frame = load_frame(path.string(), load);
  ASSERT_FALSE(frame.textures.empty());
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions o = cpu();
  const RenderResult expected = renderer.render(prepared, o);
  o.order = OrderMode::strict;
  for (const int bin : {16, 128}) {
    o.bin = bin;
    test::expect_same_pictures(expected.targets, renderer.render(prepared, o).targets);
  }
  for (const MachineKind machine : test::machines()) {
    for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
      o.order = order;
      o.machine = machine;
      const RenderResult other = renderer.render(prepared, o);
      const std::vector<uint32_t>&a = expected.targets[0].layers[0].color, &b = other.targets[0].layers[0].color;
      EXPECT_EQ(expected.targets[0].layers[0].depth, other.targets[0].layers[0].depth);
      int wrong = 0;
      for (size_t i = 0; i < a.size(); ++i) {
        for (int k = 0; k < 4; ++k) wrong += std::abs(channel(a[i], k) - channel(b[i], k)) > 1;
      }
      EXPECT_EQ(wrong, 0) << name_of(machine) << ", " << name_of(order);
    }
  }
}

// A tile is shaded at once if the order of draws does not matter (shaders/shader.h), and vector by vector in strict
// order. Tiles have from one primitive to more than a warp has lanes, and primitives of several runs with different
// materials.
TEST(Shading, WholeTilesLookLikeTheirVectors) {
  for (const bool bends : {false, true}) {
    Scene s(128, 96);
    Frame& f = s.builder.frame;
    f.targets[0].format = ColorFormat::rgba8_srgb;
    f.views[0].eye = {0, 0, -3};
    f.light_direction = {1, 1, -1};
    std::mt19937 random(7);
    const auto number = [&](float from, float to) { return std::uniform_real_distribution<float>(from, to)(random); };
    const auto texture = [&](int size, bool srgb) {
      Texture t;
      t.width = t.height = size;
      t.srgb = srgb;
      for (int i = 0; i < size * size; ++i) t.texels.push_back(uint32_t(random()));
      f.textures.push_back(t);
      return int(f.textures.size()) - 1;
    };
    f.materials.resize(5, f.materials[0]);
    for (Material& m : f.materials) {
      m.diffuse = {number(0.2f, 1), number(0.2f, 1), number(0.2f, 1)};
      m.specular = glm::vec3(number(0, 1));
      m.ambient = glm::vec3(0.5f);
      m.shininess = number(2, 60);
      m.roughness = number(0, 1);
    }
    f.materials[1].diffuse_texture = texture(64, true);
    f.materials[2].diffuse_texture = f.materials[2].alpha_texture = texture(16, false);
    f.textures.back().sampler.magnify_linear = false;
    f.materials[3].diffuse_texture = f.materials[3].emission_texture = texture(32, true);
    f.materials[4].specular = glm::vec3(0);
    if (bends) f.materials[3].normal_texture = f.materials[4].normal_texture = texture(8, false);

    for (const float size : {3.0f, 0.7f, 0.2f, 0.05f, 0.02f}) {
      for (uint32_t material = 0; material < f.materials.size(); ++material) {
        std::vector<glm::vec4> positions;
        for (int i = 0; i < int(12 / size); ++i) {
          const glm::vec2 at(number(-1, 1), number(-1, 1));
          const float z = number(-0.9f, 0.9f);
          for (int corner = 0; corner < 3; ++corner) {
            positions.emplace_back(at.x + number(-size, size), at.y + number(-size, size), z, 1);
            f.normals.emplace_back(number(-1, 1), number(-1, 1), number(-2, 0));
            f.texcoords.emplace_back(number(0, 2), number(0, 2));
          }
        }
        DrawCommand& draw = s.builder.draw(s.builder.default_state(), positions);
        draw.vertex_kind = VertexKind::transform;
        draw.material = material;
      }
    }
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(f);
    for (const Setting& setting : some_settings()) {
      for (const Shading shading : {Shading::material, Shading::metallic_roughness}) {
        RenderOptions o = setting.options;
        o.shading = shading;
        o.order = OrderMode::automatic;
        const RenderResult whole = renderer.render(prepared, o);
        const std::vector<uint32_t>& colors = whole.targets[0].layers[0].color;
        EXPECT_GT(std::set<uint32_t>(colors.begin(), colors.end()).size(), 1000u);
        o.order = OrderMode::strict;
        test::expect_same_pictures(renderer.render(prepared, o).targets, whole.targets);
        ASSERT_FALSE(HasFailure()) << setting.name << ", " << int(shading) << ", " << bends;
      }
    }
  }
}

}  // namespace
}  // namespace brokkr
