// Compares the results of interval arithmetic for discards and outputs with those of fragments.
#include "shader/simplify.h"

#include <random>

#include "run_shader.h"

namespace brokkr::shader::test {
namespace {

constexpr Range kUnit{0, 1, false}, kOne{1, 1, false};

const std::string kCutOut =
    "#version 330\nuniform sampler2D map; uniform float least; uniform bool on; in vec4 tint; out vec4 color;\n"
    "void main() { color = texture(map, tint.xy) * tint; if (on && color.a < least) discard; }";

bool cut_out_discards(float least, bool on, const Range& alpha, const Range& tint_alpha, Range* range = nullptr) {
  const Program program = compiled(kCutOut);
  std::vector<uint32_t> uniforms(program.uniform_words);
  for (const Uniform& uniform : program.uniforms)
    uniforms[uniform.first] = uniform.name == "least" ? std::bit_cast<uint32_t>(least) : on ? 1u : 0u;
  DrawFacts facts;
  facts.uniforms = uniforms;
  facts.inputs = {kUnit, kUnit, kUnit, tint_alpha};
  facts.samplers = {{kUnit, kUnit, kUnit, alpha}};
  return may_discard(program, facts, 3, range);
}

TEST(ShaderDiscards, OpaqueTexturesDiscardNothing) {
  Range range;
  EXPECT_FALSE(cut_out_discards(0.4f, true, kOne, {0.5f, 1, false}, &range));
  EXPECT_EQ(range, (Range{0.5f, 1, false}));
  EXPECT_TRUE(cut_out_discards(0.6f, true, kOne, {0.5f, 1, false}));
  EXPECT_FALSE(cut_out_discards(0.5f, true, kOne, {0.5f, 1, false}));
  EXPECT_TRUE(cut_out_discards(0.4f, true, kUnit, kOne));
  EXPECT_TRUE(cut_out_discards(0.4f, true, kOne, {}));
  EXPECT_FALSE(cut_out_discards(2, false, kUnit, kUnit));
}

TEST(ShaderDiscards, WhatIsNotKnownMayDiscard) {
  const Program program = compiled(kCutOut);
  EXPECT_TRUE(may_discard(program, {}));
  Program without = program;
  leave_out_discards(without);
  verify(without);
  EXPECT_FALSE(may_discard(without, {}));
  EXPECT_EQ(run_everywhere(without, {0x40000000u, 1}, [](uint32_t, int) { return 0u; }).kept, ~uint64_t(0));
}

TEST(ShaderDiscards, LoopsMayDoAnything) {
  const std::string head = "#version 330\nin float x; out float result;\nvoid main() { float sum = 0.5; ";
  const auto discards = [&](const std::string& body) {
    DrawFacts facts;
    facts.inputs = {kUnit};
    return may_discard(compiled(head + body + " result = sum; }"), facts);
  };
  EXPECT_TRUE(discards("for (int i = 0; i < int(x * 9.0); ++i) sum -= x; if (sum < 0.0) discard;"));
  EXPECT_TRUE(discards("for (int i = 0; i < int(x * 9.0); ++i) { if (sum < 0.0) discard; sum -= x; }"));
  EXPECT_TRUE(discards("if (x > 0.7) sum = -1.0; if (sum < 0.0) discard;"));
  EXPECT_FALSE(discards("if (x > 0.7) sum = x; if (sum < 0.0) discard;"));
}

// Random expressions: each lane's result lies in the range, and is NaN only if the range allows it.
class Expressions {
 public:
  explicit Expressions(uint32_t seed) : random_(seed) {}
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

  std::string make(int depth) {
    if (depth == 0) {
      static const char* const kLeaves[] = {"a", "b", "c", "0.5", "-2.0", "3.0", "0.0"};
      return kLeaves[below(7)];
    }
    const auto part = [&] { return make(depth - 1); };
    static const char* const kOfOne[] = {"-",   "abs",  "floor", "ceil", "fract",      "sqrt",
                                         "sin", "exp2", "trunc", "sign", "inversesqrt"};
    static const char* const kBetween[] = {"+", "-", "*", "/"};
    static const char* const kTwoNames[] = {"min", "max", "step", "pow", "mod"};
    static const char* const kThree[] = {"clamp", "mix", "smoothstep"};
    switch (below(6)) {
      case 0: return std::string(kOfOne[below(11)]) + "(" + part() + ")";
      case 1: return std::string(kTwoNames[below(5)]) + "(" + part() + ", " + part() + ")";
      case 2: return std::string(kThree[below(3)]) + "(" + part() + ", " + part() + ", " + part() + ")";
      case 3: return "(" + part() + (below(2) == 0 ? " < " : " <= ") + part() + " ? " + part() + " : " + part() + ")";
      default: return "(" + part() + " " + kBetween[below(4)] + " " + part() + ")";
    }
  }
  float number(float low, float high) { return std::uniform_real_distribution<float>(low, high)(random_); }

 private:
  std::mt19937 random_;
};

TEST(ShaderDiscards, RangesHoldWhatLanesCompute) {
  Expressions chance(11);
  int narrow = 0;
  for (int round = 0; round < 300; ++round) {
    const std::string expression = chance.make(1 + round % 4);
    const std::string text =
        "#version 330\nin float a; in float b; in float c; out float result;\nvoid main() {\n"
        "  result = " +
        expression + ";\n  if (result > 1.5) discard;\n}\n";
    const Program program = compiled(text);
    DrawFacts facts;
    for (const Input& input : program.inputs) {
      const float low = chance.number(-4, 4);
      facts.inputs.resize(std::max(facts.inputs.size(), size_t(input.first) + 1));
      facts.inputs[input.first] = {low, low + chance.number(0, 2), false};
    }
    std::vector<std::array<float, kSamples>> values(facts.inputs.size());
    for (size_t i = 0; i < values.size(); ++i) {
      for (float& value : values[i]) value = chance.number(facts.inputs[i].low, facts.inputs[i].high);
      values[i][0] = facts.inputs[i].low;
      values[i][1] = facts.inputs[i].high;
    }
    Range range;
    const bool discards = may_discard(program, facts, 0, &range);
    const Results results = run_everywhere(
        program, {}, [&](uint32_t word, int sample) { return std::bit_cast<uint32_t>(values[word][size_t(sample)]); });
    EXPECT_TRUE(discards || results.kept == ~uint64_t(0)) << text;
    for (int sample = 0; sample < kSamples; ++sample) {
      if ((results.kept >> sample & 1) == 0) continue;
      const float value = results.number(0, sample);
      const bool holds = std::isnan(value) ? range.nan : value >= range.low && value <= range.high;
      ASSERT_TRUE(holds) << value << " is not in " << range.low << " .. " << range.high << "\n" << text;
    }
    narrow += std::isfinite(range.low) && std::isfinite(range.high);
  }
  EXPECT_GT(narrow, 100);
}

}  // namespace
}  // namespace brokkr::shader::test
