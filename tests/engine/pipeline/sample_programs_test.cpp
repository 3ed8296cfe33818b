// Programs and states that depend on the samples of a pixel. tests/apps/reference/gl_samples_test.cpp compares the same
// frames with OpenGL.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "brokkr/renderer.h"
#include "pictures.h"
#include "sample_frames.h"
#include "settings.h"
#include "target/samples.h"

namespace brokkr {
namespace {

using test::kSampledHeight;
using test::kSampledWidth;
using test::sample_frame;
using test::SampleCase;

class SamplePrograms : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(BROKKR_HAVE_SHADERS)
    GTEST_SKIP() << "built without run-time shaders";
#endif
  }
};

RenderOptions with_programs() {
  RenderOptions options = test::cpu();
  options.shading = Shading::program;
  options.shaders = ShaderCode::interpreted;
  return options;
}

// The samples of a frame of sample_frames.h.
class Shown {
 public:
  Shown(const Frame& frame, const RenderOptions& options) {
    validate(frame);
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame);
    RenderResult result = test::render_to_end(renderer, prepared, options);
    EXPECT_EQ(result.statistics.false_color_draws, 0u)
        << (result.statistics.false_colors.empty() ? "" : result.statistics.false_colors[0]);
    layer_ = std::move(result.targets[0].layers[0]);
  }
  // Channel c of a sample, 0 .. 255.
  int at(int x, int y, uint32_t sample, int c) const {
    const size_t i = size_t(y) * size_t(layer_.width) + size_t(x) + sample * size_t(kSampledWidth);
    return int(layer_.color[i] >> (8 * c) & 255u);
  }
  bool covers(int x, int y, uint32_t sample) const { return at(x, y, sample, 3) != 0; }

 private:
  Layer layer_;
};

int code(double value) { return int(std::clamp(value, 0.0, 1.0) * 255 + 0.5); }

SampleCase case_of(const std::string& name) {
  for (const SampleCase& one : test::sample_cases()) {
    if (one.name == name) return one;
  }
  throw std::logic_error("no case " + name);
}

// Draws a case with 2, 4 and 8 samples, in both orders. check(shown, x, y, sample, samples) looks at a covered sample.
template <class Check>
void for_covered(const std::string& name, Check check) {
  for (const int samples : {2, 4, 8}) {
    for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
      SCOPED_TRACE(name + ", " + std::to_string(samples) + " samples, order " + std::to_string(int(order)));
      RenderOptions options = with_programs();
      options.order = order;
      const Shown shown(sample_frame(case_of(name), samples), options);
      int covered = 0;
      for (int y = 0; y < kSampledHeight; ++y) {
        for (int x = 0; x < kSampledWidth; ++x) {
          for (uint32_t i = 0; i < uint32_t(samples); ++i) {
            if (!shown.covers(x, y, i)) continue;
            ++covered;
            check(shown, x, y, i, uint32_t(samples));
            if (testing::Test::HasFailure()) return;
          }
        }
      }
      EXPECT_GT(covered, 20 * samples);
    }
  }
}

double x_of(uint32_t samples, uint32_t i) { return 0.5 + sample_offset(samples, i).x / 256.0; }
double y_of(uint32_t samples, uint32_t i) { return 0.5 + sample_offset(samples, i).y / 256.0; }

TEST_F(SamplePrograms, RunForEachSampleThatAsksForItsNumber) {
  for_covered("numbers", [](const Shown& shown, int x, int y, uint32_t i, uint32_t samples) {
    ASSERT_EQ(shown.at(x, y, i, 0), code(i / 8.0)) << x << ", " << y;
    ASSERT_EQ(shown.at(x, y, i, 1), code(x_of(samples, i))) << x << ", " << y;
    ASSERT_EQ(shown.at(x, y, i, 2), code(y_of(samples, i))) << x << ", " << y;
  });
}

