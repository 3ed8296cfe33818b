// Draw calls of the core profile: each function once, with the feature that distinguishes it from simpler ones.
#include <cstdio>
#include <cstdlib>

#include "cases.h"
#include "scene.h"

namespace scene {
namespace {

GLuint array = 0, vertex_buffer = 0, index_buffer = 0, small_index_buffer = 0, byte_index_buffer = 0;
GLuint program = 0, id_program = 0;

const char* const kVertexShader = R"(#version 450 core
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 offset;
void main() { gl_Position = position + offset; })";

const char* const kDrawIdShader = R"(#version 450 core
#extension GL_ARB_shader_draw_parameters : require
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 offset;
void main() { gl_Position = position + offset + vec4(0.0625 * float(gl_DrawIDARB), 0.0, 0.0, 0.0); })";

const char* const kFragmentShader = R"(#version 450 core
out vec4 color;
void main() { color = vec4(gl_FragCoord.z, 0.5, 0.25, 0.5); })";

const void* at(size_t offset) { return reinterpret_cast<const void*>(offset); }

template <typename T>
GLuint make_indices() {
  std::vector<T> indices(4);  // other indices come first, so that offsets matter
  for (uint32_t index : kIndices) indices.push_back(static_cast<T>(index));
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_COPY_WRITE_BUFFER, buffer);
  glBufferData(GL_COPY_WRITE_BUFFER, GLsizeiptr(indices.size() * sizeof(T)), indices.data(), GL_STATIC_DRAW);
  return buffer;
}

void use_instances(bool on) {
  if (on) {
    glEnableVertexAttribArray(1);
  } else {
    glDisableVertexAttribArray(1);
  }
}

void draw_arrays() {
  glDrawArrays(GL_TRIANGLES, 3, 6);
  glDrawArrays(GL_TRIANGLE_STRIP, 8, 7);
  glDrawArrays(GL_TRIANGLE_FAN, 16, 5);
  glDrawArrays(GL_POINTS, 24, 4);
  glDrawArrays(GL_LINES, 32, 4);
  glDrawArrays(GL_LINE_STRIP, 40, 5);
  glDrawArrays(GL_LINE_LOOP, 48, 5);
  glDrawArrays(GL_LINES_ADJACENCY, 32, 8);
  glDrawArrays(GL_TRIANGLES_ADJACENCY, 10, 12);
  glDrawArrays(GL_TRIANGLES, 0, 0);
}

void draw_elements() {
  constexpr GLsizei kCount = GLsizei(kIndices.size());
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, byte_index_buffer);
  glDrawElements(GL_TRIANGLES, kCount, GL_UNSIGNED_BYTE, at(4));
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, small_index_buffer);
  glDrawElements(GL_TRIANGLES, kCount, GL_UNSIGNED_SHORT, at(8));
  glDrawRangeElements(GL_TRIANGLES, 3, 63, kCount, GL_UNSIGNED_SHORT, at(8));
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, index_buffer);
  glDrawElements(GL_TRIANGLE_STRIP, kCount, GL_UNSIGNED_INT, at(16));
  glDrawElementsBaseVertex(GL_TRIANGLES, 6, GL_UNSIGNED_INT, at(16), 5);
  glDrawRangeElementsBaseVertex(GL_TRIANGLES, 0, 20, 6, GL_UNSIGNED_INT, at(16), -3);
}

void draw_instanced() {
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, index_buffer);
  glDrawArraysInstanced(GL_TRIANGLES, 3, 3, 3);
  glDrawElementsInstanced(GL_TRIANGLES, 6, GL_UNSIGNED_INT, at(16), 2);
  glDrawElementsInstancedBaseVertex(GL_TRIANGLES, 6, GL_UNSIGNED_INT, at(16), 2, 7);
  glDrawArraysInstancedBaseInstance(GL_TRIANGLE_FAN, 20, 4, 2, 1);
  glDrawElementsInstancedBaseInstance(GL_TRIANGLES, 6, GL_UNSIGNED_INT, at(16), 2, 2);
  glDrawElementsInstancedBaseVertexBaseInstance(GL_TRIANGLES, 6, GL_UNSIGNED_INT, at(16), 2, 1, 1);
}

void draw_multi() {
  const GLint firsts[] = {0, 10, 20};
  const GLsizei counts[] = {3, 0, 6};
  glMultiDrawArrays(GL_TRIANGLES, firsts, counts, 3);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, index_buffer);
  const GLsizei sizes[] = {3, 6};
  const void* const offsets[] = {at(16), at(28)};
  const GLint bases[] = {0, 2};
  glMultiDrawElements(GL_TRIANGLES, sizes, GL_UNSIGNED_INT, offsets, 2);
  glMultiDrawElementsBaseVertex(GL_TRIANGLES, sizes, GL_UNSIGNED_INT, offsets, 2, bases);
}

// Indirect structures: two for arrays, then two for elements, each with a word of padding.
GLuint make_indirect() {
  const GLuint words[] = {3, 2, 5, 1, 0, 6, 1, 20, 0, 0,         // count, instances, first, base instance
                          6, 2, 4, 0, 1, 0, 3, 1,  7, 2, 0, 0};  // count, instances, first index, base vertex, …
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_DRAW_INDIRECT_BUFFER, buffer);
  glBufferData(GL_DRAW_INDIRECT_BUFFER, sizeof(words), words, GL_STATIC_DRAW);
  return buffer;
}

