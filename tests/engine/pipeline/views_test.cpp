// Many views, instances and targets in one launch: each looks as if it were drawn alone.
#include <gtest/gtest.h>

#include <cmath>

#include "brokkr/load.h"
#include "oracle/frame_builder.h"
#include "pictures.h"
#include "settings.h"

namespace brokkr {
namespace {

using oracle::FrameBuilder;

using test::cpu;

// The frame with view `number` alone.
Frame only_view(const Frame& frame, uint32_t number) {
  Frame one = frame;
  one.targets[0].layers = 1;
  one.views = {frame.views[number]};
  one.views[0].layer = 0;
  for (Command& command : one.commands) {
    if (auto* draw = std::get_if<DrawCommand>(&command)) {
      draw->first_view = 0;
      draw->view_count = 1;
    }
  }
  return one;
}

TEST(Views, FourThousandInOneLaunch) {
  const int count = test::slowness() > 1 ? 256 : 4096;
  LoadOptions load;
  load.views = count;
  load.view_size = 128;
  const Frame frame = load_frame("generated:sphere-100k?triangles=300&textured=1", load);
  ASSERT_EQ(int(frame.views.size()), count);
  ASSERT_EQ(frame.targets[0].layers, count);
  Renderer renderer;
  const RenderResult all = renderer.render(frame, cpu());
  ASSERT_EQ(int(all.targets[0].layers.size()), count);
  EXPECT_EQ(all.statistics.triangles_in, triangle_count(frame));
  for (const int number : {0, 1, 2, 63, 64, 129, count / 2 - 1, count / 2, count - 2, count - 1}) {
    SCOPED_TRACE("view " + std::to_string(number));
    const Frame one = only_view(frame, uint32_t(number));
    const RenderResult alone = renderer.render(one, cpu());
    std::vector<TargetImage> layer(1);
    layer[0].layers = {all.targets[0].layers[size_t(number)]};
    test::expect_same_pictures(alone.targets, layer);
    // The sphere is visible, and so is the background next to it.
    const auto& depth = layer[0].layers[0].depth;
    const auto hit = std::count_if(depth.begin(), depth.end(), [](float z) { return z < 1; });
    EXPECT_GT(hit, 128 * 128 / 5);
    EXPECT_LT(hit, 128 * 128);
  }
}

// Fewer views on the emulated machine and with every order: the same layers.
TEST(Views, EveryMachineAndOrder) {
  LoadOptions load;
  load.views = 12;
  load.view_size = 72;  // not a multiple of a region
  const Frame frame = load_frame("generated:sphere-100k?triangles=2000", load);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions o = cpu();
  o.keep_ids = true;
  o.shading = Shading::triangle;
  const RenderResult expected = renderer.render(prepared, o);
  for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
    for (const MachineKind machine : test::machines()) {
      for (const int rasterizers : {1, 5, 64}) {
        o.order = order;
        o.machine = machine;
        o.rasterizers = rasterizers;
        o.bin = 16;
        test::expect_same_pictures(expected.targets, renderer.render(prepared, o).targets);
      }
    }
  }
}

TEST(Views, InstancesEqualSingleDraws) {
  LoadOptions load;
  load.width = 320;
  load.height = 200;
  Frame frame = load_frame("generated:city?instanced=1&triangles=6000", load);
  Frame single = frame;
  single.commands.clear();
  size_t instances = 0;
  for (const Command& command : frame.commands) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr) {
      single.commands.push_back(command);
      continue;
    }
    instances += draw->instances;
    for (uint32_t i = 0; i < draw->instances; ++i) {
      DrawCommand one = *draw;
      one.instances = 1;
      one.first_instance = draw->first_instance + i;
      single.commands.emplace_back(std::in_place_type<DrawCommand>, one);
    }
  }
  ASSERT_GT(instances, 50u);
  Renderer renderer;
  for (const ReuseMode reuse : {ReuseMode::none, ReuseMode::warp}) {
    RenderOptions o = cpu();
    o.keep_ids = true;
    o.reuse = reuse;
    const RenderResult a = renderer.render(frame, o), b = renderer.render(single, o);
    test::expect_same_pictures(a.targets, b.targets);
    EXPECT_EQ(a.statistics.triangles_in, b.statistics.triangles_in);
  }
}

