// Pictures that targets hold before the frame: whatever draws, clears and copies do afterwards, each pixel that they
// leave alone shows the picture. And textures made from targets, which follow every change.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <optional>

#include "program_frame.h"

namespace brokkr {
namespace {

using test::ProgramFrame;
using test::rectangle;

constexpr int kPictureWidth = 72, kPictureHeight = 40;  // whole regions and tiles, and parts of them
constexpr Rect kWholePicture{0, 0, kPictureWidth, kPictureHeight};
constexpr uint32_t kGreen = 0xff00ff00u;

uint32_t texel(int x, int y) { return uint32_t(x) | uint32_t(y) << 8 | 0x80u << 16 | 0xff000000u; }
bool is_inside(const Rect& r, int x, int y) { return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height; }

void draw_green(ProgramFrame& f, const State& state, const Rect& r, const std::string& discards = "") {
  const uint32_t program =
      f.program("out vec4 color0; void main() {" + discards + " color0 = vec4(0.0, 1.0, 0.0, 1.0); }\n", {});
  f.draw_with(program, state, rectangle(r.x, r.y, r.x + r.width, r.y + r.height));
}
State without_depth(const ProgramFrame& f) {
  State state = f.default_state();
  state.depth.test = state.depth.write = false;
  return state;
}

// Target 0 with a small draw, and a load of a picture, which replaces it.
ProgramFrame with_picture() {
  ProgramFrame f(kPictureWidth, kPictureHeight);
  CapturedTexture picture;
  picture.format = TexelFormat::rgba8;
  picture.width = kPictureWidth;
  picture.height = kPictureHeight;
  picture.stored = true;
  for (int i = 0; i < kPictureWidth * kPictureHeight; ++i) {
    const auto bytes = std::bit_cast<std::array<std::byte, 4>>(texel(i % kPictureWidth, i / kPictureWidth));
    f.frame.texture_data.insert(f.frame.texture_data.end(), bytes.begin(), bytes.end());
  }
  f.frame.captured_textures = {picture};
  draw_green(f, without_depth(f), {0, 0, 4, 4});
  f.add(LoadCommand{0, TargetPlane::color0, 0});
  return f;
}

class Loads : public test::ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    for (const MachineKind machine : test::machines()) machines_.push_back(machine);
  }
  // Target 0's picture with every machine, order and size of regions.
  void expect_picture(const ProgramFrame& f, const std::function<uint32_t(int x, int y)>& expected) const {
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(f.frame);
    for (const MachineKind machine : machines_) {
      for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
        for (const int bin : {8, 32, 64}) {
          RenderOptions options;
          options.machine = machine;
          options.order = order;
          options.bin = bin;
          const RenderResult result = test::render_to_end(renderer, prepared, options);
          ASSERT_EQ(result.statistics.false_color_draws, 0u);
          int wrong = 0;
          for (int i = 0; i < kPictureWidth * kPictureHeight; ++i)
            wrong += result.targets[0].layers[0].color[size_t(i)] != expected(i % kPictureWidth, i / kPictureWidth);
          EXPECT_EQ(wrong, 0) << "machine " << int(machine) << ", order " << int(order) << ", bins of " << bin;
        }
      }
    }
  }

 private:
  std::vector<MachineKind> machines_;
};

TEST_F(Loads, NothingIsDrawn) { expect_picture(with_picture(), texel); }

TEST_F(Loads, DrawsReplaceAPart) {
  for (const Rect& r :
       {Rect{0, 0, kPictureWidth, kPictureHeight}, Rect{8, 8, 24, 16}, Rect{3, 5, 60, 30}, Rect{70, 39, 2, 1}}) {
    for (const bool depth : {false, true}) {
      ProgramFrame f = with_picture();
      draw_green(f, depth ? f.default_state() : without_depth(f), r);
      expect_picture(f, [&](int x, int y) { return is_inside(r, x, y) ? kGreen : texel(x, y); });
    }
  }
}

