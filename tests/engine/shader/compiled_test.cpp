// Shaders as code of this processor: the same bits as interpreted ones, and a cache that only its user can write.
#include "shader/compiled.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "bound_textures.h"
#include "run_shader.h"
#include "shader/code_cache.h"
#include "shader/print_cpp.h"

namespace brokkr::shader::test {
namespace {

namespace fs = std::filesystem;

// Loops that lanes leave one by one, arrays with a separate index per lane, integers, differences, discards.
const char* const kEverything = R"(#version 330
uniform sampler2D picture;
uniform float table[6];
in vec4 at;
out vec4 color;
void main() {
  float cells[5] = float[](at.x, at.y, at.z, at.w, 1.0);
  int last = int(abs(at.x) * 3.0) % 9;
  float sum = 0.0;
  for (int i = 0; i <= last; ++i) {
    if (fract(at.y * float(i + 1)) > 0.9) break;
    cells[(i * 7 + last) % 5] += table[i % 6] * sin(at.z + float(i));
    sum += cells[i % 5] + texture(picture, at.xy * float(i)).g;
  }
  uint mixed = floatBitsToUint(at.x) / 7u ^ uint(last) << 3;
  if (dFdx(at.x) > 0.4 && mixed % 3u == 0u) discard;
  color = vec4(sum, float(mixed % 1000u), exp(at.x) * atan(at.y, at.z), pow(abs(at.w), 1.7) + fwidth(at.y));
})";

const char* const kTexts[] = {"bumped.frag",
                              "deferred.frag",
                              "fixed.frag",
                              "foliage.frag",
                              "lightmapped.frag",
                              "particles.frag",
                              "shadowed.frag",
                              "sky.frag",
                              "switch_constant.frag",
                              "switch_nested.frag",
                              "unbound_in_branch.frag",
                              "terrain.frag",
                              "text.frag",
                              "toon.frag",
                              "water.frag"};

class CompiledShaderTest : public testing::Test {
 protected:
  void SetUp() override {
    if (find_compiler().empty()) GTEST_SKIP() << "there is no C++ compiler";
    std::string made = (fs::temp_directory_path() / "brokkr-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(made.data()), nullptr);
    folder_ = made;
    setenv("XDG_CACHE_HOME", made.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  size_t entries() const {
    return size_t(std::distance(fs::directory_iterator(folder_ / "brokkr"), fs::directory_iterator()));
  }

  fs::path folder_;
  std::atomic<uint32_t> abort_{0};
};

TEST_F(CompiledShaderTest, GivesTheBitsOfTheInterpreter) {
  std::vector<Program> programs = {compiled(kEverything)};
  for (const char* const name : kTexts) programs.push_back(compiled(text_of_file(name)));
  std::vector<Code> codes;
  std::vector<const Code*> pointers;
  for (const Program& program : programs) codes.push_back(assemble(program));
  for (const Code& code : codes) pointers.push_back(&code);
  std::vector<uint32_t> texels(64 * 64 + 32 * 32 + 16 * 16 + 64 + 16 + 4 + 1);
  std::mt19937 random(16);
  for (uint32_t& texel : texels) texel = uint32_t(random());
  CapturedTexture picture;
  picture.width = picture.height = 64;
  picture.levels = 7;
  BoundTextures bound;
  for (uint32_t i = 0; i < kMaxSamplers; ++i) bound.add(picture, std::as_bytes(std::span(texels)), {});
  bound.prepare();
  const Textures textures{bound.tables, bound.slots};
  for (const std::string& isa : compiled_kernels()) {
    CompiledShaders shaders(isa, find_kernel(isa)->width);
    shaders.take_cached({pointers, {}});
    EXPECT_EQ(shaders.functions(), nullptr);
    shaders.start();
    shaders.wait(abort_);
    ASSERT_NE(shaders.functions(), nullptr) << shaders.problem();
    for (size_t i = 0; i < programs.size(); ++i) {
      std::vector<uint32_t> uniforms(programs[i].uniform_words);
      std::uniform_real_distribution<float> number(-2.0f, 2.0f);
      for (uint32_t& word : uniforms) word = std::bit_cast<uint32_t>(number(random));
      const auto input = [&](uint32_t word, int sample) {
        return std::bit_cast<uint32_t>(float(word) * 0.37f - 1.0f + float(sample * sample % 61) * 0.05f);
      };
      const Results expected = run_on(isa, programs[i], uniforms, input, textures);
      const Results got = run_on(isa, programs[i], uniforms, input, textures, shaders.functions()[i]);
      ASSERT_EQ(got.kept, expected.kept) << isa << ", shader " << i;
      for (size_t word = 0; word < expected.outputs.size(); ++word) {
        for (int sample = 0; sample < kSamples; ++sample) {
          if ((expected.kept >> sample & 1) == 0) continue;
          EXPECT_EQ(same_nan(got.outputs[word][size_t(sample)]), same_nan(expected.outputs[word][size_t(sample)]))
              << isa << ", shader " << i << ", output " << word << ", sample " << sample;
        }
      }
    }

    // Compiled code is available immediately on the next run.
    CompiledShaders again(isa, find_kernel(isa)->width);
    again.take_cached({pointers, {}});
    EXPECT_NE(again.functions(), nullptr) << again.problem();
  }
}

TEST_F(CompiledShaderTest, TextsHoldNoWordOfTheFile) {
  const std::string text = to_cpp(assemble(compiled(text_of_file("sky.frag"))), "f");
  for (const char* const word : {"clouds", "zenith", "horizon", "sunDir", "night", "direction", "drift", "fragColor"})
    EXPECT_EQ(text.find(word), std::string::npos) << word;
}

TEST_F(CompiledShaderTest, WhatIsCancelledLeavesNothingBehind) {
  const Code code = assemble(compiled(text_of_file("sky.frag")));
  const Code* const pointer = &code;
  {
    CompiledShaders shaders(best_cpu_isa(), find_kernel(best_cpu_isa())->width);
    shaders.take_cached({{pointer}, {}});
    shaders.start();
  }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(CompiledShaderTest, AFolderThatOthersMayWriteIsRefused) {
  fs::create_directory(folder_ / "brokkr");
  ASSERT_EQ(chmod((folder_ / "brokkr").c_str(), 0777), 0);
  EXPECT_THROW(CodeCache(), std::runtime_error);
  ASSERT_EQ(chmod((folder_ / "brokkr").c_str(), 0700), 0);
  EXPECT_NO_THROW(CodeCache());
  fs::remove(folder_ / "brokkr");
  fs::create_directory(folder_ / "elsewhere");
  fs::create_symlink(folder_ / "elsewhere", folder_ / "brokkr");
  EXPECT_THROW(CodeCache(), std::runtime_error);
}

TEST_F(CompiledShaderTest, FilesThatOthersMayWriteAndLeftoversAreNotTaken) {
  const CodeCache cache;
  const fs::path temporary = cache.make_temporary();
  std::ofstream(temporary / "file") << "content";
  const fs::path kept = cache.keep(temporary / "file", "name.so");
  EXPECT_EQ(cache.find("name.so"), kept);
  fs::permissions(kept, fs::perms::all);
  EXPECT_EQ(cache.find("name.so"), fs::path());
  fs::create_directory(folder_ / "brokkr" / "making-999999999-abcdef");  // no process has that number
  const CodeCache another;
  EXPECT_TRUE(fs::exists(temporary));
  EXPECT_FALSE(fs::exists(folder_ / "brokkr" / "making-999999999-abcdef"));
}

// A full cache loses the file that was used least recently.
TEST_F(CompiledShaderTest, AFullCacheLosesWhatWasUsedLeastRecently) {
  const CodeCache cache;
  const auto keep = [&](const std::string& name) {
    const fs::path temporary = cache.make_temporary();
    std::ofstream(temporary / "file") << name;
    fs::resize_file(temporary / "file", CodeCache::kMaxBytes * 2 / 5);  // sparse
    cache.keep(temporary / "file", name);
    fs::remove_all(temporary);
  };
  keep("first.so");
  keep("second.so");
  EXPECT_NE(cache.find("first.so"), fs::path());
  keep("third.so");
  EXPECT_EQ(cache.find("second.so"), fs::path());
  EXPECT_NE(cache.find("first.so"), fs::path());
  EXPECT_NE(cache.find("third.so"), fs::path());
}

// Whatever happened to a kept file, it is loaded as it was kept or not at all, and files that do not fit are removed.
TEST_F(CompiledShaderTest, DamagedFilesAreRemovedAndMadeAnew) {
  const CodeCache cache;
  const std::string content(20000, 'x');
  const auto keep = [&] {
    const fs::path temporary = cache.make_temporary();
    std::ofstream(temporary / "file") << content;
    const fs::path kept = cache.keep(temporary / "file", "name.so");
    fs::remove_all(temporary);
    return kept;
  };
  const auto write = [](const fs::path& file, const std::string& text) { std::ofstream(file) << text; };
  std::string changed = content;
  changed[12345] = 'y';
  const std::vector<std::function<void(const fs::path&)>> damages = {
      [&](const fs::path& file) { fs::resize_file(file, 3000); },
      [&](const fs::path& file) { fs::resize_file(file, 0); },
      [&](const fs::path& file) { write(file, std::string(content.size(), '\0')); },
      [&](const fs::path& file) { write(file, changed); },
      [&](const fs::path& file) { write(file, content + "x"); },
      [&](const fs::path& file) { fs::resize_file(file, uintmax_t(1) << 40); },  // sparse
      [&](const fs::path& file) { fs::remove(file), fs::create_directory(file); },
      [&](const fs::path& file) { fs::remove(file), fs::create_symlink("/bin/sh", file); },
      [&](const fs::path& file) { fs::remove(file), mkfifo(file.c_str(), 0600); },
      [&](const fs::path& file) { fs::rename(file, file.parent_path() / "name-.so"); },
      [&](const fs::path& file) { fs::rename(file, file.parent_path() / "name-20000-0123.so"); },
  };
  for (size_t i = 0; i < damages.size(); ++i) {
    const fs::path kept = keep();
    ASSERT_EQ(cache.find("name.so"), kept) << i;
    damages[i](kept);
    EXPECT_EQ(cache.find("name.so"), fs::path()) << i;
    EXPECT_EQ(entries(), 0u) << i;
  }
  const fs::path kept = keep();
  EXPECT_EQ(cache.find("name.so"), kept);
  EXPECT_EQ(cache.find("nam.so"), fs::path());
  EXPECT_EQ(cache.find("name.cubin"), fs::path());
  EXPECT_TRUE(fs::exists(kept));
}

TEST(CompiledShaderCompiler, IsFoundByItsVariable) {
  const char* const before = std::getenv("CXX");
  const std::string saved = before == nullptr ? "" : before;
  setenv("CXX", "/nowhere/c++ -pipe", 1);
  EXPECT_TRUE(find_compiler().empty());
  setenv("CXX", "/bin/sh -pipe", 1);
  EXPECT_EQ(find_compiler(), (std::vector<std::string>{"/bin/sh", "-pipe"}));
  if (before == nullptr) {
    unsetenv("CXX");
  } else {
    setenv("CXX", saved.c_str(), 1);
  }
}

}  // namespace
}  // namespace brokkr::shader::test
