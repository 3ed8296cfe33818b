// Random shaders whose picture OpenGL defines, beside llvmpipe's: arithmetic and control flow. Textures are compared by
// tests of their own; Mesa 22.3's llvmpipe crashes in LLVM on some random shaders that read them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "gl_triangle.h"
#include "shade/triangle.h"
#include "shader/random/random_glsl.h"
#include "shader/run_shader.h"

namespace brokkr::shader::test {
namespace {

constexpr uint64_t kSeeds = 400;

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

// Pixels of which a channel is further than 2/255 from llvmpipe's.
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

TEST(RandomPictures, AreThoseOfLlvmpipe) {
  try {
    CompatibilityContext::begin();
  } catch (const std::runtime_error& error) {
    GTEST_SKIP() << "OpenGL: " << error.what();
  }
  int compared = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::string text = random_shader(seed, true);
    const Program program = compiled(text);
    if (!program.samplers.empty()) continue;
    compared++;
    const TriangleScene scene = scene_of(seed, program);
    const Code code = assemble(program);
    Instance instance(code, *find_kernel(runnable_kernels().front()), scene.uniforms);
    instance.bind(scene.textures.tables, scene.textures.slots);
    const TrianglePicture ours = shade_triangle(program, instance, scene.width, scene.height, scene.corners);
    const std::vector<float> theirs = GlTriangle(program, text, scene).draw(0);
    EXPECT_EQ(far_pixels(program, ours, theirs), 0u) << "seed " << seed << "\n" << text;
  }
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace brokkr::shader::test
