// core SAMPLES: an OpenGL 4.5 program of the core profile for tests of imported frames. Each frame uses what RenderDoc
// captures in OpenGL: a compute shader that writes a texture, several colours of one target, instances, integer and
// normalized attributes, uniform blocks and arrays, indirect draws with restart indices, a cube map, an array texture,
// a geometry shader, a tessellated patch, and clip space as Vulkan's. SAMPLES: samples of a window's pixel.
//
// It draws the same picture until it is ended.

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <numbers>
#include <utility>
#include <vector>

#include "program.h"

namespace {

constexpr int kTarget = 128;  // pixels of the off-screen target's sides
constexpr int kInstances = 5;

GLuint compile(std::initializer_list<std::pair<GLenum, const char*>> stages) {
  const GLuint program = glCreateProgram();
  for (const auto& [kind, text] : stages) {
    const GLuint shader = glCreateShader(kind);
    const std::array<const char*, 2> texts = {"#version 450\n", text};
    glShaderSource(shader, 2, texts.data(), nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
  }
  glLinkProgram(program);
  GLint linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  if (linked == 0) {
    std::array<char, 1000> log{};
    glGetProgramInfoLog(program, GLsizei(log.size()), nullptr, log.data());
    std::fprintf(stderr, "%s\n", log.data());
    std::exit(1);
  }
  return program;
}

GLuint make_texture(GLenum kind, GLenum format, int layers, GLenum filter) {
  GLuint name = 0;
  glGenTextures(1, &name);
  glBindTexture(kind, name);
  if (layers > 0 && kind != GL_TEXTURE_CUBE_MAP) {
    glTexStorage3D(kind, 1, format, 16, 16, layers);
  } else {
    const int side = kind == GL_TEXTURE_CUBE_MAP ? 16 : kTarget;
    glTexStorage2D(kind, 1, format, side, side);
  }
  glTexParameteri(kind, GL_TEXTURE_MIN_FILTER, GLint(filter));
  glTexParameteri(kind, GL_TEXTURE_MAG_FILTER, GLint(filter));
  return name;
}

std::vector<uint8_t> texels(int layer) {
  std::vector<uint8_t> result(16 * 16 * 4);
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = uint8_t(i * (5 + size_t(layer)) + i / 64 * 29 + size_t(layer) * 40);
  return result;
}

GLuint make_buffer(GLenum kind, const void* data, size_t bytes) {
  GLuint name = 0;
  glGenBuffers(1, &name);
  glBindBuffer(kind, name);
  glBufferData(kind, GLsizeiptr(bytes), data, GL_STATIC_DRAW);
  return name;
}

struct Vertex {
  float x, y, z;
  std::array<uint8_t, 4> color;
  int16_t number, unused;
};

struct Scene {
  GLuint compute, instanced, shown, spikes, patch;      // programs
  GLuint first, second, depth, computed, layers, cube;  // textures
  GLuint framebuffer, mesh, quad, vertices, offsets, block, commands;
} scene{};

void make_programs() {
  scene.compute = compile({{GL_COMPUTE_SHADER, R"(
    layout(local_size_x = 8, local_size_y = 8) in;
    layout(rgba8) writeonly uniform image2D to;
    void main() {
      ivec2 at = ivec2(gl_GlobalInvocationID.xy);
      imageStore(to, at, vec4(vec2(at) / 128.0, float((at.x ^ at.y) & 31) / 31.0, 1));
    })"}});
  scene.instanced = compile({{GL_VERTEX_SHADER, R"(
    layout(location = 0) in vec3 position;
    layout(location = 1) in vec4 color;
    layout(location = 2) in int number;
    layout(location = 3) in vec2 offset;
    layout(std140) uniform Turn { mat2 turn; vec4 tint[2]; };
    out vec4 shade;
    flat out int side;
    void main() {
      shade = color * tint[number & 1];
      side = number;
      gl_Position = vec4(turn * position.xy * 0.3 + offset, position.z + 0.125 * float(gl_InstanceID) - 0.25, 1);
    })"},
                             {GL_FRAGMENT_SHADER, R"(
    in vec4 shade;
    flat in int side;
    layout(location = 0) out vec4 first;
    layout(location = 1) out vec4 second;
    void main() {
      first = shade;
      second = vec4(float(side) / 8.0, gl_FragCoord.xy / 128.0, 1);
    })"}});
  scene.shown = compile({{GL_VERTEX_SHADER, R"(
    out vec2 uv;
    flat out int part;
    void main() {
      vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
      part = gl_InstanceID;
      uv = corner;
      vec2 low = vec2(-0.95 + 0.65 * float(part % 3), part < 3 ? -0.95 : 0.05);
      gl_Position = vec4(low + corner * vec2(0.6, 0.8), 0.5, 1);
    })"},
                         {GL_FRAGMENT_SHADER, R"(
    in vec2 uv;
    flat in int part;
    layout(binding = 0) uniform sampler2D first;
    layout(binding = 1) uniform sampler2D second;
    layout(binding = 2) uniform sampler2D depth;
    layout(binding = 3) uniform sampler2D computed;
    layout(binding = 4) uniform sampler2DArray layers;
    layout(binding = 5) uniform samplerCube cube;
    uniform vec4 weights[6];
    out vec4 color;
    void main() {
      vec4 found = vec4(0);
      if (part == 0) found = texture(first, uv);
      if (part == 1) found = texture(second, uv);
      if (part == 2) found = vec4(texture(depth, uv).x);
      if (part == 3) found = texture(computed, uv);
      if (part == 4) found = texture(layers, vec3(uv, floor(uv.y * 3.0)));
      if (part == 5) found = texture(cube, vec3(uv * 2.0 - 1.0, 0.4));
      color = found * weights[part];
    })"}});
  scene.spikes = compile({{GL_VERTEX_SHADER, R"(
    void main() { gl_Position = vec4(-0.8 + 0.4 * float(gl_VertexID), 0.9, 0.2, 1); })"},
                          {GL_GEOMETRY_SHADER, R"(
    layout(points) in;
    layout(triangle_strip, max_vertices = 3) out;
    out vec3 tone;
    void main() {
      for (int i = 0; i < 3; ++i) {
        tone = vec3(i == 0, i == 1, i == 2);
        gl_Position = gl_in[0].gl_Position + vec4(0.1 * float(i - 1), i == 1 ? -0.3 : 0.0, 0, 0);
        EmitVertex();
      }
    })"},
                          {GL_FRAGMENT_SHADER, R"(
    in vec3 tone;
    out vec4 color;
    void main() { color = vec4(tone, 0.75); })"}});
  scene.patch = compile({{GL_VERTEX_SHADER, R"(
    void main() { gl_Position = vec4(0.6 * float(gl_VertexID - 1), gl_VertexID == 1 ? 0.15 : -0.15, 0.1, 1); })"},
                         {GL_TESS_CONTROL_SHADER, R"(
    layout(vertices = 3) out;
    void main() {
      gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
      gl_TessLevelOuter = float[](3, 3, 3, 0);
      gl_TessLevelInner = float[](3, 0);
    })"},
                         {GL_TESS_EVALUATION_SHADER, R"(
    layout(triangles, equal_spacing, ccw) in;
    out vec3 place;
    void main() {
      place = gl_TessCoord;
      gl_Position = gl_in[0].gl_Position * place.x + gl_in[1].gl_Position * place.y + gl_in[2].gl_Position * place.z;
      gl_Position.y += 0.2 * place.x * place.z;
    })"},
                         {GL_FRAGMENT_SHADER, R"(
    in vec3 place;
    out vec4 color;
    void main() { color = vec4(place, 0.5); })"}});
}

void make_mesh() {
  // Two triangle strips, of a ring and of a square, with a restart index between them.
  std::vector<Vertex> vertices;
  std::vector<uint16_t> indices;
  for (int i = 0; i <= 12; ++i) {
    const float angle = std::numbers::pi_v<float> / 6 * float(i);
    for (const float radius : {0.6f, 1.0f}) {
      indices.push_back(uint16_t(vertices.size()));
      vertices.push_back({radius * std::cos(angle),
                          radius * std::sin(angle),
                          0.1f * radius,
                          {uint8_t(20 * i), uint8_t(255 - 20 * i), uint8_t(200 * radius), 255},
                          int16_t(i % 8),
                          0});
    }
  }
  indices.push_back(0xffff);
  for (int i = 0; i < 4; ++i) {
    indices.push_back(uint16_t(vertices.size()));
    vertices.push_back(
        {i % 2 != 0 ? 0.4f : -0.4f, i / 2 != 0 ? 0.4f : -0.4f, 0.2f, {255, uint8_t(80 * i), 0, 255}, int16_t(-i), 0});
  }
  std::array<float, size_t(2) * kInstances> offsets{};
  for (int i = 0; i < kInstances; ++i) {
    offsets[size_t(2 * i)] = -0.6f + 0.3f * float(i);
    offsets[size_t(2 * i + 1)] = 0.2f * float(i % 3) - 0.2f;
  }
  glGenVertexArrays(1, &scene.mesh);
  glBindVertexArray(scene.mesh);
  scene.vertices = make_buffer(GL_ARRAY_BUFFER, vertices.data(), vertices.size() * sizeof(Vertex));
  const auto at = [](size_t byte) { return reinterpret_cast<const void*>(byte); };
  glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(Vertex), at(0));
  glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(Vertex), at(12));
  glVertexAttribIPointer(2, 1, GL_SHORT, sizeof(Vertex), at(16));
  scene.offsets = make_buffer(GL_ARRAY_BUFFER, offsets.data(), sizeof offsets);
  glVertexAttribPointer(3, 2, GL_FLOAT, GL_FALSE, 0, at(0));
  glVertexAttribDivisor(3, 1);
  for (GLuint i = 0; i < 4; ++i) glEnableVertexAttribArray(i);
  make_buffer(GL_ELEMENT_ARRAY_BUFFER, indices.data(), indices.size() * sizeof indices[0]);
  const std::array<GLuint, 5> command = {GLuint(indices.size()), kInstances, 0, 0, 0};
  scene.commands = make_buffer(GL_DRAW_INDIRECT_BUFFER, command.data(), sizeof command);
  glGenVertexArrays(1, &scene.quad);
}

void make_scene() {
  make_programs();
  scene.first = make_texture(GL_TEXTURE_2D, GL_RGBA8, 0, GL_LINEAR);
  scene.second = make_texture(GL_TEXTURE_2D, GL_RGBA16F, 0, GL_LINEAR);
  scene.depth = make_texture(GL_TEXTURE_2D, GL_DEPTH_COMPONENT24, 0, GL_NEAREST);
  scene.computed = make_texture(GL_TEXTURE_2D, GL_RGBA8, 0, GL_LINEAR);
  scene.layers = make_texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 3, GL_LINEAR);
  for (int layer = 0; layer < 3; ++layer)
    glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, layer, 16, 16, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels(layer).data());
  scene.cube = make_texture(GL_TEXTURE_CUBE_MAP, GL_SRGB8_ALPHA8, 6, GL_LINEAR);
  for (int face = 0; face < 6; ++face)
    glTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + GLenum(face), 0, 0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE,
                    texels(face).data());
  glGenFramebuffers(1, &scene.framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, scene.framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, scene.first, 0);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, scene.second, 0);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, scene.depth, 0);
  make_mesh();
  const std::array<float, 16> turn = {0.8f, 0.6f, 0, 0, -0.6f, 0.8f, 0, 0, 1, 1, 1, 1, 0.5f, 1, 0.75f, 1};
  scene.block = make_buffer(GL_UNIFORM_BUFFER, turn.data(), sizeof turn);
  std::array<float, 24> weights{};
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = 1.0f - 0.02f * float(i);
  glUseProgram(scene.shown);
  glUniform4fv(glGetUniformLocation(scene.shown, "weights"), 6, weights.data());
}

void draw_target() {
  glUseProgram(scene.compute);
  glBindImageTexture(0, scene.computed, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
  glDispatchCompute(kTarget / 8, kTarget / 8, 1);
  glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);

  glBindFramebuffer(GL_FRAMEBUFFER, scene.framebuffer);
  const std::array<GLenum, 2> buffers = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
  glDrawBuffers(2, buffers.data());
  glViewport(0, 0, kTarget, kTarget);
  glClearColor(0.2f, 0.3f, 0.4f, 1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glEnable(GL_DEPTH_TEST);
  glClipControl(GL_UPPER_LEFT, GL_ZERO_TO_ONE);
  glEnable(GL_PRIMITIVE_RESTART);
  glPrimitiveRestartIndex(0xffff);
  glUseProgram(scene.instanced);
  glBindVertexArray(scene.mesh);
  glBindBufferBase(GL_UNIFORM_BUFFER, 0, scene.block);
  glBindBuffer(GL_DRAW_INDIRECT_BUFFER, scene.commands);
  glDrawElementsIndirect(GL_TRIANGLE_STRIP, GL_UNSIGNED_SHORT, nullptr);
  glDisable(GL_PRIMITIVE_RESTART);
  glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
}

void draw_window() {
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, kSize, kSize);
  glClearColor(0.1f, 0.1f, 0.3f, 1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  const std::array<GLuint, 6> bound = {scene.first,    scene.second, scene.depth,
                                       scene.computed, scene.layers, scene.cube};
  glBindTextures(0, GLsizei(bound.size()), bound.data());
  glUseProgram(scene.shown);
  glBindVertexArray(scene.quad);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 6);
  glEnable(GL_BLEND);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  glUseProgram(scene.spikes);
  glDrawArrays(GL_POINTS, 0, 5);
  glUseProgram(scene.patch);
  glPatchParameteri(GL_PATCH_VERTICES, 3);
  glDrawArrays(GL_PATCHES, 0, 3);
  glDisable(GL_BLEND);
}

void draw() {
  draw_target();
  draw_window();
}

}  // namespace

int main(int count, char** words) {
  return show(make_scene, draw, {.core = true, .samples = count > 1 ? std::atoi(words[1]) : 0});
}