// A frame with several targets of different sizes and formats.
class SeveralTargets : public testing::Test {
 protected:
  SeveralTargets() : builder_(96, 64) {
    add_target(40, 70, ColorFormat::rgba8_srgb);
    add_target(130, 33, ColorFormat::rgba16f);
  }

  void add_target(int width, int height, ColorFormat format) {
    Frame& f = builder_.frame;
    f.targets.push_back({int(f.targets.size()), width, height, 1, format});
    View view;
    view.target = uint32_t(f.targets.size() - 1);
    f.views.push_back(view);
  }

  State whole(uint32_t target) const {
    State s;
    s.viewport = {0, 0, float(builder_.frame.targets[target].width), float(builder_.frame.targets[target].height)};
    return s;
  }

  // A fan of triangles, different for each draw.
  void draw_to(uint32_t target, int seed) {
    std::vector<glm::vec4> corners;
    for (int i = 0; i < 12; ++i) {
      const float a = float(i) * 0.53f + float(seed), r = 0.4f + 0.05f * float(i);
      corners.emplace_back(0.1f * float(seed % 3), 0, 0.02f * float(i), 1);
      corners.emplace_back(r * std::cos(a), r * std::sin(a), 0.3f, 1);
      corners.emplace_back(r * std::cos(a + 0.5f), r * std::sin(a + 0.5f), -0.3f, 1);
    }
    builder_.draw(whole(target), corners).first_view = target;
  }

  static size_t pixel(const Layer& l, int x, int y) { return size_t(y) * size_t(l.width) + size_t(x); }

  FrameBuilder builder_;
};

TEST_F(SeveralTargets, EachAsIfAlone) {
  for (int i = 0; i < 9; ++i) draw_to(uint32_t(i % 3), i);
  RenderOptions o = cpu();
  o.shading = Shading::depth;
  Renderer renderer;
  const RenderResult all = renderer.render(builder_.frame, o);
  for (uint32_t t = 0; t < 3; ++t) {
    Frame one = builder_.frame;
    std::vector<Command> commands;
    for (const Command& c : one.commands) {
      const auto* draw = std::get_if<DrawCommand>(&c);
      const auto* clear = std::get_if<ClearCommand>(&c);
      if ((draw && draw->first_view == t) || (clear && clear->target == t)) commands.push_back(c);
    }
    ASSERT_GE(commands.size(), 3u);
    one.commands = commands;
    const RenderResult alone = renderer.render(one, o);
    test::expect_same_pictures({alone.targets[t]}, {all.targets[t]});
  }
}

