// The camera that is found in the uniforms of vertex programs.
#include "inspect/game_camera.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <glm/trigonometric.hpp>

#include "brokkr/vertex_stage.h"
#include "frame/bkf.h"

namespace brokkr {
namespace {

const glm::mat4 kProjection = glm::perspectiveRH_NO(glm::radians(50.0f), 1.5f, 0.5f, 90.0f);
const glm::mat4 kView = glm::lookAtRH(glm::vec3(3, 2, 8), glm::vec3(0, 1, 0), glm::vec3(0, 1, 0));

float apart(const glm::mat4& a, const glm::mat4& b) {
  float most = 0;
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 4; ++r) most = std::max(most, std::abs(a[c][r] - b[c][r]));
  }
  return most;
}

TEST(GameCamera, MatricesAreTakenApart) {
  const glm::mat4 model = glm::scale(glm::rotate(glm::mat4(1.0f), 0.7f, glm::vec3(0, 0, 1)), glm::vec3(2));
  const auto parts = take_apart(kProjection * kView * model);
  ASSERT_TRUE(parts.has_value());
  EXPECT_NEAR(parts->projection.fov(), 50, 1e-3);
  EXPECT_NEAR(parts->projection.aspect(), 1.5f, 1e-4);
  EXPECT_LT(apart(parts->projection.matrix(), kProjection), 1e-4f);
  EXPECT_LT(apart(parts->eye, kView * model), 1e-4f);
  const glm::mat4 frustum = glm::frustumRH_NO(-0.2f, 0.6f, -0.1f, 0.5f, 1.0f, 50.0f);  // off centre
  const auto shifted = take_apart(frustum * kView);
  ASSERT_TRUE(shifted.has_value());
  EXPECT_LT(apart(shifted->projection.matrix(), frustum), 1e-3f);
  const auto mirrored = take_apart(glm::scale(glm::mat4(1.0f), glm::vec3(1, -1, 1)) * kProjection * kView);
  ASSERT_TRUE(mirrored.has_value());
  EXPECT_LT(mirrored->projection.scale.y, 0);
  EXPECT_FALSE(take_apart(glm::orthoRH_NO(-1.f, 1.f, -1.f, 1.f, 0.1f, 9.f)).has_value());
  EXPECT_FALSE(take_apart(glm::mat4(0.0f)).has_value());
  const glm::mat4 sheared = kView * glm::mat4(1, 0.5f, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1);
  const auto known = take_apart(kProjection * sheared, parts->projection);
  ASSERT_TRUE(known.has_value());
  EXPECT_LT(apart(known->eye, sheared), 1e-4f);
  EXPECT_FALSE(take_apart(kProjection * kView * glm::mat4(1, 0.5f, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)));
}

#if defined(BROKKR_HAVE_SHADERS)

const std::vector<glm::vec3> kPoints = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {-1, 2, 0}};

struct Given {
  const char* name;
  ShaderType type;
  glm::mat4 value;
};

// A frame whose draws each have a vertex program with an attribute `at` and the uniforms given.
class Builder {
 public:
  Builder() {
    frame.targets = {{.id = 0, .width = 60, .height = 40}};
    frame.views = {{.target = 0}};
    frame.states.emplace_back().viewport = {0, 0, 60, 40};
    frame.materials.resize(1);
    for (const glm::vec3& point : kPoints) {
      for (int i = 0; i < 3; ++i) frame.attributes.push_back(std::bit_cast<uint32_t>(point[i]));
    }
  }
  void add(const std::string& position, const std::vector<Given>& uniforms) {
    VertexProgram program;
    VertexInputs inputs{.program = uint32_t(frame.vertex_programs.size()),
                        .attributes = {{0, uint32_t(kPoints.size()), 0}}};
    inputs.first_uniform = frame.uniforms.size();
    std::string text = "#version 330\nin vec3 at;\n";
    for (const Given& one : uniforms) {
      const ShaderShape shape = shape_of(one.type);
      text += std::string("uniform ") +
              (one.type == ShaderType::mat4   ? "mat4 "
               : one.type == ShaderType::mat3 ? "mat3 "
                                              : "vec4 ") +
              one.name + ";\n";
      program.uniforms.push_back(
          {.name = one.name, .type = one.type, .offset = uint32_t(4 * (frame.uniforms.size() - inputs.first_uniform))});
      for (uint32_t i = 0; i < shape.components(); ++i)
        frame.uniforms.push_back(std::bit_cast<uint32_t>(one.value[int(i / shape.rows)][int(i % shape.rows)]));
    }
    program.texts = {text + "void main() { gl_Position = " + position + "; }\n"};
    program.version = 330;
    program.attributes = {{"at", ShaderType::vec3}};
    frame.vertex_programs.push_back(program);
    frame.vertex_inputs.push_back(inputs);
    draw(int32_t(frame.vertex_inputs.size() - 1));
  }
  void draw(int32_t vertices) {
    DrawCommand draw;
    draw.first_vertex = frame.positions.size();
    draw.vertex_count = draw.element_count = uint32_t(kPoints.size());
    draw.vertices = vertices;
    frame.positions.resize(frame.positions.size() + kPoints.size());
    frame.commands.push_back(draw);
  }
  glm::mat4 uniform(const Frame& from, uint32_t draw, uint32_t number) const {
    const VertexInputs& inputs = from.vertex_inputs[draw];
    const ProgramUniform& one = from.vertex_programs[inputs.program].uniforms[number];
    const std::vector<uint32_t> words = uniform_words_of(from, inputs, one);
    glm::mat4 matrix(1.0f);
    const ShaderShape shape = shape_of(one.type);
    for (uint32_t i = 0; i < shape.components(); ++i)
      matrix[int(i / shape.rows)][int(i % shape.rows)] = std::bit_cast<float>(words[i]);
    return matrix;
  }
  Frame frame;
};

