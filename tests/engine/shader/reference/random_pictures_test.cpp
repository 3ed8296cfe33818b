// Random shaders whose picture OpenGL defines, against llvmpipe: arithmetic, control flow, and textures that are
// fetched or read at an explicit level.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "gl_triangle.h"
#include "pipeline/in_child.h"
#include "shade/triangle.h"
#include "shader/random/random_glsl.h"
#include "shader/run_shader.h"

namespace brokkr::shader::test {
namespace {

constexpr uint64_t kSeeds = 400, kTexturedSeeds = 150;

TriangleScene scene_of(uint64_t seed, const Program& program) {
  TriangleScene scene;
  scene.width = 32;
  scene.height = 24;
  scene.uniforms = random_uniforms(seed, program, true);
  for (uint32_t corner = 0; corner < 3; ++corner) {
    for (uint32_t word = 0; word < program.input_words; ++word)
      scene.corners[corner].push_back(random_input(seed, word, int(corner)));
  }
  bind_random_textures(seed, program, scene.textures, true);
  return scene;
}

// Pixels with a channel that is more than 2/255 from llvmpipe's.
size_t far_pixels(const Program& program, const TrianglePicture& ours, const std::vector<float>& theirs) {
  const Output& output = program.outputs.front();
  const auto clamped = [](float v) { return v > 0 ? std::min(v, 1.0f) : 0.0f; };
  size_t far = 0;
  for (size_t pixel = 0; pixel < ours.kept.size(); ++pixel) {
    const bool kept = theirs[4 * pixel] != -7.0f;
    bool is_far = kept != (ours.kept[pixel] != 0);
    for (uint32_t c = 0; c < 4 && kept && !is_far; ++c) {
      const float found = ours.outputs[pixel * program.output_words + output.first + c];
      is_far = std::abs(clamped(found) - clamped(theirs[4 * pixel + c])) > 2.0f / 255.0f;
    }
    far += is_far ? 1 : 0;
  }
  return far;
}

// A seed's program, and our picture of it.
struct Subject {
  explicit Subject(uint64_t seed)
      : text(random_shader(seed, true)), program(compiled(text)), scene(scene_of(seed, program)) {
    const Code code = assemble(program);
    Instance instance(code, *find_kernel(runnable_kernels().front()), scene.uniforms);
    instance.bind(scene.textures.tables, scene.textures.slots);
    picture = shade_triangle(program, instance, scene.width, scene.height, scene.corners);
  }
  std::string text;
  Program program;
  TriangleScene scene;
  TrianglePicture picture;
};

TEST(RandomPictures, AreThoseOfLlvmpipe) {
  try {
    CompatibilityContext::begin();
  } catch (const std::runtime_error& error) {
    GTEST_SKIP() << "OpenGL: " << error.what();
  }
  int compared = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Subject one(seed);
    if (!one.program.samplers.empty()) continue;
    compared++;
    const std::vector<float> theirs = GlTriangle(one.program, one.text, one.scene).draw(0);
    EXPECT_EQ(far_pixels(one.program, one.picture, theirs), 0u) << "seed " << seed << "\n" << one.text;
  }
  EXPECT_GT(compared, 20);
}

// The first word of a child that has drawn the picture, before its numbers; any other text is the reason for a missing
// picture.
constexpr std::string_view kDrawn = "drawn";

// A child process draws each picture, since Mesa 22.3's llvmpipe ends the process on some programs.
TEST(RandomPictures, WithTexturesAreThoseOfLlvmpipe) {
  if (CompatibilityContext::has_begun) GTEST_SKIP() << "a child of this process cannot draw";
  int compared = 0, without = 0;
  for (uint64_t seed = 0; seed < kTexturedSeeds; ++seed) {
    const Subject one(seed);
    if (one.program.samplers.empty()) continue;
    const std::string said = brokkr::test::in_child([&] {
      CompatibilityContext::begin();
      const std::vector<float> picture = GlTriangle(one.program, one.text, one.scene).draw(0);
      return std::string(kDrawn) +
             std::string(reinterpret_cast<const char*>(picture.data()), picture.size() * sizeof(float));
    });
    if (!said.starts_with(kDrawn)) {
      std::cout << "seed " << seed << ": the peer gave no picture: " << said << std::endl;
      ++without;
      continue;
    }
    ++compared;
    std::vector<float> theirs((said.size() - kDrawn.size()) / sizeof(float));
    std::memcpy(theirs.data(), said.data() + kDrawn.size(), theirs.size() * sizeof(float));
    EXPECT_EQ(far_pixels(one.program, one.picture, theirs), 0u) << "seed " << seed << "\n" << one.text;
  }
  std::cout << compared << " compared, " << without << " without a picture of the peer" << std::endl;
  if (compared == 0) GTEST_SKIP() << "OpenGL drew nothing";
  EXPECT_LT(without, compared / 10);
}

}  // namespace
}  // namespace brokkr::shader::test