TEST_F(Loads, DrawsThatReadThePicture) {
  ProgramFrame f = with_picture();
  State adds = without_depth(f);
  const BlendTerm add{BlendFactor::one, BlendFactor::one, BlendEquation::add};
  adds.blend = BlendState{add, add, glm::vec4(0)};
  draw_green(f, adds, kWholePicture);
  expect_picture(f, [](int x, int y) { return texel(x, y) | kGreen; });

  f = with_picture();
  State green_only = without_depth(f);
  green_only.color_mask = {false, true, false, false};
  draw_green(f, green_only, kWholePicture);
  expect_picture(f, [](int x, int y) { return (texel(x, y) & 0xffff00ffu) | 0x0000ff00u; });

  f = with_picture();
  draw_green(f, without_depth(f), kWholePicture, " if (mod(floor(gl_FragCoord.x), 2.0) == 0.0) discard;");
  expect_picture(f, [](int x, int y) { return x % 2 == 0 ? texel(x, y) : kGreen; });

  f = with_picture();
  State hidden = f.default_state();
  hidden.depth.func = CompareFunc::greater;  // than 1
  hidden.depth.write = false;
  draw_green(f, hidden, kWholePicture);
  expect_picture(f, texel);
}

TEST_F(Loads, DepthAloneLeavesThePicture) {
  ProgramFrame f = with_picture();
  State depth_only = f.default_state();
  depth_only.color_mask = {false, false, false, false};
  draw_green(f, depth_only, {0, 0, kPictureWidth, kPictureHeight});
  State behind = f.default_state();
  behind.depth.func = CompareFunc::greater;
  behind.depth.write = false;
  draw_green(f, behind, {0, 0, 20, 20});
  expect_picture(f, texel);
}

TEST_F(Loads, ClearsReplaceAPart) {
  const Rect part{10, 9, 50, 20};
  ProgramFrame f = with_picture();
  f.clear(glm::vec4(0, 1, 0, 1), {}, {}, part);
  expect_picture(f, [&](int x, int y) { return is_inside(part, x, y) ? kGreen : texel(x, y); });
  f = with_picture();
  f.clear(glm::vec4(0, 1, 0, 1), {}, {});
  expect_picture(f, [](int, int) { return kGreen; });
  f = with_picture();
  f.clear({}, 0.5f, {});
  draw_green(f, without_depth(f), part);
  expect_picture(f, [&](int x, int y) { return is_inside(part, x, y) ? kGreen : texel(x, y); });
}

// A second picture replaces the first, also where draws have changed some of it.
TEST_F(Loads, ALaterPictureCounts) {
  for (const bool draws : {false, true}) {
    ProgramFrame f = with_picture();
    if (draws) draw_green(f, without_depth(f), {3, 5, 60, 30});
    f.add(LoadCommand{0, TargetPlane::color0, 0});
    expect_picture(f, texel);
  }
}

// The picture is loaded into target 1, of which captured texture 1 is a copy.
ProgramFrame with_picture_beside() {
  ProgramFrame f = with_picture();
  f.frame.targets.push_back({1, kPictureWidth, kPictureHeight, 1, ColorFormat::rgba8});
  View view;
  view.target = 1;
  f.frame.views.push_back(view);
  std::get<LoadCommand>(f.frame.commands.back()).target = 1;
  CapturedTexture texture;
  texture.width = kPictureWidth;
  texture.height = kPictureHeight;
  texture.images = {{0, 0, 1, TargetPlane::color0}};
  f.frame.captured_textures.push_back(texture);
  f.frame.captured_samplers.emplace_back();
  return f;
}
void draw_green_beside(ProgramFrame& f, const State& state, const Rect& r) {
  const uint32_t green = f.program("out vec4 color0; void main() { color0 = vec4(0.0, 1.0, 0.0, 1.0); }\n", {});
  f.draw_with(green, state, rectangle(r.x, r.y, r.x + r.width, r.y + r.height), {}, {}, Topology::triangles, 1);
}
// Draws the texture into target 0.
void show_texture(ProgramFrame& f, const Rect& r) {
  const uint32_t show = f.program(
      "uniform sampler2D picture; out vec4 color0;\n"
      "void main() { color0 = texelFetch(picture, ivec2(gl_FragCoord.xy), 0); }\n",
      {}, {}, {ProgramSampler{"picture"}});
  f.draw_with(show, without_depth(f), rectangle(r.x, r.y, r.x + r.width, r.y + r.height), {}, {{1, 0}});
}

