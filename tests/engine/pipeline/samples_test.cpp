// Several samples per pixel: colours, machines, programs and blits. soup_test.cpp compares coverage and depth of each
// sample with the oracle's.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <stdexcept>

#include "brokkr/fragment_shader.h"
#include "brokkr/load.h"
#include "oracle/frame_builder.h"
#include "pictures.h"
#include "settings.h"

namespace brokkr {
namespace {

using test::cpu;

Frame scene(const std::string& name, int width = 150, int height = 110) {
  LoadOptions load;
  load.width = width;
  load.height = height;
  return load_frame(name, load);
}
std::string asset(const char* name) { return std::string(BROKKR_SOURCE_DIR "/assets/") + name; }

Layer draw(PreparedFrame& prepared, const RenderOptions& options) {
  Renderer renderer;
  return test::render_to_end(renderer, prepared, options).targets.at(0).layers.at(0);
}

// A primitive is shaded at the pixel's centre. Each sample that shows it has the colour of a picture with one sample
// per pixel whose centre shows the same primitive. There is no blending, because the colours below may differ.
void expect_colors_of_centres(Frame frame, const RenderOptions& common) {
  for (State& state : frame.states) state.blend.reset();
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions options = common;
  options.keep_ids = true;
  const Layer centres = draw(prepared, options);
  for (const int samples : {2, 4, 8}) {
    options.samples = samples;
    uint64_t same = 0, other = 0;
    for (int sample = 0; sample < samples; ++sample) {
      options.shown_sample = sample;
      const Layer shown = draw(prepared, options);
      for (size_t i = 0; i < shown.color.size(); ++i) {
        if (shown.visible_id[i] != centres.visible_id[i]) {
          ++other;
          continue;
        }
        ++same;
        ASSERT_EQ(shown.color[i], centres.color[i]) << samples << " samples, " << sample << ", pixel " << i;
      }
    }
    EXPECT_GT(same, 2 * other);
    EXPECT_GT(other, 0u);
  }
}

TEST(Samples, HaveTheColourOfTheirPixelsCentre) {
  RenderOptions options = cpu();
  for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
    options.order = order;
    for (const Shading shading : {Shading::material, Shading::draw, Shading::flat}) {
      options.shading = shading;
      expect_colors_of_centres(scene(asset("courtyard.obj")), options);
    }
    options.shading = Shading::material;
    expect_colors_of_centres(scene(asset("spheres.glb")), options);
  }
}

#if defined(BROKKR_HAVE_SHADERS)
TEST(Samples, ProgramsRunAtThePixelsCentre) {
  Frame frame = scene(asset("courtyard.obj"));
  set_fragment_shader(frame, {.text = R"(
in vec3 b_position;
in vec3 b_normal;
out vec4 color;
void main() { color = vec4(fract(b_position * 3.0), 1.0) * (0.5 + 0.5 * b_normal.y) + vec4(fract(gl_FragCoord.xyz), 0.0); }
)"});
  for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
    RenderOptions options = cpu();
    options.order = order;
    for (const ShaderCode code : {ShaderCode::interpreted, ShaderCode::compiled}) {
      options.shaders = code;
      expect_colors_of_centres(frame, options);
    }
  }
}
#endif

// A triangle is shaded once in a pixel, however many samples it covers.
TEST(Samples, AreShadedTogether) {
  const Frame frame = scene("generated:city?triangles=20000", 200, 150);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
    RenderOptions options = cpu();
    options.shading = Shading::material;
    options.order = order;
    const uint64_t one = renderer.render(prepared, options).statistics.fragments_shaded;
    options.samples = 8;
    const uint64_t eight = renderer.render(prepared, options).statistics.fragments_shaded;
    EXPECT_GT(eight, one);
    EXPECT_LT(eight, 4 * one);
  }
}

