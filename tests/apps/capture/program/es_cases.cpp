// The cases of OpenGL ES: each is a frame in a context of OpenGL ES 3.2. They are drawn with --es.
#include "cases.h"
#include "scene.h"

#include <array>
#include <cmath>
#include <vector>

namespace scene {
namespace {

// GLSL ES 1.00, without #version. The branch that another language would take draws nothing.
constexpr const char* kOldVertex = R"(
attribute vec2 place;
varying vec2 uv;
uniform mat3 turn[2];
void main() {
  uv = place * 0.5 + 0.5;
  gl_Position = vec4((turn[1] * vec3(place, 1.0)).xy, 0.25, 1.0);
})";
constexpr const char* kOldFragment = R"(
#ifdef GL_ES
precision mediump float;
#else
#define texture2D(image, at) vec4(0.0)
#endif
varying vec2 uv;
uniform sampler2D letters, shades, small;
void main() {
  vec4 shade = texture2D(shades, uv);
  gl_FragColor = vec4(shade.rgb * shade.a, texture2D(letters, uv).a) + 0.5 * texture2D(small, uv);
})";

// GLSL ES 3.00.
constexpr const char* kBlockVertex = R"(#version 300 es
layout(location = 0) in vec3 place;
layout(location = 1) in ivec2 pace;
layout(std140) uniform Moves { vec4 offset[4]; mat4 turn; };
out vec3 uvw;
flat out int which;
void main() {
  uvw = place * 0.5 + 0.5;
  which = pace.x + gl_InstanceID;
  gl_Position = turn * vec4(place, 1.0) + offset[gl_InstanceID];
})";
constexpr const char* kBlockFragment = R"(#version 300 es
precision highp float;
precision highp isampler2D;
precision mediump sampler2DArray;
in vec3 uvw;
flat in int which;
uniform isampler2D numbers;
uniform sampler2DArray layers;
uniform sampler2D bright;
layout(location = 0) out vec4 color;
void main() {
  int number = texelFetch(numbers, ivec2(which & 3, int(uvw.y * 4.0)), 0).r;
  color = texture(layers, vec3(uvw.xy, float(which & 1))) * float(number) / 16.0 + 0.125 * texture(bright, uvw.xy);
  color.a = 1.0;
})";
constexpr const char* kShowVertex = R"(#version 300 es
layout(location = 0) in vec2 place;
out vec2 uv;
void main() { uv = place * 0.5 + 0.5; gl_Position = vec4(place, 0.0, 1.0); })";
constexpr const char* kShowFragment = R"(#version 300 es
precision highp float;
in vec2 uv;
uniform sampler2D drawn;
uniform highp sampler2D deep;
out vec4 color;
void main() { color = vec4(texture(drawn, uv).rgb, 1.0) - 0.25 * texture(deep, uv).r; })";

// GLSL ES 3.10, separable.
constexpr const char* kPointVertex = R"(#version 310 es
layout(location = 0) in vec4 place;
layout(location = 0) out vec4 tint;
uniform vec2 offset;
void main() {
  tint = vec4(fract(place.xyz), 1.0);
  gl_Position = vec4(place.xy + offset, place.zw);
  gl_PointSize = 5.0;
})";
constexpr const char* kPointFragment = R"(#version 310 es
precision highp float;
layout(location = 0) in vec4 tint;
layout(location = 0) out vec4 color;
void main() {
  if (length(gl_PointCoord - 0.5) > 0.5) discard;
  color = tint * gl_PointCoord.y;
})";

constexpr const char* kTintFragment = R"(#version 310 es
precision highp float;
layout(location = 0) centroid in vec4 tint;
layout(location = 0) out vec4 color;
void main() { color = tint; })";

// GLSL ES 3.20.
constexpr const char* kWideVertex = R"(#version 320 es
layout(location = 0) in vec4 place;
void main() { gl_Position = place; })";
constexpr const char* kWideGeometry = R"(#version 320 es
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
out vec2 uv;
void main() {
  for (int i = 0; i < 3; i++) {
    uv = vec2(i & 1, i >> 1);
    gl_Position = gl_in[0].gl_Position + vec4(0.25 * uv, 0.0, 0.0);
    EmitVertex();
  }
})";
constexpr const char* kPlainFragment = R"(#version 320 es
precision highp float;
out vec4 color;
void main() { color = vec4(0.25, 0.5, 0.75, 1.0); })";
constexpr const char* kWideFragment = R"(#version 320 es
precision highp float;
in vec2 uv;
uniform sampler2D shades;
layout(location = 0) out vec4 color;
void main() {
  precise vec4 four = textureGather(shades, uv);
  color = vec4(four.xyz, 1.0);
  gl_FragDepth = gl_FragCoord.z * 0.5;
})";

GLuint texture(GLenum target, GLenum filter) {
  GLuint name = 0;
  glGenTextures(1, &name);
  glBindTexture(target, name);
  glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GLint(filter));
  glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GLint(filter));
  glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return name;
}

