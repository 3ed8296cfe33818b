// Vertex shaders as programs: eighty texts in the style of games, their inputs and outputs, and refused programs.
#include <glm/mat4x4.hpp>

#include "run_shader.h"

namespace brokkr::shader::test {
namespace {

struct Text {
  std::string name, text;
};

// "//// NAME VERSION" begins a text.
std::vector<Text> all_texts() {
  std::istringstream file(text_of_file("vertices.txt"));
  std::vector<Text> all;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("//// ")) {
      all.back().text += line + "\n";
      continue;
    }
    const bool is_es = line.ends_with(" es");
    const size_t end = line.rfind(' ', is_es ? line.size() - 4 : std::string::npos);
    all.push_back({line.substr(5, end - 5), "#version " + line.substr(end + 1) + "\n"});
  }
  return all;
}

Program vertex_program(const std::string& text) {
  Program program = translate(read_module(compile_glsl({&text, 1}, Stage::vertex)));
  verify(program);
  fold(program, {}, *find_kernel(runnable_kernels().front()));
  sweep(program);
  verify(program);
  return program;
}

std::string refusal_of(const std::string& text) {
  try {
    vertex_program(text);
  } catch (const ShaderError& error) {
    return error.what();
  }
  return {};
}

const Output* output_of(const Program& program, const std::string& name) {
  for (const Output& output : program.outputs) {
    if (output.name == name) return &output;
  }
  return nullptr;
}
const Input* input_of(const Program& program, const std::string& name) {
  for (const Input& input : program.inputs) {
    if (input.name == name) return &input;
  }
  return nullptr;
}

TEST(VertexShaders, EightyTextsRunAlikeOnAllMachines) {
  const std::vector<Text> all = all_texts();
  ASSERT_EQ(all.size(), 80u);
  for (const Text& one : all) {
    SCOPED_TRACE(one.name);
    Program program;
    ASSERT_NO_THROW(
        try { program = vertex_program(one.text); } catch (const std::exception& error) {
          ADD_FAILURE() << error.what();
          throw;
        });
    EXPECT_EQ(program.stage, Stage::vertex);
    const Output* const position = output_of(program, "gl_Position");
    ASSERT_NE(position, nullptr);
    EXPECT_EQ(position->words, 4u);
    const std::vector<Kind> kinds = input_kinds(program);
    const Results results = run_everywhere(program, some_uniforms(program),
                                           [&](uint32_t word, int lane) { return some_bits(kinds[word], word, lane); });
    // Some output depends on the vertices.
    bool differs = program.input_words == 0;
    for (const auto& word : results.outputs)
      differs = differs || std::any_of(word.begin(), word.end(), [&](uint32_t bits) { return bits != word[0]; });
    EXPECT_TRUE(differs);
  }
}

// Fills inputs by name and component, and gives an output's lanes.
struct VertexRun {
  explicit VertexRun(const std::string& text) : program(vertex_program(text)), uniforms(program.uniform_words) {}
  void set(const std::string& name, const std::vector<float>& values) {
    for (const Uniform& uniform : program.uniforms) {
      if (uniform.name != name) continue;
      for (size_t i = 0; i < values.size(); ++i) uniforms[uniform.first + i] = std::bit_cast<uint32_t>(values[i]);
      return;
    }
    ADD_FAILURE() << "no uniform " << name;
  }
  void run(const std::function<uint32_t(const Input&, uint32_t, int)>& value) {
    results = run_everywhere(program, uniforms, [&](uint32_t word, int lane) {
      for (const Input& input : program.inputs) {
        if (word >= input.first && word - input.first < input.words) return value(input, word - input.first, lane);
      }
      return 0u;
    });
  }
  float at(const std::string& name, uint32_t component, int lane) {
    const Output* const output = output_of(program, name);
    EXPECT_NE(output, nullptr) << name;
    return output == nullptr ? 0 : results.number(output->first + component, lane);
  }
  Program program;
  std::vector<uint32_t> uniforms;
  Results results;
};