TEST_F(SamplePrograms, InputsOfSamplesAreInterpolatedThere) {
  for_covered("sample", [](const Shown& shown, int x, int y, uint32_t i, uint32_t samples) {
    ASSERT_NEAR(shown.at(x, y, i, 0), code(x_of(samples, i)), 1) << x << ", " << y << ", sample " << i;
    ASSERT_NEAR(shown.at(x, y, i, 1), code(y_of(samples, i)), 1) << x << ", " << y << ", sample " << i;
  });
  for_covered("position", [](const Shown& shown, int x, int y, uint32_t i, uint32_t samples) {
    ASSERT_EQ(shown.at(x, y, i, 0), code((x + x_of(samples, i)) / 16)) << x << ", " << y << ", sample " << i;
    ASSERT_EQ(shown.at(x, y, i, 1), code((y + y_of(samples, i)) / 16)) << x << ", " << y << ", sample " << i;
  });
  for_covered("shading", [](const Shown& shown, int x, int y, uint32_t i, uint32_t samples) {
    ASSERT_NEAR(shown.at(x, y, i, 0), code((x + x_of(samples, i)) / 16), 1) << x << ", " << y << ", sample " << i;
    ASSERT_NEAR(shown.at(x, y, i, 2), code((x + x_of(samples, i)) / 16), 1) << x << ", " << y << ", sample " << i;
  });
}

// With one triangle, the first covered sample is known: the first one that shows it.
TEST_F(SamplePrograms, CentroidsLieInThePrimitive) {
  for (const int samples : {2, 4, 8}) {
    Frame frame = sample_frame(case_of("centroid"), samples);
    std::get<DrawCommand>(frame.commands[2]).element_count = 3;
    const Shown shown(frame, with_programs());
    int partial = 0;
    for (int y = 0; y < kSampledHeight; ++y) {
      for (int x = 0; x < kSampledWidth; ++x) {
        uint32_t first = 0, count = 0;
        for (uint32_t i = uint32_t(samples); i-- > 0;) {
          if (!shown.covers(x, y, i)) continue;
          first = i;
          ++count;
        }
        if (count == 0) continue;
        const bool all = count == uint32_t(samples);
        partial += all ? 0 : 1;
        for (uint32_t i = 0; i < uint32_t(samples); ++i) {
          if (!shown.covers(x, y, i)) continue;
          ASSERT_NEAR(shown.at(x, y, i, 0), code(all ? 0.5 : x_of(uint32_t(samples), first)), 1) << x << ", " << y;
          ASSERT_NEAR(shown.at(x, y, i, 1), code(all ? 0.5 : y_of(uint32_t(samples), first)), 1) << x << ", " << y;
        }
      }
    }
    EXPECT_GT(partial, 10);
  }
}

TEST_F(SamplePrograms, MasksNameTheCoveredSamples) {
  for (const int samples : {2, 4, 8}) {
    Frame frame = sample_frame(case_of("masks"), samples);
    std::get<DrawCommand>(frame.commands[2]).element_count = 3;
    const Shown shown(frame, with_programs());
    for (int y = 0; y < kSampledHeight; ++y) {
      for (int x = 0; x < kSampledWidth; ++x) {
        int mask = 0;
        for (uint32_t i = 0; i < uint32_t(samples); ++i) mask |= shown.covers(x, y, i) ? 1 << i : 0;
        for (uint32_t i = 0; i < uint32_t(samples); ++i) {
          if (!shown.covers(x, y, i)) continue;
          ASSERT_EQ(shown.at(x, y, i, 0), mask) << x << ", " << y;
          ASSERT_EQ(shown.at(x, y, i, 1), code(samples / 8.0));
        }
      }
    }
  }
  for_covered("mask_of_sample", [](const Shown& shown, int x, int y, uint32_t i, uint32_t) {
    ASSERT_EQ(shown.at(x, y, i, 0), 1 << i) << x << ", " << y;
  });
}

// A case that removes samples of a draw that covers `all`, and the samples that remain.
template <class Keeps>
void expect_removal(const std::string& name, Keeps keeps) {
  for (const int samples : {2, 4, 8}) {
    SCOPED_TRACE(name + ", " + std::to_string(samples) + " samples");
    Frame frame = sample_frame(case_of(name), samples);
    SampleCase opaque = case_of(name);
    opaque.body = "color0 = vec4(1.0);";
    opaque.change = [](State&) {};
    Frame whole = sample_frame(opaque, samples);
    for (Frame* one : {&frame, &whole}) std::get<DrawCommand>(one->commands[2]).element_count = 3;
    const Shown shown(frame, with_programs()), all(whole, with_programs());
    int removed = 0;
    for (int y = 0; y < kSampledHeight; ++y) {
      for (int x = 0; x < kSampledWidth; ++x) {
        for (uint32_t i = 0; i < uint32_t(samples); ++i) {
          const bool expected = all.covers(x, y, i) && keeps(x + 0.5, y + 0.5, i, uint32_t(samples));
          removed += all.covers(x, y, i) && !expected ? 1 : 0;
          ASSERT_EQ(shown.covers(x, y, i), expected) << x << ", " << y << ", sample " << i;
        }
      }
    }
    EXPECT_GT(removed, 10);
  }
}