std::vector<GLubyte> bytes(size_t count) {
  std::vector<GLubyte> all(count);
  for (size_t i = 0; i < count; i++) all[i] = GLubyte(i * 37 + 11);
  return all;
}

// A texture of that format on a unit.
GLuint put_on_unit(GLuint unit, GLint internal, GLenum format, GLenum type, GLenum filter) {
  glActiveTexture(GL_TEXTURE0 + unit);
  const GLuint name = texture(GL_TEXTURE_2D, filter);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, internal, 4, 4, 0, format, type, bytes(256).data());
  return name;
}

void set(GLuint program, const char* name, GLint value) { glUniform1i(glGetUniformLocation(program, name), value); }

void draw_old() {
  const GLuint program = link({compile(GL_VERTEX_SHADER, kOldVertex), compile(GL_FRAGMENT_SHADER, kOldFragment)});
  glUseProgram(program);
  put_on_unit(0, GL_ALPHA, GL_ALPHA, GL_UNSIGNED_BYTE, GL_LINEAR);
  put_on_unit(1, GL_LUMINANCE_ALPHA, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, GL_LINEAR);
  put_on_unit(2, GL_RGB, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, GL_LINEAR);
  set(program, "letters", 0);
  set(program, "shades", 1);
  set(program, "small", 2);
  const float turns[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0.75f, 0.25f, 0, -0.25f, 0.75f, 0, 0.125f, 0, 1};
  glUniformMatrix3fv(glGetUniformLocation(program, "turn"), 2, GL_FALSE, turns);
  const float corners[] = {-1, -1, 1, -1, 1, 1, -1, 1};
  const GLubyte order[] = {0, 1, 2, 0, 2, 3};
  const auto place = GLuint(glGetAttribLocation(program, "place"));
  glVertexAttribPointer(place, 2, GL_FLOAT, GL_FALSE, 0, corners);  // of the client
  glEnableVertexAttribArray(place);
  glEnable(GL_BLEND);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, order);
  glDisable(GL_BLEND);
  glLineWidth(1);
  glDrawArrays(GL_LINE_LOOP, 0, 4);
  glDisableVertexAttribArray(place);
  glActiveTexture(GL_TEXTURE0);
}

GLuint buffer_of(GLenum target, const std::vector<float>& values) {
  GLuint name = 0;
  glGenBuffers(1, &name);
  glBindBuffer(target, name);
  glBufferData(target, GLsizeiptr(values.size() * sizeof(float)), values.data(), GL_STATIC_DRAW);
  return name;
}

void draw_blocks() {
  GLuint array = 0, framebuffer = 0, numbers = 0;
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  buffer_of(GL_ARRAY_BUFFER, {-0.5f, -0.5f, -0.5f, 0.5f, -0.5f, 0, 0, 0.5f, 0.5f});
  glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, nullptr);
  glEnableVertexAttribArray(0);
  glVertexAttribI4i(1, 1, 2, 0, 0);
  // The offsets, and a matrix.
  std::vector<float> moves = {-0.5f, -0.5f, 0, 0, 0.5f, -0.5f, 0.25f, 0, -0.5f, 0.5f, 0.5f, 0, 0.375f, 0.25f, 0, 0};
  const float turn[] = {0.75f, 0.25f, 0, 0, -0.25f, 0.75f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  moves.insert(moves.end(), std::begin(turn), std::end(turn));
  const GLuint block = buffer_of(GL_UNIFORM_BUFFER, moves);
  const GLuint program = link({compile(GL_VERTEX_SHADER, kBlockVertex), compile(GL_FRAGMENT_SHADER, kBlockFragment)});
  glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Moves"), 3);
  glBindBufferBase(GL_UNIFORM_BUFFER, 3, block);
  glUseProgram(program);
  set(program, "numbers", 0);
  set(program, "layers", 1);
  set(program, "bright", 2);
  put_on_unit(0, GL_R8I, GL_RED_INTEGER, GL_BYTE, GL_NEAREST);
  glActiveTexture(GL_TEXTURE1);
  texture(GL_TEXTURE_2D_ARRAY, GL_LINEAR);
  glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA8, 4, 4, 2);
  glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, 4, 4, 2, GL_RGBA, GL_UNSIGNED_BYTE, bytes(128).data());
  glActiveTexture(GL_TEXTURE2);
  texture(GL_TEXTURE_2D, GL_LINEAR);
  std::vector<float> bright(48);
  for (size_t i = 0; i < bright.size(); i++) bright[i] = float(i) / 16;
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R11F_G11F_B10F, 4, 4, 0, GL_RGB, GL_FLOAT, bright.data());
  glGenSamplers(1, &numbers);
  glSamplerParameteri(numbers, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glSamplerParameteri(numbers, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glBindSampler(0, numbers);
  // Draws to a texture with a depth texture, and shows both.
  glActiveTexture(GL_TEXTURE3);
  const GLuint drawn = texture(GL_TEXTURE_2D, GL_LINEAR);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, kSize, kSize);
  glActiveTexture(GL_TEXTURE4);
  const GLuint deep = texture(GL_TEXTURE_2D, GL_NEAREST);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT, kSize, kSize, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, nullptr);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, drawn, 0);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, deep, 0);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glDrawArraysInstanced(GL_TRIANGLES, 0, 3, 4);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glBindSampler(0, 0);
  const GLuint show = link({compile(GL_VERTEX_SHADER, kShowVertex), compile(GL_FRAGMENT_SHADER, kShowFragment)});
  glUseProgram(show);
  set(show, "drawn", 3);
  set(show, "deep", 4);
  buffer_of(GL_ARRAY_BUFFER, {-1, -1, 0.75f, -1, -1, 0.875f, 0.75f, 0.875f});
  glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
  glDisable(GL_DEPTH_TEST);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glEnable(GL_DEPTH_TEST);
  glBindVertexArray(0);
  glActiveTexture(GL_TEXTURE0);
}

