// Texts that are not valid shaders, or that cannot be run: one line each, with the place.
#include "run_shader.h"

namespace brokkr::shader::test {
namespace {

struct Fault {
  uint32_t line = 0;
  std::string what;
};

Fault fault_of(const std::string& text) {
  try {
    translate(read_module(compile_glsl({&text, 1})));
  } catch (const ShaderError& error) {
    return {error.line(), error.what()};
  }
  return {};
}

void expect_fault(const std::string& text, uint32_t line, const std::string& part) {
  const Fault fault = fault_of(text);
  EXPECT_NE(fault.what.find(part), std::string::npos) << "'" << fault.what << "' of " << text.substr(0, 200);
  EXPECT_EQ(fault.line, line) << fault.what;
  EXPECT_EQ(fault.what.find('\n'), std::string::npos) << fault.what;
}

const std::string kHead = "#version 330\nin float x; out float result;\n";

TEST(ShaderErrors, NameTheLine) {
  expect_fault(kHead + "void main() {\n  result = y;\n}\n", 4, "undeclared identifier");
  expect_fault(kHead + "void main() { result = x }\n", 3, "syntax error, unexpected");
  expect_fault("#version 330\n#error no\nvoid main() {}\n", 2, "no");
  expect_fault("", 0, "entry point");
}

TEST(ShaderErrors, RecursionIsRefused) {
  expect_fault(kHead + "float f(float a) { return a > 0.0 ? f(a - 1.0) : 0.0; }\nvoid main() { result = f(x); }\n", 0,
               "Recursion");
}

TEST(ShaderErrors, LimitsAreNamed) {
  expect_fault(std::string(kMaxText + 1, ' '), 0, "1048577 bytes");
  expect_fault(kHead + "void main() { result = " + std::string(5000, '(') + "x" + std::string(5000, ')') + "; }", 3,
               "nested more than");
  std::string sum = kHead + "void main() { result = x";
  for (int i = 0; i < 20000; ++i) sum += "+x";
  expect_fault(sum + "; }", 3, "operators");
  expect_fault("#version 330\nuniform vec4 a[1000000]; out vec4 c;\nvoid main() { c = a[int(gl_FragCoord.x)]; }", 0,
               "4000000 numbers");
  std::string uniforms = "#version 330\nout vec4 c;\n", uses = "void main() { c = vec4(0.0)";
  for (int i = 0; i < 13; ++i) {  // of 16 000 numbers
    uniforms += "uniform vec4 a" + std::to_string(i) + "[4000];\n";
    uses += "+a" + std::to_string(i) + "[int(gl_FragCoord.x)]";
  }
  expect_fault(uniforms + uses + "; }", 0, "uniforms have more than");
}

TEST(ShaderErrors, WhatIsNotSupportedIsNamed) {
  expect_fault(
      "#version 450\n#extension GL_ARB_shader_group_vote : enable\nout vec4 c; void main() { c = "
      "vec4(anyInvocationARB(gl_FragCoord.x > 3.0)); }",
      3, "SPIR-V instruction 4429 is not supported");
  expect_fault("#version 400\nin float x; out float r;\nvoid main() {\n double d = double(x);\n r = float(d * d); }", 0,
               "32 bits");
  expect_fault("#version 430\nbuffer B { float v[]; }; out float r;\nvoid main() { r = v[0]; }", 0, "storage");
}

// Features that drivers accept in old text without a request or under an extension's name; errors keep their line
// numbers.
TEST(ShaderErrors, OldTextIsReadAsDriversReadIt) {
  const std::string rectangle =
      "uniform sampler2DRect map;\nvoid main() {\n gl_FragColor = texture2DRect(map, vec2(1.0))";
  const std::string level =
      "#version 120\n#extension GL_ARB_texture_query_lod : enable\nuniform sampler2D map;\n"
      "void main() {\n gl_FragColor = vec4(textureQueryLOD(map, gl_TexCoord[0].xy), 0.0, 1.0)";
  for (const std::string& text : {rectangle, level}) EXPECT_EQ(fault_of(text + ";\n}").what, "");
  expect_fault(rectangle + ";\n gl_FragColor = missing;\n}", 1, "sampler2DRect");
  expect_fault("#version 120\nvoid main() {\n gl_FragColor = missing;\n}", 3, "missing");
}

TEST(ShaderErrors, BrokenModulesAreRefused) {
  const std::string text = kHead + "void main() { result = x > 3.0 ? x : 2.0; }\n";
  const std::vector<uint32_t> good = compile_glsl({&text, 1});
  EXPECT_THROW(read_module({}), ShaderError);
  EXPECT_THROW(read_module({good.begin(), good.begin() + 20}), ShaderError);
  // Replaces each word in turn: the result is an error or a program, never a crash.
  for (size_t at = 5; at < good.size(); ++at) {
    for (const uint32_t word : {0u, 1u, 0xffffffffu, good[at] ^ 0x10000u, good[at] + 1}) {
      std::vector<uint32_t> changed = good;
      changed[at] = word;
      try {
        const Program program = translate(read_module(std::move(changed)));
        EXPECT_LT(program.code.size(), 1000u);
      } catch (const ShaderError&) {
      }
    }
  }
}

TEST(ShaderErrors, TheVerifierNoticesWrongPrograms) {
  const Program good = compiled(kHead + "void main() { for (int i = 0; i < int(x); ++i) result += x; }\n");
  const auto expect_wrong = [&](const std::function<void(Program&)>& change) {
    Program wrong = good;
    change(wrong);
    EXPECT_THROW(verify(wrong), std::logic_error);
  };
  verify(good);
  expect_wrong([](Program& p) {
    p.code.pop_back();
    p.code.erase(p.code.end() - 1);
  });
  expect_wrong([](Program& p) { p.code.back().operand[0] = Id(p.values.size()); });
  expect_wrong([](Program& p) { p.code.back().extra = 99; });
  expect_wrong([](Program& p) {
    for (Instruction& one : p.code)
      if (one.op == Op::repeat) one.op = Op::end_if;
  });
  expect_wrong([](Program& p) {
    for (Value& value : p.values) value.kind = Kind::whole;
  });
}

TEST(ShaderErrors, TextShowsStructure) {
  const std::string text = to_text(compiled(kHead + "void main() { for (int i = 0; i < int(x); ++i) result += x; }\n"));
  EXPECT_NE(text.find("begin_loop"), std::string::npos) << text;
  EXPECT_NE(text.find("# line 3"), std::string::npos) << text;
  EXPECT_NE(text.find("-> result"), std::string::npos) << text;
}

TEST(ShaderErrors, PreprocessedTextHasNoMacros) {
  const std::string text =
      preprocess_glsl("#version 120\n#define TWICE(a) (2.0 * a)\nvoid main() { gl_FragColor = vec4(TWICE(3.0)); }");
  EXPECT_EQ(text.find("TWICE"), std::string::npos) << text;
  EXPECT_NE(text.find("2.0 * 3.0"), std::string::npos) << text;
}

}  // namespace
}  // namespace brokkr::shader::test