// Depths of a picture: 0.25 in columns before 36, and 0.75 after them. One texel of each row is not a number, which is
// 0.
float picture_depth(int x) { return x == 40 ? 0.0f : x < 36 ? 0.25f : 0.75f; }
ProgramFrame with_depths() {
  ProgramFrame f = with_picture();
  CapturedTexture depths;
  depths.format = TexelFormat::depth32f;
  depths.width = kPictureWidth;
  depths.height = kPictureHeight;
  depths.stored = true;
  depths.first_byte = f.frame.texture_data.size();
  for (int i = 0; i < kPictureWidth * kPictureHeight; ++i) {
    const int x = i % kPictureWidth;
    const float z = x == 40 ? std::numeric_limits<float>::quiet_NaN() : x == 50 ? 7.0f : picture_depth(x);
    const auto bytes = std::bit_cast<std::array<std::byte, 4>>(z);
    f.frame.texture_data.insert(f.frame.texture_data.end(), bytes.begin(), bytes.end());
  }
  f.frame.captured_textures.push_back(depths);
  f.frame.targets[0].depth = TexelFormat::depth32f;
  f.add(LoadCommand{0, TargetPlane::depth, 1});
  return f;
}
State blended(State state) {
  const BlendTerm over{BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha, BlendEquation::add};
  state.blend = BlendState{over, over, glm::vec4(0)};
  return state;
}

// Draws at depth 0.5 find the picture's depths, in any order and in theirs.
TEST_F(Loads, DrawsTestThePicturesDepths) {
  const Rect r{3, 5, 60, 30};
  for (const bool in_order : {false, true}) {
    for (const bool greater : {false, true}) {
      ProgramFrame f = with_depths();
      State state = f.default_state();
      state.depth.func = greater ? CompareFunc::greater : CompareFunc::less;
      draw_green(f, in_order ? blended(state) : state, r);
      expect_picture(f, [&](int x, int y) {
        const float z = picture_depth(x);
        return is_inside(r, x, y) && (greater ? 0.5f > z : 0.5f < z) ? kGreen : texel(x, y);
      });
    }
  }
}

TEST_F(Loads, ClearsReplaceDepths) {
  const Rect part{10, 9, 50, 20};
  for (const bool whole : {false, true}) {
    ProgramFrame f = with_depths();
    f.clear({}, 1.0f, {}, whole ? std::optional<Rect>() : part);
    draw_green(f, f.default_state(), kWholePicture);
    expect_picture(f, [&](int x, int y) {
      const float z = whole || is_inside(part, x, y) ? 1.0f : picture_depth(x);
      return 0.5f < z ? kGreen : texel(x, y);
    });
  }
}

// Depths that nothing uses, and those of a later picture, are read back.
TEST_F(Loads, DepthsAreReadBack) {
  ProgramFrame f = with_depths();
  f.clear({}, 0.5f, {});
  f.add(LoadCommand{0, TargetPlane::depth, 1});
  for (const MachineKind machine : test::machines()) {
    RenderOptions options;
    options.machine = machine;
    Renderer renderer;
    const Layer layer = renderer.render(f.frame, options).targets[0].layers[0];
    for (int i = 0; i < kPictureWidth * kPictureHeight; ++i) {
      const int x = i % kPictureWidth;
      ASSERT_EQ(layer.depth[size_t(i)], x == 50 ? 1.0f : picture_depth(x)) << "column " << x;
    }
  }
}

// Blits and textures read what waits.
TEST_F(Loads, CopiesReadThePicture) {
  for (const bool by_texture : {false, true}) {
    ProgramFrame f = with_picture_beside();
    const Rect part{8, 0, 16, 40};
    draw_green_beside(f, without_depth(f), part);
    if (by_texture)
      show_texture(f, kWholePicture);
    else
      f.add(BlitCommand{1, 0, kWholePicture, kWholePicture});
    expect_picture(f, [&](int x, int y) { return is_inside(part, x, y) ? kGreen : texel(x, y); });
  }
}