// All vertices of the scene, in attribute 0 of a new array.
void use_vertices() {
  GLuint array = 0, buffer = 0;
  const std::vector<Vertex> all = vertices();
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(all.size() * sizeof(Vertex)), all.data(), GL_STATIC_DRAW);
  glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
  glEnableVertexAttribArray(0);
}

void draw_points_and_samples() {
  use_vertices();
  GLuint pipeline = 0, framebuffers[2] = {}, stores[3] = {};
  glUseProgram(0);
  const GLuint vertex = glCreateShaderProgramv(GL_VERTEX_SHADER, 1, &kPointVertex);
  const GLuint fragment = glCreateShaderProgramv(GL_FRAGMENT_SHADER, 1, &kPointFragment);
  const GLuint tint = glCreateShaderProgramv(GL_FRAGMENT_SHADER, 1, &kTintFragment);
  for (const GLuint program : {vertex, fragment, tint}) note_program(program);
  glGenProgramPipelines(1, &pipeline);
  glBindProgramPipeline(pipeline);
  glUseProgramStages(pipeline, GL_VERTEX_SHADER_BIT, vertex);
  glUseProgramStages(pipeline, GL_FRAGMENT_SHADER_BIT, tint);
  glProgramUniform2f(vertex, glGetUniformLocation(vertex, "offset"), 0.0625f, 0.03125f);
  // OpenGL ES resolves samples only to the same format, which that of a window may not be.
  glGenFramebuffers(2, framebuffers);
  glGenRenderbuffers(3, stores);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
  glBindRenderbuffer(GL_RENDERBUFFER, stores[2]);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, kSize, kSize);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, stores[2]);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
  glBindRenderbuffer(GL_RENDERBUFFER, stores[0]);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, kSize, kSize);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, stores[0]);
  glBindRenderbuffer(GL_RENDERBUFFER, stores[1]);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_DEPTH24_STENCIL8, kSize, kSize);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, stores[1]);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
  glDrawArrays(GL_TRIANGLES, 0, 60);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffers[1]);
  glBlitFramebuffer(0, 0, kSize, kSize, 0, 0, kSize, kSize, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[1]);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glBlitFramebuffer(0, 0, kSize, kSize, 0, 0, kSize, kSize, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glUseProgramStages(pipeline, GL_FRAGMENT_SHADER_BIT, fragment);
  glDrawArrays(GL_POINTS, 0, kVertices);
  glBindProgramPipeline(0);
  glBindVertexArray(0);
}

void draw_wide() {
  use_vertices();
  const GLuint program = link({compile(GL_VERTEX_SHADER, kWideVertex), compile(GL_GEOMETRY_SHADER, kWideGeometry),
                               compile(GL_FRAGMENT_SHADER, kWideFragment)});
  glUseProgram(program);
  put_on_unit(0, GL_LUMINANCE, GL_LUMINANCE, GL_UNSIGNED_BYTE, GL_LINEAR);
  set(program, "shades", 0);
  glEnable(GL_CULL_FACE);
  glDrawElementsBaseVertex(GL_POINTS, GLsizei(kIndices.size()), GL_UNSIGNED_INT, kIndices.data(), 0);
  glDisable(GL_CULL_FACE);
  glBindVertexArray(0);
}

// Clears parts of what it has drawn, and draws again where the stencil was cleared.
void draw_parts_es() {
  use_vertices();
  const GLuint program = link({compile(GL_VERTEX_SHADER, kWideVertex), compile(GL_FRAGMENT_SHADER, kPlainFragment)});
  glUseProgram(program);
  glDisable(GL_DEPTH_TEST);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 20);
  clear_parts_es();
  glDrawArrays(GL_TRIANGLE_STRIP, 16, 24);
  glDisable(GL_STENCIL_TEST);
  glClearColor(0, 0, 0, 0);
  glBindVertexArray(0);
}

}  // namespace

void draw_es(int number) {
  switch (number) {
    case kOldEs: return draw_old();
    case kBlocksEs: return draw_blocks();
    case kPointsEs: return draw_points_and_samples();
    case kWideEs: return draw_wide();
    default: return draw_parts_es();
  }
}

}  // namespace scene