void draw_indirect(bool with_ids) {
  const GLuint buffer = make_indirect();
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, index_buffer);
  if (with_ids) {
    const GLint firsts[] = {0, 8, 16};
    const GLsizei counts[] = {3, 3, 3}, sizes[] = {3, 6};
    const void* const offsets[] = {at(16), at(28)};
    use_instances(false);
    glMultiDrawArrays(GL_TRIANGLES, firsts, counts, 3);
    glMultiDrawElements(GL_TRIANGLES, sizes, GL_UNSIGNED_INT, offsets, 2);
    use_instances(true);
  } else {
    glDrawArraysIndirect(GL_TRIANGLES, at(0));
    glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, at(40));
  }
  glMultiDrawArraysIndirect(GL_TRIANGLES, at(0), 2, 20);
  glMultiDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, at(40), 2, 24);
  glBindBuffer(GL_DRAW_INDIRECT_BUFFER, 0);
  glDeleteBuffers(1, &buffer);
}

void draw_restart() {
  const GLushort words[] = {0, 1, 8, 9, 77, 20, 21, 28, 29, 0xffff, 40, 41, 48};
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
  glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(words), words, GL_STATIC_DRAW);
  glEnable(GL_PRIMITIVE_RESTART);
  glPrimitiveRestartIndex(77);
  glDrawElements(GL_TRIANGLE_STRIP, 9, GL_UNSIGNED_SHORT, at(0));
  glDrawElements(GL_TRIANGLES, 9, GL_UNSIGNED_SHORT, at(0));
  glDrawElements(GL_LINE_LOOP, 9, GL_UNSIGNED_SHORT, at(0));
  glDisable(GL_PRIMITIVE_RESTART);
  glEnable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
  glDrawElements(GL_TRIANGLE_FAN, 8, GL_UNSIGNED_SHORT, at(10));
  glDisable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
  glDeleteBuffers(1, &buffer);
}

}  // namespace

GLuint compile(GLenum type, const char* text) {
  const GLuint shader = glCreateShader(type);
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  if (!compiled) {
    char log[1024] = {};
    glGetShaderInfoLog(shader, sizeof(log), nullptr, log);
    std::fprintf(stderr, "%s\n", log);
    std::exit(1);
  }
  return shader;
}

GLuint link(std::initializer_list<GLuint> shaders, const std::function<void(GLuint)>& before_link) {
  const GLuint result = glCreateProgram();
  for (GLuint shader : shaders) glAttachShader(result, shader);
  if (before_link) before_link(result);
  glLinkProgram(result);
  GLint linked = GL_FALSE;
  glGetProgramiv(result, GL_LINK_STATUS, &linked);
  if (!linked) {
    char log[1024] = {};
    glGetProgramInfoLog(result, sizeof(log), nullptr, log);
    std::fprintf(stderr, "%s\n", log);
    std::exit(1);
  }
  note_program(result);
  return result;
}

void begin_case() {
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, kSize, kSize);
  glEnable(GL_DEPTH_TEST);
  glClearColor(0.25f, 0.5f, 0.75f, 1);
  glClearDepthf(1);  // also of OpenGL ES
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

void setup_core() {
  const std::vector<Vertex> all = vertices();
  glGenBuffers(1, &vertex_buffer);
  glBindBuffer(GL_ARRAY_BUFFER, vertex_buffer);
  glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(all.size() * sizeof(Vertex)), all.data(), GL_STATIC_DRAW);
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  glEnableVertexAttribArray(0);
  glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
  std::vector<Vertex> offsets;
  for (int i = 0; i < kInstances; i++) offsets.push_back(instance_offset(i));
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(offsets.size() * sizeof(Vertex)), offsets.data(), GL_STATIC_DRAW);
  glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
  glVertexAttribDivisor(1, 1);
  glVertexAttrib4f(1, 0, 0, 0, 0);
  byte_index_buffer = make_indices<GLubyte>();
  small_index_buffer = make_indices<GLushort>();
  index_buffer = make_indices<GLuint>();
  const GLuint fragment = compile(GL_FRAGMENT_SHADER, kFragmentShader);
  program = link({compile(GL_VERTEX_SHADER, kVertexShader), fragment});
  id_program = link({compile(GL_VERTEX_SHADER, kDrawIdShader), fragment});
}

void draw_core(int number) {
  glBindVertexArray(array);
  glUseProgram(number == kDrawId ? id_program : program);
  use_instances(number == kInstanced || number == kIndirect || number == kDrawId);
  switch (number) {
    case kArrays: draw_arrays(); break;
    case kElements: draw_elements(); break;
    case kInstanced: draw_instanced(); break;
    case kMulti: draw_multi(); break;
    case kIndirect: draw_indirect(false); break;
    case kDrawId: draw_indirect(true); break;
    case kRestart: draw_restart(); break;
    default: break;
  }
  use_instances(false);
}

}  // namespace scene
