// Control flow and memory: a shader computes the same values for each sample as the same lines of C++.
#include "run_shader.h"

namespace brokkr::shader::test {
namespace {

// The shader computes `result` from `x`, the sample's number; `expected` is the same function.
void expect_function(const std::string& body, const std::function<float(float)>& expected,
                     const std::string& outside = "") {
  const Program program =
      compiled("#version 330\nin float x; out float result;\n" + outside + "\nvoid main() {\n" + body + "\n}\n");
  const Results results = run_everywhere(program, std::vector<uint32_t>(program.uniform_words),
                                         [](uint32_t, int sample) { return std::bit_cast<uint32_t>(float(sample)); });
  for (int sample = 0; sample < kSamples; ++sample)
    EXPECT_EQ(results.number(0, sample), expected(float(sample))) << "sample " << sample << "\n" << to_text(program);
}

TEST(ShaderControl, BranchesTakeTheirLanes) {
  expect_function(
      "if (x < 20.0) { if (x < 10.0) result = x; else result = 2.0 * x; }\n"
      "else { result = -x; if (mod(x, 3.0) == 0.0) result += 100.0; }",
      [](float x) {
        return x < 10 ? x : x < 20 ? 2 * x : std::fmod(x, 3.0f) == 0 ? 100 - x : -x;
      });
}

TEST(ShaderControl, LoopsEndForEachLaneAlone) {
  expect_function("int i = int(x); float sum = 0.0; while (i > 0) { sum += float(i); i -= 2; } result = sum;",
                  [](float x) {
                    float sum = 0;
                    for (int i = int(x); i > 0; i -= 2) sum += float(i);
                    return sum;
                  });
}

TEST(ShaderControl, BreakAndContinue) {
  const auto expected = [](float x) {
    float sum = 0;
    for (int i = 0; i < 40; ++i) {
      if (i == int(x)) break;
      if (i % 3 == 1) continue;
      float inner = 0;
      for (int k = 0; k < i; ++k) {
        if (k * k > int(x)) break;
        inner += float(k);
      }
      sum += inner + 0.5f;
    }
    return sum;
  };
  expect_function(
      "float sum = 0.0; int n = int(x);\n"
      "for (int i = 0; i < 40; ++i) { if (i == n) break; if (i % 3 == 1) continue; float inner = 0.0;\n"
      "  for (int k = 0; k < i; ++k) { if (k * k > n) break; inner += float(k); }\n"
      "  sum += inner + 0.5; }\n"
      "result = sum;",
      expected);
}

// The value of a loop is that of the iteration in which the lane leaves.
TEST(ShaderControl, ValuesOutliveTheirLoop) {
  expect_function(
      "float seen = -1.0; int n = int(x); for (int i = 0; ; ++i) { seen = float(i * i) * 0.5; if (i >= n / 2) break; "
      "}\n"
      "result = seen;",
      [](float x) {
        const int i = int(x) / 2;
        return float(i * i) * 0.5f;
      });
}

// Both variables are read before one is written.
TEST(ShaderControl, LoopVariablesChangePlaces) {
  expect_function(
      "float a = 0.0, b = 1.0; for (int i = 0; i < int(x) % 24; ++i) { float c = a + b; a = b; b = c; } result = a;",
      [](float x) {
        float a = 0, b = 1;
        for (int i = 0; i < int(x) % 24; ++i) {
          const float c = a + b;
          a = b;
          b = c;
        }
        return a;
      });
}

TEST(ShaderControl, ReturnsWithinLoopsOfFunctions) {
  expect_function(
      "result = find(x);",
      [](float x) {
        for (int i = 1; i < 30; ++i) {
          if (i * i == int(x)) return float(i);
          if (i * i > int(x)) return float(-i);
        }
        return 0.0f;
      },
      "float find(float x) { for (int i = 1; i < 30; ++i) { if (i * i == int(x)) return float(i);\n"
      "if (i * i > int(x)) return float(-i); } return 0.0; }");
}

TEST(ShaderControl, SwitchesFallThrough) {
  expect_function(
      "float sum = 0.0; switch (int(x) % 6) { case 0: sum += 1.0; case 1: sum += 10.0; break; case 2: case 3: sum += "
      "100.0;"
      "default: sum += 1000.0; break; case 5: sum = -1.0; } result = sum;",
      [](float x) {
        const float sums[] = {11, 10, 1100, 1100, 1000, -1};
        return sums[int(x) % 6];
      });
}

TEST(ShaderControl, ArraysTakeAnIndexOfEachLane) {
  expect_function(
      "float table[8]; for (int i = 0; i < 8; ++i) table[i] = float(i * i); table[int(x) % 8] += 1000.0;\n"
      "result = table[(int(x) + 1) % 8] + table[int(x) % 8];",
      [](float x) {
        const int i = int(x) % 8, k = (int(x) + 1) % 8;
        return float(k * k) + float(i * i) + 1000;
      });
}

TEST(ShaderControl, AnIndexBeyondAnArrayReadsNothingElse) {
  const Program program = compiled(
      "#version 330\nin float x; out float result;\nvoid main() { float t[4]; for (int i = 0; i < 4; ++i) t[i] = x + "
      "float(i) "
      "+ 1.0;\nt[int(x) * 1000 - 20000] = x + 5.0; result = t[int(x) * 100000 - 3000000]; }");
  const Results results =
      run_everywhere(program, {}, [](uint32_t, int s) { return std::bit_cast<uint32_t>(float(s)); });
  for (int s = 0; s < kSamples; ++s) {
    const float first = s <= 20 ? 5.0f : 1.0f, last = s > 20 ? 5.0f : 4.0f;  // the value after the write
    EXPECT_EQ(results.number(0, s), float(s) + (s <= 30 ? first : last)) << s;
  }
}

// If a loop reads a value and then changes it, the value before the change counts.
TEST(ShaderControl, ValuesOfArraysOutliveTheirLoop) {
  expect_function(
      "float t[2]; t[0] = 3.0; t[1] = 4.0; int k = int(x) % 2; float before = 0.0;\n"
      "for (int i = 0; ; ++i) { before = t[k]; t[k] = before * 0.5 + 1.0; if (i >= int(x) / 8) break; } result = "
      "before;",
      [](float x) {
        float t = int(x) % 2 == 0 ? 3.0f : 4.0f, before = 0;
        for (int i = 0; i <= int(x) / 8; ++i) {
          before = t;
          t = before * 0.5f + 1.0f;
        }
        return before;
      });
}

// A lane of another path has a different value in its register.
TEST(ShaderControl, DifferencesBetweenPathsAreZero) {
  expect_function("result = 5.0; if (mod(x, 4.0) != 1.0) { float y = x * x * 3.0 + 1.0; result = dFdx(y * y); }",
                  [](float x) {
                    const int s = int(x), left = s & ~1, right = s | 1;
                    const auto y = [](int iteration) {
                      return float(iteration * iteration * 3 + 1) * float(iteration * iteration * 3 + 1);
                    };
                    return s % 4 == 1 ? 5.0f : s % 4 == 0 ? 0.0f : y(right) - y(left);
                  });
}

TEST(ShaderControl, VectorsAndMatricesByIndex) {
  expect_function(
      "vec4 v = vec4(1.0, 2.0, 3.0, 4.0); v[int(x) % 4] = 9.0; mat3 m = mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, "
      "9.0);\n"
      "vec3 p = m * v.xyz, q = v.xyz * m; result = p.x + 10.0 * p.z + 100.0 * q.y + transpose(m)[int(x) % 3].y;",
      [](float x) {
        float v[] = {1, 2, 3, 4};
        v[int(x) % 4] = 9;
        const float px = v[0] + 4 * v[1] + 7 * v[2], pz = 3 * v[0] + 6 * v[1] + 9 * v[2];
        const float qy = 4 * v[0] + 5 * v[1] + 6 * v[2];
        return px + 10 * pz + 100 * qy + float(4 + int(x) % 3);
      });
}

TEST(ShaderControl, DiscardKeepsTheRest) {
  const Program program = compiled(
      "#version 330\nin float x; out float result;\nvoid main() { if (mod(x, 4.0) == 1.0) discard;\n"
      "for (int i = 0; i < 9; ++i) { if (int(x) == i * 10) discard; } result = x + 1.0; }");
  const Results results =
      run_everywhere(program, {}, [](uint32_t, int s) { return std::bit_cast<uint32_t>(float(s)); });
  for (int s = 0; s < kSamples; ++s) {
    EXPECT_EQ((results.kept >> s & 1) != 0, s % 4 != 1 && s % 10 != 0) << s;
    if ((results.kept >> s & 1) == 0) continue;
    EXPECT_EQ(results.number(0, s), float(s + 1));
  }
}

// A discarded lane still helps its quad: differences equal those of a picture without discards.
TEST(ShaderControl, DiscardedLanesGoOnAsHelpers) {
  const Program program = compiled(
      "#version 330\nin float x; out float result;\nvoid main() { if (mod(x, 4.0) == 1.0) discard; float y = x * x; "
      "result = dFdx(y); }");
  const Results results =
      run_everywhere(program, {}, [](uint32_t, int s) { return std::bit_cast<uint32_t>(float(s)); });
  for (int s = 0; s < kSamples; s += 4) EXPECT_EQ(results.number(0, s), float((s + 1) * (s + 1) - s * s));
}

TEST(ShaderControl, DifferencesInsideQuads) {
  expect_function("result = dFdx(x * x) + 1000.0 * dFdy(x * x);", [](float x) {
    const int s = int(x), left = s & ~1, right = s | 1, low = s & ~2, high = s | 2;
    return float(right * right - left * left) + 1000 * float(high * high - low * low);
  });
}

// An endless loop is stopped, and its lanes continue as if they had never reached the code after it.
TEST(ShaderControl, EndlessLoopsEnd) {
  const Program program = compiled(
      "#version 330\nin float x; out float result;\nvoid main() { float y = x; while (y >= 3.0) y += 1.0; result = "
      "1.0; }");
  const Results results =
      run_everywhere(program, {}, [](uint32_t, int s) { return std::bit_cast<uint32_t>(float(s)); });
  for (int s = 0; s < 3; ++s) EXPECT_EQ(results.number(0, s), 1.0f);
}

TEST(ShaderControl, AnAbortEndsLoops) {
  const Program program = compiled(
      "#version 330\nin float x; out float result;\nvoid main() { float sum = 0.0; for (int i = 0; i < 60000; ++i)\n"
      "for (int k = 0; k < 60000; ++k) sum += x; result = sum; }");
  const Code code = assemble(program);
  const uint32_t abort = 1;
  for (const std::string& isa : runnable_kernels()) {
    Instance instance(code, *find_kernel(isa), {});
    instance.set_abort(&abort);
    std::fill_n(instance.input(0), instance.lanes(), std::bit_cast<uint32_t>(1.0f));
    instance.run(1);
    EXPECT_LT(std::bit_cast<float>(instance.output(0)[0]), 1000000.0f) << isa;
  }
}

// Decisions that depend on a uniform are made before the shader runs.
TEST(ShaderControl, GivenUniformsAreFolded) {
  const std::string text =
      "#version 330\nuniform float alphaRef; uniform bool fog; in float x; out float result;\n"
      "void main() { if (alphaRef > 0.0 && x < alphaRef) discard; result = x; if (fog) { result = x * 0.5 + 1.0; "
      "result *= x; } }";
  const Program all = compiled(text);
  const auto count = [](const Program& program, Op op) {
    size_t n = 0;
    for (const Instruction& one : program.code) n += one.op == op;
    return n;
  };
  EXPECT_EQ(count(all, Op::discard), 1u);
  std::map<uint32_t, uint32_t> given;
  for (const Uniform& uniform : all.uniforms) given[uniform.first] = 0;
  const Program folded = compiled(text, given);
  EXPECT_EQ(count(folded, Op::discard), 0u) << to_text(folded);
  EXPECT_LT(folded.code.size(), 4u) << to_text(folded);
  const std::vector<uint32_t> zeros(all.uniform_words);
  const auto input = [](uint32_t, int s) { return std::bit_cast<uint32_t>(float(s)); };
  EXPECT_EQ(run_everywhere(all, zeros, input).outputs, run_everywhere(folded, zeros, input).outputs);
}

TEST(ShaderControl, UniformArraysTakeAnIndex) {
  const Program program = compiled(
      "#version 330\nuniform vec2 points[5]; uniform int base; in float x; out float result;\n"
      "void main() { result = points[(int(x) + base) % 5].y; }");
  std::vector<uint32_t> uniforms(program.uniform_words);
  for (const Uniform& uniform : program.uniforms)
    for (uint32_t i = 0; i < uniform.words; ++i)
      uniforms[uniform.first + i] = uniform.kind == Kind::whole ? 2 : std::bit_cast<uint32_t>(float(i));
  const Results results =
      run_everywhere(program, uniforms, [](uint32_t, int s) { return std::bit_cast<uint32_t>(float(s)); });
  for (int s = 0; s < kSamples; ++s) EXPECT_EQ(results.number(0, s), float((s + 2) % 5 * 2 + 1));
}

// Each element has nine words.
TEST(ShaderControl, MembersOfStructuresFollowEachOther) {
  const Program program = compiled(
      "#version 330\nstruct Part { vec3 a; float b; mat2 c; float d; };\nuniform Part parts[2]; in float x;\n"
      "out float result;\nvoid main() { int i = int(x) % 2; result = parts[i].d + 100.0 * parts[i].b; }");
  ASSERT_EQ(program.uniform_words, 18u);
  std::vector<uint32_t> uniforms;
  for (uint32_t word = 0; word < program.uniform_words; ++word)
    uniforms.push_back(std::bit_cast<uint32_t>(float(word)));
  const Results results =
      run_everywhere(program, uniforms, [](uint32_t, int s) { return std::bit_cast<uint32_t>(float(s)); });
  for (int s = 0; s < kSamples; ++s) {
    const int first = 9 * (s % 2);
    EXPECT_EQ(results.number(0, s), float(first + 8 + 100 * (first + 3))) << s;
  }
}

}  // namespace
}  // namespace brokkr::shader::test