TEST_F(SamplePrograms, ProgramsAndStatesRemoveSamples) {
  expect_removal("mask_out", [](double x, double y, uint32_t i, uint32_t) {
    return ((int(x + 1e-3) + int(y + 1e-3)) >> i & 1) != 0;
  });
  expect_removal("mask_out_of_sample",
                 [](double, double, uint32_t i, uint32_t) { return ((i == 1 ? 5 : 6) >> i & 1) != 0; });
  expect_removal("mask_out_discard",
                 [](double x, double y, uint32_t i, uint32_t) { return int(x) != 5 && (int(y) >> i & 1) != 0; });
  expect_removal("coverage",
                 [](double x, double, uint32_t i, uint32_t samples) { return (x + 0.1) / 12 > double(i) / samples; });
  expect_removal("coverage_mask", [](double, double y, uint32_t i, uint32_t samples) {
    return (5 >> i & 1) != 0 && (y + 0.1) / 10 > double(i) / samples;
  });
  expect_removal("state_mask", [](double, double, uint32_t i, uint32_t) { return (0xf6 >> i & 1) != 0; });
  expect_removal("state_mask_free", [](double, double, uint32_t i, uint32_t) { return (0xfd >> i & 1) != 0; });
}

TEST_F(SamplePrograms, AlphaToOneReplacesAlpha) {
  for (const char* name : {"one", "coverage_one"}) {
    for_covered(name, [](const Shown& shown, int x, int y, uint32_t i, uint32_t) {
      ASSERT_EQ(shown.at(x, y, i, 3), 255) << x << ", " << y;
    });
  }
}

// Without multisampling, a pixel is covered at its centre, with all its samples, and programs see one sample.
TEST_F(SamplePrograms, WholePixels) {
  for (const char* name : {"whole", "whole_of_sample"}) {
    for_covered(name, [&](const Shown& shown, int x, int y, uint32_t i, uint32_t samples) {
      for (uint32_t j = 0; j < samples; ++j) ASSERT_TRUE(shown.covers(x, y, j)) << x << ", " << y;
      ASSERT_NEAR(shown.at(x, y, i, 0), code(0.5), 1) << x << ", " << y;
      ASSERT_EQ(shown.at(x, y, i, 2), std::string(name) == "whole" ? 1 : code(0.5)) << x << ", " << y;
    });
  }
}

// Samples that lie upside down have the other positions.
TEST_F(SamplePrograms, PositionsOfWindowsAreMirrored) {
  for (const char* name : {"numbers", "sample"}) {
    Frame frame = sample_frame(case_of(name), 4);
    frame.targets[1].mirrored_samples = true;
    const Shown shown(frame, with_programs()), straight(sample_frame(case_of(name), 4), with_programs());
    const int y_channel = std::string(name) == "numbers" ? 2 : 1;
    int covered = 0, other = 0;
    for (int y = 0; y < kSampledHeight; ++y) {
      for (int x = 0; x < kSampledWidth; ++x) {
        for (uint32_t i = 0; i < 4; ++i) {
          other += shown.covers(x, y, i) != straight.covers(x, y, i) ? 1 : 0;
          if (!shown.covers(x, y, i)) continue;
          ++covered;
          ASSERT_NEAR(shown.at(x, y, i, y_channel), code(1 - y_of(4, i)), 1) << x << ", " << y << ", sample " << i;
        }
      }
    }
    EXPECT_GT(covered, 80);
    EXPECT_GT(other, 10);
  }
}

