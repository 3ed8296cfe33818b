// The folder's replacements of values: results equal those of a run without folding.
#include "shader/simplify.h"

#include <limits>

#include "run_shader.h"

namespace brokkr::shader::test {
namespace {

uint32_t number_of_sample(uint32_t, int sample) { return std::bit_cast<uint32_t>(float(sample) * 0.25f - 3.0f); }

void expect_same(const Results& found, const Results& expected, const std::string& what) {
  EXPECT_EQ(found.kept, expected.kept) << what;
  for (size_t word = 0; word < expected.outputs.size(); ++word)
    for (int sample = 0; sample < kSamples; ++sample)
      if ((expected.kept >> sample & 1) != 0)
        EXPECT_EQ(same_nan(found.outputs[word][size_t(sample)]), same_nan(expected.outputs[word][size_t(sample)]))
            << what << ", output " << word << ", sample " << sample;
}

// A loop's variables exchange their values: the value that `on` chooses is read before either changes.
TEST(ShaderFolder, AChosenVariableIsReadWhereItIsChosen) {
  const std::string text = R"(#version 330
    uniform bool on;
    in float x;
    out vec2 result;
    void main() {
      float a = x, b = x + 1.0;
      for (int i = 0; i < 3; ++i) {
        float c = on ? b : a;
        b = on ? a : b;
        a = c;
      }
      result = vec2(a, b);
    })";
  const Results expected = run_everywhere(compiled(text), {1}, number_of_sample);
  expect_same(run_everywhere(compiled(text, {{0, 1}}), {1}, number_of_sample), expected, "known");
  for (int sample = 0; sample < kSamples; ++sample)
    EXPECT_EQ(expected.number(0, sample), expected.number(1, sample) + 1.0f) << sample;
}

TEST(ShaderFolder, TheChangeOfAnInfiniteNumberIsNone) {
  const std::string text =
      "#version 330\nuniform float u; out float result;\nvoid main() { result = isnan(dFdx(u)) ? 1.0 : dFdx(u); }";
  for (const float u : {std::numeric_limits<float>::infinity(), 2.5f}) {
    const uint32_t bits = std::bit_cast<uint32_t>(u);
    const Results expected = run_everywhere(compiled(text), {bits}, number_of_sample);
    expect_same(run_everywhere(compiled(text, {{0, bits}}), {bits}, number_of_sample), expected, std::to_string(u));
    EXPECT_EQ(expected.number(0, 5), u == 2.5f ? 0.0f : 1.0f);
  }
}

TEST(ShaderFolder, InputsThatAreTheSameBecomeConstants) {
  const std::string text =
      "#version 330\nin vec3 x; out vec2 result;\nvoid main() { result = vec2(x.x * x.y, x.x) / x.z; }";
  const uint32_t one = std::bit_cast<uint32_t>(1.0f);
  const auto inputs = [&](uint32_t word, int sample) { return word == 0 ? number_of_sample(word, sample) : one; };
  const Program whole = compiled(text);
  Program folded = whole;
  fold_inputs(folded, {{1, one}, {2, one}}, *find_kernel(runnable_kernels().front()));
  verify(folded);
  EXPECT_EQ(assemble(folded).instructions.size(), 2u) << "two outputs of one input";
  expect_same(run_everywhere(folded, {}, inputs), run_everywhere(whole, {}, inputs), "folded");
}

// Lanes that did not come here hold a value of another path in a variable, or none: they do not count as neighbours.
TEST(ShaderFolder, OtherPathsLeaveNothingForDerivatives) {
  const std::string text = R"(#version 330
    uniform bool on;
    in float x;
    out float result;
    void main() {
      result = 0.0;
      if ((int(x * 4.0 + 12.0) & 3) != 1) {
        float a = on ? x : 1.0;
        for (int i = 0; i < 3; ++i) {
          result += dFdx(a);
          a = a * 2.0 + sin(x);
        }
      }
    })";
  const Results expected = run_everywhere(compiled(text), {1}, number_of_sample);
  expect_same(run_everywhere(compiled(text, {{0, 1}}), {1}, number_of_sample), expected, "known");
  for (int sample = 0; sample < kSamples; sample += 4) {
    EXPECT_EQ(expected.number(0, sample), 0.0f) << sample;
    EXPECT_NE(expected.number(0, sample + 2), 0.0f) << sample;
  }
}

// Values of branches that no lane enters once textures are known to be missing.
TEST(ShaderFolder, WhatADroppedBranchMakesIsDead) {
  for (const char* const name : {"switch_constant.frag", "switch_nested.frag", "unbound_in_branch.frag"}) {
    const Program program = compiled(text_of_file(name));
    Program folded = program;
    fold_lookups(folded, std::vector<LookupFacts>(program.samplers.size()), *find_kernel(runnable_kernels().front()));
    ASSERT_NO_THROW(verify(folded)) << name;
    SCOPED_TRACE(name);
    run_everywhere(program, std::vector<uint32_t>(program.uniform_words), number_of_sample);
    run_everywhere(folded, std::vector<uint32_t>(folded.uniform_words), number_of_sample);
  }
}

}  // namespace
}  // namespace brokkr::shader::test