// A blit replaces a picture that waits, as a whole, in part, moved, mirrored and scaled.
TEST_F(Loads, BlitsReplaceThePicture) {
  struct Case {
    Rect from, to;
    std::function<glm::ivec2(int x, int y)> source;
  };
  const Case cases[] = {
      {kWholePicture, kWholePicture, [](int x, int y) { return glm::ivec2(x, y); }},
      {{8, 0, 40, 24}, {16, 8, 40, 24}, [](int x, int y) { return glm::ivec2(x - 8, y - 8); }},
      {{5, 3, 40, 24}, {16, 8, 40, 24}, [](int x, int y) { return glm::ivec2(x - 11, y - 5); }},
      {{8, 8, -8, 8}, {0, 0, 8, 8}, [](int x, int y) { return glm::ivec2(7 - x, y + 8); }},
      {{0, 0, 36, 20}, kWholePicture, [](int x, int y) { return glm::ivec2(x / 2, y / 2); }},
      {{-8, 0, 72, 40}, kWholePicture, [](int x, int y) { return glm::ivec2(x - 8, y); }},
  };
  const Rect part{8, 0, 16, 40};
  for (const Case& one : cases) {
    ProgramFrame f = with_picture_beside();
    draw_green_beside(f, without_depth(f), part);
    f.add(LoadCommand{0, TargetPlane::color0, 0});
    f.add(BlitCommand{1, 0, one.from, one.to});
    expect_picture(f, [&](int x, int y) {
      const glm::ivec2 at = one.source(x, y);
      if (!is_inside(one.to, x, y) || at.x < 0) return texel(x, y);
      return is_inside(part, at.x, at.y) ? kGreen : texel(at.x, at.y);
    });
  }
}

// A texture that was read is made again from what has changed since.
TEST_F(Loads, TexturesFollowEveryChange) {
  const Rect part{20, 9, 30, 20};
  const auto in_part = [&](int x, int y) { return is_inside(part, x, y) ? kGreen : texel(x, y); };
  struct Change {
    const char* name;
    std::function<void(ProgramFrame& f)> apply;
    std::function<uint32_t(int x, int y)> result;
  };
  const Change changes[] = {
      {"ordered draw", [&](ProgramFrame& f) { draw_green_beside(f, without_depth(f), part); }, in_part},
      {"order-free draw", [&](ProgramFrame& f) { draw_green_beside(f, f.default_state(), part); }, in_part},
      {"clear",
       [&](ProgramFrame& f) {
         f.add(ClearCommand{1, glm::vec4(0, 1, 0, 1), {}, {}, part});
       },
       in_part},
      {"whole clear",
       [](ProgramFrame& f) {
         f.add(ClearCommand{1, glm::vec4(0, 1, 0, 1), {}, {}, {}});
       },
       [](int, int) { return kGreen; }},
      {"draw and load",
       [&](ProgramFrame& f) {
         draw_green_beside(f, without_depth(f), part);
         show_texture(f, {0, 0, 8, 8});
         f.add(LoadCommand{1, TargetPlane::color0, 0});
       },
       texel},
      {"blit",
       [&](ProgramFrame& f) {
         f.clear(glm::vec4(0, 1, 0, 1), {}, {});
         f.add(BlitCommand{0, 1, part, part});
       },
       in_part},
  };
  for (const Change& change : changes) {
    SCOPED_TRACE(change.name);
    ProgramFrame f = with_picture_beside();
    show_texture(f, kWholePicture);
    change.apply(f);
    show_texture(f, kWholePicture);
    draw_green_beside(f, without_depth(f), {0, 0, 8, 8});
    show_texture(f, kWholePicture);
    expect_picture(f, [&](int x, int y) { return x < 8 && y < 8 ? kGreen : change.result(x, y); });
  }
}

}  // namespace
}  // namespace brokkr