TEST_F(SeveralTargets, BlitsScaleFlipAndConvert) {
  struct Case {
    uint32_t from, to;
    Rect source, destination;
    bool depth;
  };
  const std::vector<Case> cases = {{0, 1, {0, 0, 96, 64}, {0, 0, 40, 70}, true},       // all, shrunk and stretched
                                   {0, 2, {10, 5, 50, 41}, {20, 3, 100, 20}, true},    // a part, into half floats
                                   {0, 1, {90, 60, -80, -50}, {2, 3, 30, 60}, false},  // flipped both ways
                                   {0, 2, {0, 0, 64, 32}, {-20, -7, 128, 64}, true},   // extends beyond the destination
                                   {2, 1, {0, 0, 130, 33}, {5, 5, 30, 30}, false}};
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE("blit " + std::to_string(i));
    const Case& c = cases[i];
    SeveralTargets::builder_ = FrameBuilder(96, 64);
    add_target(40, 70, ColorFormat::rgba8_srgb);
    add_target(130, 33, ColorFormat::rgba16f);
    draw_to(c.from, 3);
    draw_to(c.to, 4);
    Renderer renderer;
    for (const int rasterizers : {1, 7}) {
      RenderOptions o = cpu();
      o.shading = Shading::draw;
      o.rasterizers = rasterizers;
      o.bin = 16;
      const RenderResult before = renderer.render(builder_.frame, o);
      Frame with = builder_.frame;
      BlitCommand blit;
      blit.from = c.from;
      blit.to = c.to;
      blit.source = c.source;
      blit.destination = c.destination;
      blit.depth = c.depth;
      with.commands.emplace_back(std::in_place_type<BlitCommand>, blit);
      const RenderResult after = renderer.render(with, o);
      test::expect_same_pictures({before.targets[c.from]}, {after.targets[c.from]});
      const Layer &source = before.targets[c.from].layers[0], &old = before.targets[c.to].layers[0],
                  &now = after.targets[c.to].layers[0];
      int copied = 0;
      for (int y = 0; y < now.height; ++y) {
        for (int x = 0; x < now.width; ++x) {
          const double u = (x - c.destination.x + 0.5) / c.destination.width,
                       v = (y - c.destination.y + 0.5) / c.destination.height;
          const double fx = c.source.x + u * c.source.width, fy = c.source.y + v * c.source.height;
          const bool in = u > 0 && u < 1 && v > 0 && v < 1;
          // A sample exactly between two pixels may take either.
          const auto edge = [](double f) { return std::abs(f - std::round(f)) < 1e-4; };
          if (in && (edge(fx) || edge(fy))) continue;
          const size_t to = pixel(now, x, y), from = in ? pixel(source, int(fx), int(fy)) : 0;
          copied += in;
          ASSERT_EQ(now.depth[to], in && c.depth ? source.depth[from] : old.depth[to]) << x << ", " << y;
          if (!in && !now.color.empty()) {
            ASSERT_EQ(now.color[to], old.color[to]) << x << ", " << y;
          }
          if (!in) continue;
          for (size_t k = 0; k < 4; ++k) {
            // Linear values, which both formats encode.
            const auto linear = [&](const Layer& l, size_t p, bool srgb) {
              if (l.color.empty()) return double(l.color_float[p * 4 + k]);
              const double e = double(l.color[p] >> (8 * k) & 255) / 255;
              if (!srgb || k == 3) return e;
              return e <= 0.04045 ? e / 12.92 : std::pow((e + 0.055) / 1.055, 2.4);
            };
            ASSERT_NEAR(linear(now, to, c.to == 1), linear(source, from, c.from == 1), 1.0 / 200)
                << x << ", " << y << " channel " << k;
          }
        }
      }
      EXPECT_GT(copied, 500);
    }
  }
}

TEST_F(SeveralTargets, ScissoredClears) {
  for (uint32_t t = 0; t < 3; ++t) draw_to(t, int(t));
  Renderer renderer;
  RenderOptions o = cpu();
  o.shading = Shading::draw;
  const RenderResult before = renderer.render(builder_.frame, o);
  const glm::vec4 color(0.25f, 0.5f, 1.0f, 0.75f);
  for (const Rect& rect :
       {Rect{5, 7, 20, 13}, Rect{-10, -10, 30, 25}, Rect{0, 0, 1000, 1000}, Rect{39, 32, 1, 1}, Rect{500, 0, 10, 10}}) {
    Frame frame = builder_.frame;
    for (uint32_t t = 0; t < 3; ++t)
      frame.commands.emplace_back(std::in_place_type<ClearCommand>, ClearCommand{t, color, 0.125f, uint8_t(9), rect});
    const RenderResult after = renderer.render(frame, o);
    for (uint32_t t = 0; t < 3; ++t) {
      const Layer &a = before.targets[t].layers[0], &b = after.targets[t].layers[0];
      for (int y = 0; y < b.height; ++y) {
        for (int x = 0; x < b.width; ++x) {
          const size_t p = pixel(b, x, y);
          const bool in = x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height;
          ASSERT_EQ(b.depth[p], in ? 0.125f : a.depth[p]);
          ASSERT_EQ(int(b.stencil[p]), in ? 9 : int(a.stencil[p]));
          if (t == 2) {
            for (size_t k = 0; k < 4; ++k)
              ASSERT_EQ(b.color_float[p * 4 + k], in ? color[int(k)] : a.color_float[p * 4 + k]);
          } else {
            // sRGB of 1/4 and 1/2 is 136.96 and 187.52.
            ASSERT_EQ(b.color[p], !in ? a.color[p] : t == 0 ? 0xbfff8040u : 0xbfffbc89u);
          }
        }
      }
    }
  }
}

