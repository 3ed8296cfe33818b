// Faces as outlines, flat polygons, points at the window's edges; and targets that change without whole draws: clears
// of single channels, integers, uploads.
#include <array>
#include <cstddef>
#include <vector>

#include "cases.h"
#include "scene.h"

namespace scene {
namespace {

float at(float pixels) { return pixels / (kSize / 2) - 1; }

// The same polygon in each place; its corners have different colours.
void send_ring(GLenum mode, float left, float bottom) {
  constexpr std::array<std::array<float, 2>, 6> kCorners = {
      {{4.25f, 9.5f}, {16.25f, 3.75f}, {27.5f, 8.25f}, {28.75f, 19.5f}, {17.25f, 27.25f}, {5.75f, 22.5f}}};
  glBegin(mode);
  for (size_t i = 0; i < kCorners.size(); i++) {
    glColor3f(i % 2 == 0 ? 1.0f : 0.25f, i % 3 == 0 ? 1.0f : 0.25f, i % 3 == 1 ? 1.0f : 0.25f);
    glVertex2f(at(left + kCorners[i][0]), at(bottom + kCorners[i][1]));
  }
  glEnd();
}

// `clockwise`: turns away.
void send_rectangle(GLenum mode, float left, float bottom, bool clockwise) {
  const float right = left + 20.5f, top = bottom + 22.25f;
  glBegin(mode);
  glVertex2f(at(left), at(bottom));
  clockwise ? glVertex2f(at(left), at(top)) : glVertex2f(at(right), at(bottom));
  glVertex2f(at(right), at(top));
  clockwise ? glVertex2f(at(right), at(bottom)) : glVertex2f(at(left), at(top));
  glEnd();
}

// A texture with a framebuffer, which draws into it until show() draws it to a part of the window.
class Drawn {
 public:
  Drawn(GLenum format, GLsizei levels) {
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &window_);
    glGenTextures(1, &texture_);
    glBindTexture(GL_TEXTURE_2D, texture_);
    glTexStorage2D(GL_TEXTURE_2D, levels, format, kSide, kSide);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, levels > 1 ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &framebuffer_);
    draw_to(0);
  }
  ~Drawn() {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteTextures(1, &texture_);
  }
  Drawn(const Drawn&) = delete;
  Drawn& operator=(const Drawn&) = delete;

  void draw_to(GLint level) const {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_, level);
    glViewport(0, 0, kSide >> level, kSide >> level);
  }

  void show(int column, int row, const char* shading, float level = 0) const {
    glBindFramebuffer(GL_FRAMEBUFFER, GLuint(window_));
    glViewport(column * kSide, row * kSide, kSide, kSide);
    const GLuint program = link({compile(GL_VERTEX_SHADER,
                                         "#version 130\nout vec2 place; void main() { gl_Position = gl_Vertex;"
                                         " place = gl_Vertex.xy * 0.5 + 0.5; }"),
                                 compile(GL_FRAGMENT_SHADER, shading)});
    glUseProgram(program);
    glUniform1f(glGetUniformLocation(program, "level"), level);
    glRectf(-1, -1, 1, 1);
    glUseProgram(0);
    glDeleteProgram(program);
    forget_program(program);
  }

  static constexpr GLsizei kSide = 32;

 private:
  GLint window_ = 0;
  GLuint texture_ = 0, framebuffer_ = 0;
};

constexpr const char* kShow = R"(#version 130
  in vec2 place; uniform sampler2D map; uniform float level;
  void main() { gl_FragColor = textureLod(map, place, level); })";
constexpr const char* kShowIntegers = R"(#version 130
  in vec2 place; uniform usampler2D map; uniform float level;
  void main() { gl_FragColor = vec4(textureLod(map, place, level)) / 255.0; })";

void send_colors() {
  glBegin(GL_TRIANGLES);
  glColor4f(1, 0, 0, 0.25f);
  glVertex2f(-1, -1);
  glColor4f(0, 1, 0, 1);
  glVertex2f(3, -1);
  glColor4f(0, 0, 1, 0.5f);
  glVertex2f(-1, 3);
  glEnd();
}

std::vector<GLubyte> texels(size_t count) {
  std::vector<GLubyte> bytes(count);
  for (size_t i = 0; i < count; i++) bytes[i] = texel(int(i));
  return bytes;
}

void draw_partial_clears() {
  const Drawn drawn(GL_RGBA8, 1);
  send_colors();
  glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
  glClearColor(1, 1, 1, 0.5f);
  glClear(GL_COLOR_BUFFER_BIT);
  glColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_FALSE);
  glEnable(GL_SCISSOR_TEST);
  glScissor(3, 5, 20, 11);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_FALSE);
  glEnable(GL_SCISSOR_TEST);
  glScissor(20, 12, 9, 9);
  glClearColor(0.25f, 0.75f, 0.5f, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glEnable(GL_BLEND);
  glBlendFunc(GL_DST_ALPHA, GL_ONE);
  glColor4f(0.25f, 0.25f, 0.5f, 1);
  glRectf(-0.5f, -0.5f, 1, 1);
  glDisable(GL_BLEND);
  drawn.show(0, 0, kShow);
  glViewport(0, kSize / 2, kSize, kSize / 2);
  glClearStencil(0xff);
  glClear(GL_STENCIL_BUFFER_BIT);
  glStencilMask(0x0f);
  glClearStencil(0x35);
  glClear(GL_STENCIL_BUFFER_BIT);
  glStencilMask(0xff);
  glClearStencil(0);
  glEnable(GL_STENCIL_TEST);
  glStencilFunc(GL_EQUAL, 0xf5, 0xff);
  glColor3f(1, 0.5f, 0.25f);
  glRectf(0.5f, -0.25f, 0.75f, 0.5f);
  glDisable(GL_STENCIL_TEST);
}