constexpr float kTurn[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1};  // a quarter about z, then a move

TEST(VertexShaders, MatricesAndFixedNames) {
  VertexRun run(
      "#version 110\nvoid main() { gl_Position = ftransform(); gl_FrontColor = gl_Color * 2.0; gl_TexCoord[1] = "
      "gl_MultiTexCoord0; gl_PointSize = gl_Vertex.x; }");
  run.set("gl_ModelViewProjectionMatrix", std::vector(std::begin(kTurn), std::end(kTurn)));
  run.run([](const Input& input, uint32_t i, int lane) {
    const float base = input.name == "gl_Vertex" ? (i == 3 ? 1.0f : float(lane) + float(i)) : 0.25f * float(i);
    return std::bit_cast<uint32_t>(base);
  });
  for (int lane = 0; lane < kSamples; ++lane) {
    const float x = float(lane), y = x + 1, z = x + 2;
    EXPECT_EQ(run.at("gl_Position", 0, lane), -y + 5);
    EXPECT_EQ(run.at("gl_Position", 1, lane), x + 6);
    EXPECT_EQ(run.at("gl_Position", 2, lane), z + 7);
    EXPECT_EQ(run.at("gl_Position", 3, lane), 1);
    EXPECT_EQ(run.at("gl_FrontColor", 2, lane), 1);
    EXPECT_EQ(run.at("gl_PointSize", 0, lane), x);
    EXPECT_EQ(run.at("gl_TexCoord", 4 + 3, lane), 0.75f);
  }
}

TEST(VertexShaders, NumbersOfVerticesAndInstances) {
  VertexRun run(R"(#version 460
flat out ivec2 numbers; out float rest;
void main() {
  numbers = ivec2(gl_VertexID, gl_InstanceID * 10);
  rest = float(gl_BaseVertex + gl_BaseInstance + gl_DrawID);
  gl_Position = vec4(0.0);
})");
  run.run([](const Input& input, uint32_t, int lane) {
    if (input.name == "gl_VertexID") return uint32_t(lane);
    return input.name == "gl_InstanceID" ? uint32_t(lane / 8) : 2u;
  });
  for (int lane = 0; lane < kSamples; ++lane) {
    EXPECT_EQ(std::bit_cast<int>(run.at("numbers", 0, lane)), lane);
    EXPECT_EQ(std::bit_cast<int>(run.at("numbers", 1, lane)), lane / 8 * 10);
    EXPECT_EQ(run.at("rest", 0, lane), 6);
  }
}

// Each vertex selects its bones.
TEST(VertexShaders, SkinningReadsEachVertexsBones) {
  VertexRun run(R"(#version 330
in vec4 position; in ivec2 bones; in vec2 weights; uniform vec4 moves[10];
void main() { gl_Position = position + moves[bones.x] * weights.x + moves[bones.y] * weights.y; })");
  std::vector<float> moves;
  for (int i = 0; i < 40; ++i) moves.push_back(float(i / 4 * 100));
  run.set("moves", moves);
  run.run([](const Input& input, uint32_t i, int lane) {
    if (input.name == "bones") return uint32_t((lane + int(i) * 3) % 10);
    return std::bit_cast<uint32_t>(input.name == "weights" ? (i == 0 ? 0.25f : 0.75f) : 1.0f);
  });
  for (int lane = 0; lane < kSamples; ++lane)
    EXPECT_EQ(run.at("gl_Position", 2, lane), 1 + 25.0f * float(lane % 10) + 75.0f * float((lane + 3) % 10));
}