// Blending happens in linear light: half white over black is 1/2, which is 188 in an sRGB target.
TEST_F(SeveralTargets, BlendingIsLinear) {
  const glm::vec4 half(0.5f);
  for (uint32_t t = 0; t < 3; ++t) {
    builder_.add(ClearCommand{t, glm::vec4(0, 0, 0, 1), {}, {}, {}});
    State s = whole(t);
    s.depth.test = false;
    s.blend = BlendState{};
    s.blend->color = {BlendFactor::zero, BlendFactor::constant_color, BlendEquation::add};
    s.blend->alpha = {BlendFactor::zero, BlendFactor::one, BlendEquation::add};
    s.blend->constant = half;
    builder_.add(ClearCommand{t, glm::vec4(1), {}, {}, {}});
    builder_.draw(s, {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}).first_view = t;
  }
  const RenderResult r = Renderer().render(builder_.frame, cpu());
  for (const uint32_t c : r.targets[0].layers[0].color) ASSERT_EQ(c, 0xff808080u);
  for (const uint32_t c : r.targets[1].layers[0].color) ASSERT_EQ(c, 0xffbcbcbcu);
  const std::vector<float>& f = r.targets[2].layers[0].color_float;
  for (size_t i = 0; i < f.size(); ++i) ASSERT_EQ(f[i], i % 4 == 3 ? 1.0f : 0.5f);
}

// Half floats hold values above 1 and below 0, from clears and from blending.
TEST_F(SeveralTargets, HalfFloatsAreNotClamped) {
  builder_.add(ClearCommand{2, glm::vec4(3.0f, -2.0f, 512.5f, 0.5f), {}, {}, {}});
  State s = whole(2);
  s.depth.test = false;
  s.blend = BlendState{};
  s.blend->color = s.blend->alpha = {BlendFactor::zero, BlendFactor::constant_color, BlendEquation::add};
  s.blend->constant = glm::vec4(2, 4, 0.5f, 8);
  builder_.draw(s, {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}).first_view = 2;
  const RenderResult r = Renderer().render(builder_.frame, cpu());
  const std::vector<float>& f = r.targets[2].layers[0].color_float;
  const float expected[4] = {6, -8, 256.25f, 4};
  for (size_t i = 0; i < f.size(); ++i) ASSERT_EQ(f[i], expected[i % 4]) << i;
}

// Halves have ten bits after the point: a value between two halves rounds to the nearest, a tie to the even one.
TEST_F(SeveralTargets, HalfFloatsRoundToTheNearest) {
  builder_.add(ClearCommand{2, glm::vec4(1), {}, {}, {}});
  State s = whole(2);
  s.depth.test = false;
  s.blend = BlendState{};
  s.blend->color = s.blend->alpha = {BlendFactor::zero, BlendFactor::constant_color, BlendEquation::add};
  s.blend->constant = glm::vec4(1 + 0x1.8p-11f, 1 + 0x1p-11f, 1 + 0x1.8p-10f, 0x1.fffp-15f);
  builder_.draw(s, {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}).first_view = 2;
  const RenderResult r = Renderer().render(builder_.frame, cpu());
  const std::vector<float>& f = r.targets[2].layers[0].color_float;
  const float expected[4] = {1 + 0x1p-10f, 1, 1 + 0x1p-9f, 0x1p-14f};
  for (size_t i = 0; i < f.size(); ++i) ASSERT_EQ(f[i], expected[i % 4]) << i;
}

}  // namespace
}  // namespace brokkr
