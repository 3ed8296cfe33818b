// Random valid shaders (random/random_glsl.h): all forms of a program in the pipeline have the same bits on every
// build, interpreted and compiled. brokkr_random_shaders runs more seeds.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "brokkr/renderer.h"
#include "random/random_frame.h"
#include "random/trial.h"
#include "run_shader.h"
#include "shader/compiled.h"

namespace brokkr::shader::test {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSeeds = 300, kCompiledSeeds = 8, kDrawnSeeds = 15;

TEST(RandomShaders, HaveTheSameBitsInEveryForm) {
  size_t taken = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    try {
      RandomTrial trial(seed);
      ++taken;
      EXPECT_EQ(trial.run(runnable_kernels()), "");
      trial.give(1);
      EXPECT_EQ(trial.run(runnable_kernels()), "");
    } catch (const ShaderError& error) {
      ADD_FAILURE() << "seed " << seed << ": line " << error.line() << ": " << error.what();
    }
  }
  EXPECT_EQ(taken, kSeeds);
}

TEST(RandomShaders, HaveTheSameBitsCompiled) {
  if (find_compiler().empty()) GTEST_SKIP() << "there is no C++ compiler";
  std::string folder = (fs::temp_directory_path() / "brokkr-cache-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  std::vector<std::unique_ptr<RandomTrial>> trials;
  std::vector<const Code*> codes;  // of each trial the plain form and the most folded one
  for (uint64_t seed = 0; seed < kCompiledSeeds; ++seed) {
    trials.push_back(std::make_unique<RandomTrial>(seed));
    codes.push_back(&trials.back()->codes().front());
    codes.push_back(&trials.back()->codes().back());
  }
  for (const std::string& isa : compiled_kernels()) {
    CompiledShaders shaders(isa, find_kernel(isa)->width);
    shaders.take_cached({codes, {}});
    shaders.start();
    const std::atomic<uint32_t> abort{0};
    shaders.wait(abort);
    ASSERT_NE(shaders.functions(), nullptr) << shaders.problem();
    for (size_t i = 0; i < trials.size(); ++i) {
      EXPECT_EQ(trials[i]->run_compiled(isa, 0, shaders.functions()[2 * i]), "");
      EXPECT_EQ(trials[i]->run_compiled(isa, 3, shaders.functions()[2 * i + 1]), "");
    }
  }
  unsetenv("XDG_CACHE_HOME");
  fs::remove_all(folder);
}

// The whole pipeline: both machines of this processor draw the same picture, and no program is refused.
TEST(RandomShaders, AreDrawnByTheirFrames) {
  Renderer renderer;
  for (uint64_t seed = 0; seed < kDrawnSeeds; ++seed) {
    const Frame frame = random_frame(seed);
    validate(frame);
    PreparedFrame prepared = renderer.prepare(frame);
    std::vector<uint32_t> expected;
    for (const MachineKind machine : {MachineKind::cpu, MachineKind::emulated}) {
      RenderOptions options;
      options.machine = machine;
      options.workers = 1;
      options.shaders = ShaderCode::interpreted;
      const RenderResult result = renderer.render(prepared, options);
      for (const std::string& line : result.statistics.false_colors) ADD_FAILURE() << "seed " << seed << ": " << line;
      const std::vector<uint32_t>& color = result.targets[0].layers[0].color;
      if (expected.empty()) expected = color;
      EXPECT_EQ(color, expected) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace brokkr::shader::test