TEST_F(SamplePrograms, InterpolationFunctions) {
  for_covered("at_sample", [](const Shown& shown, int x, int y, uint32_t i, uint32_t samples) {
    ASSERT_NEAR(shown.at(x, y, i, 0), code(x_of(samples, 1)), 1) << x << ", " << y;
    ASSERT_NEAR(shown.at(x, y, i, 1), code(y_of(samples, 1)), 1) << x << ", " << y;
  });
}

// Pictures depend neither on machine, bins and workers nor on the order of draws, which the second triangle of the
// order-free cases tests, nor on the way that programs run.
TEST_F(SamplePrograms, AreTheSameOnEveryMachine) {
  for (const SampleCase& one : test::sample_cases()) {
    for (const bool perspective : {false, true}) {
      const Frame frame = sample_frame(one, perspective ? 8 : 4, perspective);
      Renderer renderer;
      PreparedFrame prepared = renderer.prepare(frame);
      const std::vector<TargetImage> expected = test::render_to_end(renderer, prepared, with_programs()).targets;
      for (const MachineKind machine : test::machines()) {
        for (const int bin : {16, 64}) {
          if (machine == MachineKind::cuda && (perspective || bin == 16)) continue;  // may be interpreted
          SCOPED_TRACE(std::string(one.name) + ", machine " + std::to_string(int(machine)) + ", bin " +
                       std::to_string(bin));
          RenderOptions options = with_programs();
          options.machine = machine;
          options.bin = bin;
          options.workers = bin == 16 ? 3 : 1;
          options.order = bin == 16 ? OrderMode::strict : OrderMode::automatic;
          test::expect_same_pictures(expected, test::render_to_end(renderer, prepared, options).targets);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST_F(SamplePrograms, CompiledProgramsGiveTheSamePictures) {
  for (const char* name : {"numbers", "masks", "sample", "centroid", "mask_out", "coverage", "at_centroid"}) {
    SCOPED_TRACE(name);
    const Frame frame = sample_frame(case_of(name), 4, true);
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame);
    RenderOptions options = with_programs();
    const std::vector<TargetImage> expected = test::render_to_end(renderer, prepared, options).targets;
    options.shaders = ShaderCode::compiled;
    test::expect_same_pictures(expected, test::render_to_end(renderer, prepared, options).targets);
  }
}

// In pixels with one sample, all of this has no effect.
TEST_F(SamplePrograms, OneSampleIsThePixel) {
  SampleCase one{"one sample",
                 "gl_SampleMask[0] = 0; color0 = vec4(0.5 + s - c, float(gl_SampleID) / 8.0 + gl_SamplePosition.x, "
                 "float(gl_SampleMaskIn[0] + gl_NumSamples) / 4.0);",
                 [](State& state) { state.alpha_to_coverage = state.sample_shading = true; }};
  Frame frame = sample_frame(one, 1);
  frame.captured_textures[0].kind = TextureKind::two;
  frame.programs[1].samplers[0].kind = TextureKind::two;
  std::string& text = frame.programs[1].texts[0];
  text.replace(text.find("sampler2DMS"), 11, "sampler2D");
  text.replace(text.find("textureSize(map)"), 16, "textureSize(map, 0)");
  const Shown shown(frame, with_programs());
  int covered = 0;
  for (int y = 0; y < kSampledHeight; ++y) {
    for (int x = 0; x < kSampledWidth; ++x) {
      if (!shown.covers(x, y, 0)) continue;
      ++covered;
      for (int c = 0; c < 4; ++c) ASSERT_NEAR(shown.at(x, y, 0, c), 128, 1) << x << ", " << y << ", channel " << c;
    }
  }
  EXPECT_GT(covered, 20);
}

TEST_F(SamplePrograms, MultisampledTexturesFitTheirTarget) {
  Frame frame = sample_frame(case_of("numbers"), 4);
  frame.captured_textures[0].images[3].layer = 4;
  frame.captured_textures[0].depth = 5;
  EXPECT_THROW(validate(frame), std::runtime_error);
  frame = sample_frame(case_of("numbers"), 4);
  frame.captured_textures[0].levels = 2;
  EXPECT_THROW(validate(frame), std::runtime_error);
  frame = sample_frame(case_of("numbers"), 4);
  frame.states[0].sample_mask = 256;
  EXPECT_THROW(validate(frame), std::runtime_error);
}

}  // namespace
}  // namespace brokkr