// The positions of a draw must be those of `clip_from_object`.
void expect_positions(const Frame& frame, uint32_t command, const glm::mat4& clip_from_object) {
  const auto& draw = std::get<DrawCommand>(frame.commands[command]);
  for (size_t i = 0; i < kPoints.size(); ++i) {
    const glm::vec4 is = frame.positions[draw.first_vertex + i], wanted = clip_from_object * glm::vec4(kPoints[i], 1);
    for (int c = 0; c < 4; ++c) EXPECT_NEAR(is[c], wanted[c], 2e-4f) << "command " << command << ", vertex " << i;
  }
}

glm::mat4 small(const glm::mat4& m) { return glm::mat4(glm::mat3(m)); }

TEST(GameCamera, MovesAllDrawsThroughTheirOwnUniforms) {
  Builder b;
  const glm::mat4 other = glm::translate(kView, glm::vec3(1, 0, -2));
  const glm::mat4 normal = glm::transpose(glm::inverse(small(kView)));
  const glm::mat4 menu = glm::orthoRH_NO(-2.f, 2.f, -2.f, 2.f, -2.f, 2.f);
  const glm::mat4 map = glm::perspectiveRH_NO(glm::radians(90.0f), 1.0f, 0.1f, 10.0f) * kView;
  b.add("projection * (view * vec4(at, 1.0))", {{"projection", ShaderType::mat4, kProjection},
                                                {"view", ShaderType::mat4, kView},
                                                {"normals", ShaderType::mat3, normal},
                                                {"gl_LightSource[0].position", ShaderType::vec4, glm::mat4(2.0f)}});
  b.add("all * vec4(at, 1.0)",
        {{"back", ShaderType::mat4, glm::inverse(other)}, {"all", ShaderType::mat4, kProjection * other}});
  b.add("vec4(at, 1.0) * rows", {{"rows", ShaderType::mat4, glm::transpose(kProjection * kView)}});
  b.add("menu * vec4(at, 1.0)", {{"menu", ShaderType::mat4, menu}});
  b.add("map * vec4(at, 1.0)", {{"map", ShaderType::mat4, map}});
  b.add("vec4(at, 1.0)", {});
  // OpenGL declares its lights itself.
  std::string& text = b.frame.vertex_programs[0].texts[0];
  const std::string declared = "uniform vec4 gl_LightSource[0].position;\n";
  text.erase(text.find(declared), declared.size());
  const glm::mat4 distorted = kView * glm::mat4(1, 0.5f, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 1, 0, 0, 1);
  b.add("part * vec4(at, 1.0)", {{"part", ShaderType::mat4, kProjection * distorted}});
  b.draw(-1);                                       // only computed vertices
  b.frame.commands.push_back(b.frame.commands[2]);  // shares program, inputs and vertices
  for (size_t i = 0; i < kPoints.size(); ++i)
    b.frame.positions[b.frame.positions.size() - kPoints.size() + i] = kProjection * kView * glm::vec4(kPoints[i], 1);
  const glm::mat4 sprite(0.25f, 0, 0, 0, 0, 0.25f, 0, 0, 0, 0, 1, 0, 1, 2, -9, 1);  // faces the camera
  b.add("all * vec4(at, 1.0)", {{"all", ShaderType::mat4, kProjection * sprite}});
  ASSERT_TRUE(shade_vertices(b.frame).empty());
  const std::vector<uint32_t> uniforms = b.frame.uniforms;

  const GameCamera camera = find_game_camera(b.frame);
  ASSERT_TRUE(camera.is_found());
  EXPECT_EQ(b.frame.uniforms, uniforms);
  EXPECT_NEAR(camera.projection.fov(), 50, 1e-2);
  EXPECT_EQ(camera.uniform_names(b.frame), "all of 2 draws, rows of 2 draws, part of 1 draw, view of 1 draw");
  ASSERT_EQ(camera.draws.size(), 7u);
  EXPECT_TRUE(camera.draw_of(7)->uniforms.empty());
  EXPECT_EQ(camera.draw_of(3), nullptr);
  EXPECT_EQ(camera.still.at(3), "no perspective view");
  EXPECT_EQ(camera.still.at(4), "another field of view than the camera's");
  EXPECT_EQ(camera.still.at(5), "no matrix in the program");
  EXPECT_NE(camera.limits().find("1 draw with only computed vertices"), std::string::npos) << camera.limits();
  EXPECT_NE(camera.limits().find("1 draw cannot move: another field of view than the camera's"), std::string::npos);

  Camera to = camera.captured();
  to.eye = {1, 0.5f, -2};
  to.target = {0, 0, -8};
  to.fov = 70;
  const glm::mat4 motion = glm::lookAtRH(to.eye, to.target, to.up);
  const glm::mat4 projection = glm::perspectiveRH_NO(glm::radians(70.0f), 1.5f, 0.5f, 90.0f);
  Frame moved = b.frame;
  EXPECT_TRUE(move_game_camera(moved, camera, to).empty());
  for (const uint32_t draw : {0u, 2u, 7u, 8u}) expect_positions(moved, draw, projection * motion * kView);
  expect_positions(moved, 1, projection * motion * other);
  expect_positions(moved, 9, projection * motion * sprite);
  expect_positions(moved, 6, projection * motion * distorted);
  expect_positions(moved, 3, menu);
  expect_positions(moved, 4, map);
  // Matrices and lights that shade the draws follow.
  EXPECT_LT(apart(b.uniform(moved, 0, 0), projection), 1e-4f);
  EXPECT_LT(apart(b.uniform(moved, 0, 1), motion * kView), 1e-4f);
  EXPECT_LT(apart(b.uniform(moved, 0, 2), small(motion) * normal), 1e-4f);
  EXPECT_LT(glm::length(b.uniform(moved, 0, 3)[0] - motion * glm::vec4(2, 0, 0, 0)), 1e-4f);
  EXPECT_LT(apart(b.uniform(moved, 1, 0), glm::inverse(motion * other)), 1e-3f);
}