// Pictures do not depend on order, machine, bins or workers.
void expect_one_picture(const Frame& frame, const RenderOptions& common) {
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  for (const int samples : {2, 4, 8}) {
    RenderOptions options = common;
    options.samples = samples;
    options.keep_ids = true;
    const std::vector<TargetImage> expected = test::render_to_end(renderer, prepared, options).targets;
    for (const MachineKind machine : test::machines()) {
      for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
        for (const int bin : {16, 64}) {
          SCOPED_TRACE(std::to_string(samples) + " samples, machine " + std::to_string(int(machine)) + ", bin " +
                       std::to_string(bin));
          options.machine = machine;
          options.order = order;
          options.bin = bin;
          options.workers = bin == 16 ? 3 : 1;
          test::expect_same_pictures(expected, test::render_to_end(renderer, prepared, options).targets);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(Samples, OfScenesAreTheSameOnEveryMachine) {
  RenderOptions options = cpu();
  for (const Shading shading : {Shading::material, Shading::depth, Shading::normal}) {
    options.shading = shading;
    expect_one_picture(scene(asset("courtyard.obj"), 90, 70), options);
  }
}

// Fixed function as programs, and built-in shading of draws with discards, blending and stencil counts.
TEST(Samples, OfCapturedFramesAreTheSameOnEveryMachine) {
  RenderOptions options = cpu();
  options.shading = Shading::program;
  options.shaders = ShaderCode::interpreted;
  for (const char* name : {"gl-feature-test.bkf", "glxgears.bkf"})
    expect_one_picture(load_frame(test::find_capture(name).string(), {}), options);
}

// A blit from several samples to one averages colours.
// With depths, a blit averages all samples; without, it copies words where all samples of a vector are the same.
TEST(Samples, ABlitResolvesThem) {
  for (const ColorFormat format : {ColorFormat::rgba8, ColorFormat::rgba8_srgb}) {
    for (const int samples : {2, 4, 8}) {
      SCOPED_TRACE(samples);
      oracle::FrameBuilder builder(70, 50);
      builder.draw_window(builder.default_state(), {{3.3, 2.2}, {66.7, 21.1}, {13.4, 47.9}});
      Frame& frame = builder.frame;
      frame.targets[0].samples = samples;
      frame.targets[0].format = format;
      for (const uint32_t to : {1u, 2u}) {
        frame.targets.push_back({int(to), 70, 50, 1, format});
        BlitCommand blit;
        blit.from = 0;
        blit.to = to;
        blit.source = blit.destination = {0, 0, 70, 50};
        blit.depth = to == 1;
        frame.commands.emplace_back(blit);
      }
      validate(frame);
      Renderer renderer;
      PreparedFrame prepared = renderer.prepare(frame);
      RenderOptions options = cpu();
      options.shading = Shading::draw;
      const RenderResult result = test::render_to_end(renderer, prepared, options);
      const Layer &from = result.targets[0].layers[0], &to = result.targets[1].layers[0];
      EXPECT_EQ(from.color, to.color);
      EXPECT_EQ(from.depth, to.depth);
      EXPECT_EQ(result.targets[2].layers[0].color, to.color);
      std::set<uint32_t> colors(to.color.begin(), to.color.end());
      EXPECT_EQ(int(colors.size()), samples + 1);  // none to all of the samples
    }
  }
}

// The average of equal codes is their code, however many samples a pixel has.
TEST(Samples, EqualCodesKeepTheirCode) {
  for (const ColorFormat format : {ColorFormat::rgba8, ColorFormat::rgba8_srgb}) {
    for (const int samples : {2, 4, 8}) {
      Frame frame;
      frame.targets.push_back({0, 256 * 16, 16, 1, format});
      frame.targets.push_back({1, 256 * 16, 16, 1, format});
      frame.targets[0].samples = samples;
      for (int code = 0; code < 256; ++code) {
        frame.commands.emplace_back(
            ClearCommand{0, glm::vec4(float(code) / 255.0f), {}, {}, Rect{code * 16, 0, 16, 16}, {}});
      }
      BlitCommand blit;
      blit.from = 0;
      blit.to = 1;
      blit.source = blit.destination = {0, 0, 256 * 16, 16};
      blit.depth = true;
      frame.commands.emplace_back(blit);
      validate(frame);
      Renderer renderer;
      PreparedFrame prepared = renderer.prepare(frame);
      const RenderResult result = test::render_to_end(renderer, prepared, cpu());
      EXPECT_EQ(result.targets[0].layers[0].color, result.targets[1].layers[0].color) << samples;
    }
  }
}

TEST(Samples, ThatAreNotThereAreNotShown) {
  const Frame frame = scene("generated:city?triangles=100", 32, 32);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions options = cpu();
  options.samples = 4;
  options.shown_sample = 4;
  EXPECT_THROW(renderer.render(prepared, options), std::invalid_argument);
  options.shown_sample = -1;
  options.samples = 3;
  EXPECT_THROW(renderer.render(prepared, options), std::invalid_argument);
}

}  // namespace
}  // namespace brokkr