TEST(VertexShaders, OutputsHaveTheNamesOfTheInputsThatReadThem) {
  const std::string outputs = R"(
INOUT vec2 uv; flat INOUT ivec3 whole; INOUT mat3 frame; noperspective INOUT float rows[3];
INOUT Block { vec3 normal; float rest[2]; } block; INOUT Loose { vec4 alone; };
struct S { vec2 a; float b; }; INOUT S one;)";
  const auto with = [&](const char* word) {
    std::string text = outputs;
    for (size_t at = text.find("INOUT"); at != std::string::npos; at = text.find("INOUT")) text.replace(at, 5, word);
    return text;
  };
  const Program vertex = vertex_program("#version 330\n" + with("out") + R"(
void main() {
  uv = vec2(1); whole = ivec3(2); frame = mat3(3); for (int i = 0; i < 3; ++i) rows[i] = 4.0;
  block.normal = vec3(5); block.rest[1] = 6.0; block.rest[0] = 1.0; alone = vec4(7); one = S(vec2(8), 9.0); gl_Position = vec4(0);
})");
  const std::string text = "#version 330\n" + with("in") + R"(
out vec4 color;
void main() {
  color = vec4(uv + vec2(whole), frame[2][0] + rows[2], block.normal.x) + alone + one.b + block.rest[0] + one.a.x; })";
  const Program fragment = translate(read_module(compile_glsl({&text, 1})));
  EXPECT_EQ(fragment.inputs.size(), 9u);
  for (const Input& input : fragment.inputs) {
    const Output* const output = output_of(vertex, input.name);
    ASSERT_NE(output, nullptr) << input.name;
    EXPECT_EQ(output->words, input.words) << input.name;
  }
}

TEST(VertexShaders, OutputsThatAreNotWrittenAreLeftOut) {
  const Program program = vertex_program("#version 330\nout vec4 a, b; void main() { a = vec4(1.0); }");
  EXPECT_NE(output_of(program, "a"), nullptr);
  EXPECT_EQ(output_of(program, "b"), nullptr);
  EXPECT_EQ(output_of(program, "gl_Position"), nullptr);
}

TEST(VertexShaders, AttributesOfAllTypes) {
  const Program program = vertex_program(R"(#version 330
in mat4 m; in mat2x3 n; in uvec2 u; in int i; in float many[2];
void main() { gl_Position = m[3] + vec4(n[1], 0) + vec4(u, i, many[1]); })");
  EXPECT_EQ(input_of(program, "m")->words, 16u);
  EXPECT_EQ(input_of(program, "n")->words, 6u);
  EXPECT_EQ(input_of(program, "u")->words, 2u);
  EXPECT_EQ(input_of(program, "many")->words, 2u);
}

TEST(VertexShaders, WhatIsRefused) {
  EXPECT_NE(refusal_of("#version 330\nvoid main() { gl_Position = dFdx(vec4(gl_VertexID)); }"), "");
  EXPECT_NE(refusal_of("#version 330\nvoid main() { discard; }"), "");
  EXPECT_NE(
      refusal_of("#version 430\nlayout(std430) buffer B { float x[]; }; void main() { gl_Position = vec4(x[0]); }"),
      "");
  EXPECT_NE(refusal_of("#version 400\nin dvec4 p; void main() { gl_Position = vec4(p); }"), "");
  EXPECT_NE(refusal_of("#version 330\nout vec4 gl_FragColor; void main() { }"), "");
  EXPECT_NE(refusal_of("#version 330\nvoid main() { gl_Position = vec4(nothing); }"), "");
}

TEST(VertexShaders, SeveralTextsAreLinked) {
  const std::vector<std::string> texts = {
      "#version 120\nvec4 moved(vec4 p);\nvoid main() { gl_Position = moved(gl_Vertex); }",
      "#version 120\nvec4 moved(vec4 p) { return p + vec4(1.0); }"};
  const Program program = translate(read_module(compile_glsl(texts, Stage::vertex)));
  EXPECT_NE(output_of(program, "gl_Position"), nullptr);
}

}  // namespace
}  // namespace brokkr::shader::test