TEST(GameCamera, EditsChangeOneDrawOnly) {
  Builder b;
  b.add("all * vec4(at, 1.0)", {{"all", ShaderType::mat4, kProjection * kView}});
  b.frame.vertex_inputs.push_back(b.frame.vertex_inputs[0]);  // shares the storage
  b.draw(1);
  ASSERT_TRUE(shade_vertices(b.frame).empty());
  std::vector<uint32_t> words =
      uniform_words_of(b.frame, b.frame.vertex_inputs[1], b.frame.vertex_programs[0].uniforms[0]);
  words[12] = std::bit_cast<uint32_t>(std::bit_cast<float>(words[12]) + 2);
  glm::mat4 edited = kProjection * kView;
  edited[3][0] += 2;
  Frame frame = b.frame;
  edit_uniforms(frame, {{{1, 0}, words}});
  ASSERT_TRUE(shade_vertices(frame).empty());
  expect_positions(frame, 0, kProjection * kView);
  expect_positions(frame, 1, edited);
  // The camera moves on from the user's values.
  const GameCamera camera = find_game_camera(b.frame);
  Camera to = camera.captured();
  to.eye.x = 1;
  Frame moved = frame;
  move_game_camera(moved, camera, to);
  const glm::mat4 motion = glm::lookAtRH(to.eye, to.target, to.up);
  expect_positions(moved, 0, kProjection * motion * kView);
  expect_positions(moved, 1, kProjection * motion * glm::inverse(kProjection) * edited);
}

TEST(GameCamera, FramesWithoutVertexProgramsHaveNone) {
  Builder b;
  b.draw(-1);
  EXPECT_FALSE(find_game_camera(b.frame).is_found());
  Builder flat;
  flat.add("vec4(at, 1.0)", {});
  ASSERT_TRUE(shade_vertices(flat.frame).empty());
  EXPECT_FALSE(find_game_camera(flat.frame).is_found());
}

#endif

}  // namespace
}  // namespace brokkr
