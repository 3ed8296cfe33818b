// Functions on matrices, exponents and bits: a shader computes the same values for each sample as C++.
#include <algorithm>
#include <bit>
#include <glm/packing.hpp>
#include <glm/vec2.hpp>
#include <glm/vec4.hpp>
#include <tuple>

#include "run_shader.h"

namespace brokkr::shader::test {
namespace {

// Numbers and words for each sample: the ends of their ranges and values between.
float number_of(int sample) {
  static const float kNumbers[] = {0.0f,      -0.0f,    1.0f,  -1.0f,  0.5f,  65504.0f,
                                   -65519.9f, 65520.0f, 1e-5f, -3e-8f, 1e30f, 6.1e-5f};
  if (size_t(sample) < std::size(kNumbers)) return kNumbers[sample];
  return std::sin(float(sample) * 12.9898f) * std::exp2(float(sample % 20) - 12.0f);
}
uint32_t word_of(int sample) {
  static const uint32_t kWords[] = {0, 1, ~0u, 0x80000000u, 0x7fffffffu, 0x80000001u, 0xff00ff00u, 31, 32};
  return size_t(sample) < std::size(kWords) ? kWords[sample] : uint32_t(sample) * 2654435761u;
}

// `body` computes `result` from float x, uint u and int i. `expected(sample)`: the bits of the same result.
void expect_bits(const std::string& type, const std::string& body, const std::function<uint32_t(int)>& expected) {
  const Program program = compiled("#version 450\nin float x; flat in uint u; flat in int i; out " + type +
                                   " result;\nvoid main() {\n" + body + "\n}\n");
  const auto input = [&](uint32_t word, int sample) {
    for (const Input& one : program.inputs) {
      if (one.first == word && one.name == "x") return std::bit_cast<uint32_t>(number_of(sample));
    }
    return word_of(sample);
  };
  const Results results = run_everywhere(program, {}, input);
  for (int sample = 0; sample < kSamples; ++sample) {
    ASSERT_EQ(results.outputs[0][size_t(sample)], expected(sample))
        << "sample " << sample << ": x " << number_of(sample) << ", u " << word_of(sample) << "\n"
        << body;
  }
}

uint32_t bits_of(float v) { return std::bit_cast<uint32_t>(v); }

// Text without #version that is not GLSL 1.10 is GLSL ES 1.00, like WebGL's shaders.
TEST(ShaderFunctions, TextsOfOpenGlEs) {
  const std::string text =
      "precision mediump float;\nvarying vec2 t;\nvoid main() { gl_FragColor = vec4(t, 0.25, 1.0); }\n";
  const Results results = run_everywhere(compiled(text), {}, [](uint32_t, int s) { return bits_of(float(s)); });
  for (int s = 0; s < kSamples; ++s) ASSERT_EQ(results.number(0, s), float(s));
  try {
    compiled("precision mediump float;\nvoid main() { gl_FragColor = vec4(lost); }\n");
    FAIL() << "it compiles";
  } catch (const ShaderError& error) {
    EXPECT_EQ(error.line(), 2u) << error.what();
  }
}

// Negative numbers have squares, cubes and fourth powers as products; other powers of them are 0.
TEST(ShaderFunctions, PowersOfNegativeNumbers) {
  const std::string text =
      "#version 450\nin float x; out vec4 result;\n"
      "void main() { result = pow(vec4(x), vec4(2.0, 3.0, 4.0, 1.5)); }\n";
  const auto number = [](int s) { return float(s) / 8 - 4; };
  const Results results = run_everywhere(compiled(text), {}, [&](uint32_t, int s) { return bits_of(number(s)); });
  for (int s = 0; s < kSamples; ++s) {
    const float x = number(s);
    ASSERT_EQ(results.number(0, s), x * x);
    ASSERT_EQ(results.number(1, s), x * x * x);
    ASSERT_EQ(results.number(2, s), (x * x) * (x * x));
    ASSERT_NEAR(results.number(3, s), x > 0 ? std::pow(x, 1.5f) : 0.0f, 1e-4f);
  }
}

// Powers that no normal float holds are 0 and infinity.
TEST(ShaderFunctions, ExponentialsBeyondFloats) {
  const std::string text =
      "#version 450\nin float x; out vec4 result;\n"
      "void main() { result = vec4(exp(x), exp2(x), pow(10.0, x), pow(2.0, -x)); }\n";
  const auto number = [](int s) { return float(s) * 10 - 320; };
  const Results results = run_everywhere(compiled(text), {}, [&](uint32_t, int s) { return bits_of(number(s)); });
  const double scales[] = {1 / std::log(2), 1, std::log2(10), -1};
  for (int s = 0; s < kSamples; ++s) {
    for (size_t i = 0; i < 4; ++i) {
      const double power = double(number(s)) * scales[i];
      if (std::abs(power) < 125) {
        ASSERT_NEAR(results.number(i, s), std::exp2(power), 1e-4 * std::exp2(power)) << number(s);
      } else if (power < -127 || power > 129) {
        ASSERT_EQ(results.number(i, s), power < 0 ? 0.0f : INFINITY) << number(s);
      }
    }
  }
}

TEST(ShaderFunctions, InverseHyperbolics) {
  const std::tuple<const char*, double (*)(double), double (*)(double)> functions[] = {
      {"asinh(x)", [](double x) { return std::asinh(x); }, [](double s) { return std::ldexp(s - 31.5, int(s) - 32); }},
      {"acosh(x)", [](double x) { return std::acosh(x); }, [](double s) { return 1 + std::ldexp(s, int(s) - 32); }},
      {"atanh(x)", [](double x) { return std::atanh(x); }, [](double s) { return (s - 31.5) / 32; }},
  };
  for (const auto& [text, right, number] : functions) {
    const auto input = [&, value = number](uint32_t, int s) { return bits_of(float(value(s))); };
    const std::string body = std::string("in float x; out float result; void main() { result = ") + text + "; }\n";
    const Results results = run_everywhere(compiled("#version 450\n" + body), {}, input);
    for (int s = 0; s < kSamples; ++s) {
      const double wanted = right(double(float(number(s))));
      ASSERT_NEAR(results.number(0, s), wanted, 1e-6 * std::abs(wanted)) << text << " of " << number(s);
    }
  }
}

// Booleans in an array that is indexed at run time, alone and in structures.
TEST(ShaderFunctions, ArraysOfTruths) {
  const std::string text =
      "#version 450\nflat in int i; out float result;\nstruct Part { float a; bool b[3]; bvec2 c; };\n"
      "const bool kOdd[4] = bool[4](false, true, false, true);\n"
      "void main() {\n"
      "  bool b[4] = bool[4](true, false, true, false); b[i & 3] = !b[i & 3];\n"
      "  int n = 0; for (int k = 0; k < 4; k++) n += int(b[k]);\n"
      "  Part parts[2]; for (int k = 0; k < 2; k++) { parts[k].a = 0.5; parts[k].b[0] = false; parts[k].b[1] = true;\n"
      "    parts[k].b[2] = k == 1; parts[k].c = bvec2(true, false); }\n"
      "  parts[i & 1].b[i % 3] = true; Part one = parts[i & 1];\n"
      "  result = float(n) + 10.0 * float(one.b[i % 3]) + 100.0 * float(one.b[2]) + float(one.c[i & 1]) * 1000.0 + "
      "one.a\n"
      "    + 10000.0 * float(kOdd[i & 3]);\n"
      "}\n";
  const Results results = run_everywhere(compiled(text), {}, [](uint32_t, int s) { return uint32_t(s); });
  for (int s = 0; s < kSamples; ++s) {
    const bool last = s % 2 == 1 || s % 3 == 2;
    ASSERT_EQ(results.number(0, s), float((s & 1) == 0 ? 1 : 3) + 10 + (last ? 100.0f : 0) +
                                        (s % 2 == 0 ? 1000.0f : 0) + 0.5f + (s % 2 == 1 ? 10000.0f : 0));
  }
}

TEST(ShaderFunctions, MasksOfSamplesAreReadAndWritten) {
  const std::string text =
      "#version 450\nin float x; out float result;\n"
      "void main() { result = x + float(gl_SampleMaskIn[0]); gl_SampleMask[0] = int(x) & gl_SampleMaskIn[0]; }\n";
  const Program program = compiled(text);
  ASSERT_EQ(program.outputs.size(), 2u);
  const bool is_first = program.outputs[0].location == kSampleMaskLocation;
  const Output &mask = program.outputs[is_first ? 0 : 1], &result = program.outputs[is_first ? 1 : 0];
  EXPECT_EQ(mask.location, kSampleMaskLocation);
  ASSERT_EQ(program.inputs.size(), 2u);
  const Input& in = program.inputs[program.inputs[0].kind == InputKind::sample ? 0 : 1];
  EXPECT_EQ(in.sample_word, SampleWord::mask);
  const Results results =
      run_everywhere(program, {}, [&](uint32_t word, int s) { return word == in.first ? 5u : bits_of(float(s)); });
  for (int s = 0; s < kSamples; ++s) {
    ASSERT_EQ(results.number(result.first, s), float(s) + 5);
    ASSERT_EQ(bits_of(results.number(mask.first, s)), uint32_t(s) & 5);
  }
  EXPECT_EQ(results.kept, ~uint64_t(0));
}

TEST(ShaderFunctions, Bits) {
  expect_bits("int", "result = bitCount(u);", [](int s) { return uint32_t(std::popcount(word_of(s))); });
  expect_bits("uint", "result = bitfieldReverse(u);", [](int s) {
    uint32_t reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (word_of(s) >> bit & 1) << (31 - bit);
    return reversed;
  });
  expect_bits("int", "result = findLSB(u);",
              [](int s) { return word_of(s) == 0 ? ~0u : uint32_t(std::countr_zero(word_of(s))); });
  expect_bits("int", "result = findMSB(u);", [](int s) { return uint32_t(31 - std::countl_zero(word_of(s))); });
  expect_bits("int", "result = findMSB(i);", [](int s) {
    const uint32_t word = int32_t(word_of(s)) < 0 ? ~word_of(s) : word_of(s);
    return uint32_t(31 - std::countl_zero(word));
  });
}

TEST(ShaderFunctions, BitFields) {
  for (const auto& [offset, count] :
       {std::pair(0, 32), std::pair(5, 7), std::pair(31, 1), std::pair(0, 0), std::pair(16, 16)}) {
    const std::string field_end = ", " + std::to_string(offset) + ", " + std::to_string(count) + ");";
    const uint64_t mask = (uint64_t(1) << count) - 1;
    expect_bits("uint", "result = bitfieldExtract(u" + field_end,
                [&](int s) { return uint32_t(word_of(s) >> offset & mask); });
    expect_bits("int", "result = bitfieldExtract(i" + field_end, [&](int s) {
      const int64_t field = int64_t(word_of(s) >> offset & mask);
      return uint32_t(count > 0 && (field >> (count - 1) & 1) != 0 ? field - (int64_t(1) << count) : field);
    });
    expect_bits("uint", "result = bitfieldInsert(u, u * 3u" + field_end, [&](int s) {
      const uint64_t at = mask << offset;
      return uint32_t((word_of(s) & ~at) | ((uint64_t(word_of(s) * 3) << offset) & at));
    });
  }
}

TEST(ShaderFunctions, ResultsOfTwoWords) {
  expect_bits("uint", "uint c; result = uaddCarry(u, u * 7u, c); result ^= c << 31;", [](int s) {
    const uint64_t sum = uint64_t(word_of(s)) + word_of(s) * 7;
    return uint32_t(sum) ^ uint32_t(sum >> 32) << 31;
  });
  expect_bits("uint", "uint c; result = usubBorrow(u, u * 7u, c); result ^= c << 31;", [](int s) {
    const uint32_t other = word_of(s) * 7;
    return (word_of(s) - other) ^ uint32_t(word_of(s) < other) << 31;
  });
  expect_bits("uint", "uint h, l; umulExtended(u, u * 7u, h, l); result = h ^ l * 3u;", [](int s) {
    const uint64_t product = uint64_t(word_of(s)) * (word_of(s) * 7);
    return uint32_t(product >> 32) ^ uint32_t(product) * 3;
  });
  expect_bits("int", "int h, l; imulExtended(i, i * 7, h, l); result = h ^ l * 3;", [](int s) {
    const int64_t product = int64_t(int32_t(word_of(s))) * int32_t(word_of(s) * 7);
    return uint32_t(uint64_t(product) >> 32) ^ uint32_t(product) * 3;
  });
}

TEST(ShaderFunctions, Packing) {
  const auto vec2 = [](int s) { return glm::vec2(number_of(s), -number_of(s) * 0.45f); };
  const auto vec4 = [](int s) { return glm::vec4(number_of(s), -number_of(s), number_of(s) * 0.37f, 0.6f); };
  const std::string two = "(vec2(x, -x * 0.45));", four = "(vec4(x, -x, x * 0.37, 0.6));";
  expect_bits("uint", "result = packUnorm4x8" + four, [&](int s) { return glm::packUnorm4x8(vec4(s)); });
  expect_bits("uint", "result = packSnorm4x8" + four, [&](int s) { return glm::packSnorm4x8(vec4(s)); });
  expect_bits("uint", "result = packUnorm2x16" + two, [&](int s) { return glm::packUnorm2x16(vec2(s)); });
  expect_bits("uint", "result = packSnorm2x16" + two, [&](int s) { return glm::packSnorm2x16(vec2(s)); });
  const auto near = [](float a, float b) { return std::abs(a - b) < 1e-7f ? bits_of(b) : bits_of(a); };
  for (int c = 0; c < 4; ++c) {
    const std::string part = "[" + std::to_string(c) + "];";
    const auto unpacked = [&](int s) { return glm::unpackSnorm4x8(word_of(s))[c]; };
    expect_bits("float", "result = unpackSnorm4x8(u)" + part, [&](int s) {
      return near(unpacked(s), float(std::clamp(double(int8_t(word_of(s) >> (8 * c))) / 127, -1.0, 1.0)));
    });
    expect_bits("float", "result = unpackUnorm4x8(u)" + part,
                [&](int s) { return bits_of(float(word_of(s) >> (8 * c) & 255) / 255); });
  }
}

// With _Float16, which rounds as the hardware does.
TEST(ShaderFunctions, Halves) {
  const auto half = [](float v) { return uint32_t(std::bit_cast<uint16_t>(_Float16(v))); };
  expect_bits("uint", "result = packHalf2x16(vec2(x, -x * 0.45));",
              [&](int s) { return half(number_of(s)) | half(-number_of(s) * 0.45f) << 16; });
  // A number half-way between two halves rounds to the even one.
  expect_bits("uint", "float n = 1.0 + (float(u % 64u) + 0.5) / 1024.0; result = packHalf2x16(vec2(n, -n));",
              [&](int s) {
                const float n = 1.0f + (float(word_of(s) % 64u) + 0.5f) / 1024.0f;
                return half(n) | half(-n) << 16;
              });
  for (const int c : {0, 1}) {
    expect_bits("float", "result = unpackHalf2x16(u)[" + std::to_string(c) + "]; if (isnan(result)) result = 7.0;",
                [&](int s) {
                  const float v = float(std::bit_cast<_Float16>(uint16_t(word_of(s) >> (16 * c))));
                  return bits_of(std::isnan(v) ? 7.0f : v);
                });
  }
}

TEST(ShaderFunctions, Exponents) {
  expect_bits("float", "float whole; result = modf(x, whole) + 0.0;", [](int s) {
    float whole = 0;
    return bits_of(std::modf(number_of(s), &whole) + 0.0f);
  });
  expect_bits("float", "int e; result = frexp(x, e);", [](int s) {
    int e = 0;
    return bits_of(std::frexp(number_of(s), &e));
  });
  expect_bits("int", "frexp(x, result);", [](int s) {
    int e = 0;
    std::frexp(number_of(s), &e);
    return uint32_t(e);
  });
  for (const int e : {0, 5, -20, 100, -100}) {
    expect_bits("float", "result = ldexp(x, " + std::to_string(e) + ");", [&](int s) {
      const float v = std::ldexp(number_of(s), e);
      return bits_of(v);
    });
  }
}

TEST(ShaderFunctions, Inverses) {
  for (const int size : {2, 3, 4}) {
    const std::string type = "mat" + std::to_string(size), n = std::to_string(size);
    const std::string make =
        type + " m; for (int c = 0; c < " + n + "; ++c) for (int r = 0; r < " + n +
        "; ++r) m[c][r] = float((c * 7 + r * 5 + c * r) % 11) + (c == r ? 9.0 + float(u & 7u) : 0.0);\n";
    // m times its inverse is the identity; the determinant is that of Gaussian elimination.
    const Program program =
        compiled("#version 450\nflat in uint u; out vec2 result;\nvoid main() {\n" + make + type +
                 " e = m * inverse(m) - " + type + "(1.0);\nfloat worst = 0.0; for (int c = 0; c < " + n +
                 "; ++c) worst = max(worst, length(e[c]));\n"
                 "result = vec2(worst, determinant(m)); }");
    const Results results = run_everywhere(program, {}, [](uint32_t, int s) { return word_of(s); });
    for (int s = 0; s < kSamples; ++s) {
      double m[4][4], determinant = 1;
      for (int c = 0; c < size; ++c)
        for (int r = 0; r < size; ++r)
          m[c][r] = (c * 7 + r * 5 + c * r) % 11 + (c == r ? 9 + double(word_of(s) & 7) : 0);
      for (int i = 0; i < size; ++i) {
        determinant *= m[i][i];
        for (int c = i + 1; c < size; ++c)
          for (int r = size - 1; r >= i; --r) m[c][r] -= m[i][r] * m[c][i] / m[i][i];
      }
      EXPECT_LT(results.number(0, s), 1e-5f) << size;
      EXPECT_NEAR(results.number(1, s), determinant, std::abs(determinant) * 1e-5) << size;
    }
  }
}

}  // namespace
}  // namespace brokkr::shader::test