void draw_integers() {
  const Drawn drawn(GL_RGBA8UI, 1);
  const GLuint nothing[] = {1, 2, 3, 255};
  glClearBufferuiv(GL_COLOR, 0, nothing);
  const GLuint program = link({compile(GL_VERTEX_SHADER, "#version 130\nvoid main() { gl_Position = gl_Vertex; }"),
                               compile(GL_FRAGMENT_SHADER,
                                       "#version 130\nout uvec4 number;"
                                       " void main() { number = uvec4(gl_FragCoord.xy * 4.0, 77, 255); }")});
  glUseProgram(program);
  glRectf(-0.75f, -0.5f, 0.5f, 0.75f);
  glUseProgram(0);
  glDeleteProgram(program);
  forget_program(program);
  drawn.show(1, 0, kShowIntegers);
}

void draw_uploads() {
  const std::vector<GLubyte> bytes = texels(16 * 16 * 4);
  const Drawn drawn(GL_RGBA8, 1);
  send_colors();
  glTexSubImage2D(GL_TEXTURE_2D, 0, 10, 3, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, bytes.data());
  glColor3f(1, 1, 1);
  glRectf(-0.75f, -0.75f, -0.25f, 0.25f);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 2, 20, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, bytes.data() + 64);
  drawn.show(2, 0, kShow);
  // The texture is not drawn to any more.
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  GLint name = 0;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &name);
  const GLubyte violet[] = {200, 0, 255, 255};
  glClearTexSubImage(GLuint(name), 0, 1, 1, 0, 6, 9, 1, GL_RGBA, GL_UNSIGNED_BYTE, violet);
  drawn.show(3, 0, kShow);
}

// Draws to a generated level.
void draw_levels() {
  const Drawn drawn(GL_RGBA8, 3);
  send_colors();
  glGenerateMipmap(GL_TEXTURE_2D);
  drawn.draw_to(2);
  glColor3f(1, 1, 0);
  glRectf(-0.5f, -0.5f, 0.5f, 1);
  for (int level = 0; level < 3; level++) drawn.show(level, 1, kShow, float(level));
}

// A texture of greys as a decal, which OpenGL leaves open.
void draw_decal() {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  const std::vector<GLubyte> bytes = texels(16);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE8_ALPHA8, 4, 2, 0, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, bytes.data());
  glEnable(GL_TEXTURE_2D);
  glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_DECAL);
  glViewport(96, 32, 32, 32);
  glColor3f(0.75f, 0.5f, 0.25f);
  glBegin(GL_TRIANGLES);
  glTexCoord2f(0, 0);
  glVertex2f(-1, -1);
  glTexCoord2f(2, 0);
  glVertex2f(3, -1);
  glTexCoord2f(0, 2);
  glVertex2f(-1, 3);
  glEnd();
  glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
  glDisable(GL_TEXTURE_2D);
  glDeleteTextures(1, &texture);
}

}  // namespace

void draw_outlines() {
  glDisable(GL_DEPTH_TEST);
  // The first vertex of a flat polygon gives its colour.
  glShadeModel(GL_FLAT);
  send_ring(GL_POLYGON, 0, 0);
  glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
  send_ring(GL_POLYGON, 32, 0);
  glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
  glShadeModel(GL_SMOOTH);
  glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
  glLineWidth(2);
  send_ring(GL_POLYGON, 64, 0);
  send_ring(GL_QUAD_STRIP, 96, 0);
  glLineWidth(1);
  glColor3f(1, 1, 0);
  send_rectangle(GL_QUADS, 4.25f, 36.5f, false);
  send_rectangle(GL_QUADS, 34.25f, 36.5f, true);
  glEnable(GL_CULL_FACE);
  send_rectangle(GL_QUADS, 66.25f, 36.5f, true);  // not drawn
  send_rectangle(GL_POLYGON, 98.25f, 36.5f, false);
  glCullFace(GL_FRONT);
  glFrontFace(GL_CW);
  send_rectangle(GL_QUADS, 66.25f, 36.5f, true);  // not drawn
  send_rectangle(GL_POLYGON, 66.25f, 68.5f, false);
  glFrontFace(GL_CCW);
  glCullFace(GL_BACK);
  glDisable(GL_CULL_FACE);
  // Points are clipped by their centres.
  glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  glPointSize(9);
  glBegin(GL_POINTS);
  for (int i = 0; i < 5; i++) {
    glVertex2f(at(-2.25f + float(i)), at(70.5f + 12 * float(i)));
    glVertex2f(at(kSize - 2.25f + float(i)), at(70.5f + 12 * float(i)));
  }
  glEnd();
  glPointSize(1);
}

void draw_written() {
  glDisable(GL_DEPTH_TEST);
  draw_partial_clears();
  draw_integers();
  draw_uploads();
  draw_levels();
  draw_decal();
  glViewport(0, 0, kSize, kSize);
}

}  // namespace scene
