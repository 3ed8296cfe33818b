// Cases for windows that may encode colours as sRGB.
#include "cases.h"
#include "scene.h"

namespace scene {
namespace {

// Converts a window position, 0 to kSize, to clip space.
float place(float pixels) { return pixels / (kSize / 2) - 1; }

}  // namespace

// A window that could encode colours as sRGB but does not, while another target of the frame does: a clear, and a copy
// from a target of linear colours.
void draw_kept() {
  glDisable(GL_DEPTH_TEST);
  glClearColor(0.5f, 0.25f, 0.75f, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  GLuint framebuffers[2] = {}, buffers[2] = {};
  glGenFramebuffers(2, framebuffers);
  glGenRenderbuffers(2, buffers);
  for (const int i : {0, 1}) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[i]);
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[i]);
    glRenderbufferStorage(GL_RENDERBUFFER, i == 0 ? GL_SRGB8_ALPHA8 : GL_RGBA8, kSize, kSize);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[i]);
    i == 0 ? glEnable(GL_FRAMEBUFFER_SRGB) : glDisable(GL_FRAMEBUFFER_SRGB);
    glBegin(GL_TRIANGLE_STRIP);
    for (const float right : {0.0f, 1.0f}) {
      glColor3f(right, 1 - right, 0.25f);
      glVertex2f(place(128 * right), place(0));
      glVertex2f(place(128 * right), place(128));
    }
    glEnd();
  }
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glBlitFramebuffer(0, 0, kSize, 64, 0, 32, kSize, 96, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glDeleteFramebuffers(2, framebuffers);
  glDeleteRenderbuffers(2, buffers);
}

// A window that encodes colours as sRGB, alternating with calls that do not encode: a clear of a part, ramps, and
// colours blended with the window's content.
void draw_encoded() {
  glDisable(GL_DEPTH_TEST);
  glEnable(GL_FRAMEBUFFER_SRGB);
  glEnable(GL_SCISSOR_TEST);
  glScissor(0, 0, 64, kSize);
  glClear(GL_COLOR_BUFFER_BIT);  // begin_case cleared without encoding
  glDisable(GL_SCISSOR_TEST);
  for (int i = 0; i < 4; i++) {
    const float bottom = 32 * float(i);
    i % 2 == 0 ? glEnable(GL_FRAMEBUFFER_SRGB) : glDisable(GL_FRAMEBUFFER_SRGB);
    if (i >= 2) {
      glEnable(GL_BLEND);
      glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }
    glBegin(GL_TRIANGLE_STRIP);
    for (const float right : {0.0f, 1.0f}) {
      glColor4f(right, 1 - right, 0.25f * right, 0.5f);
      glVertex2f(place(128 * right), place(bottom));
      glVertex2f(place(128 * right), place(bottom + 32));
    }
    glEnd();
  }
  glDisable(GL_BLEND);
  glDisable(GL_FRAMEBUFFER_SRGB);
}

void draw_old_window() {
  glEnable(GL_DEPTH_TEST);
  for (int i = 0; i < 4; i++) {
    const float left = 32 * float(i);
    glBegin(GL_TRIANGLES);
    glColor3f(1, 0.25f * float(i), 0);
    glVertex3f(place(left + 1.25f), place(3.5f), 0.5f);
    glColor3f(0, 1, 0.25f * float(i));
    glVertex3f(place(left + 40.75f), place(20.25f), -0.5f);
    glColor3f(0.25f * float(i), 0, 1);
    glVertex3f(place(left + 6.5f), place(124.75f), 0.25f);
    glEnd();
  }
  glDisable(GL_DEPTH_TEST);
}

void draw_beside(bool first) {
  if (first) {
    GLuint array = 0, framebuffer = 0, texture = 0;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, kSize, kSize);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glViewport(0, 0, kSize, kSize);
    glUseProgram(link({compile(GL_VERTEX_SHADER, R"(#version 150
                         void main() { gl_Position = vec4(gl_VertexID % 2, gl_VertexID / 2, 0.0, 1.0); })"),
                       compile(GL_FRAGMENT_SHADER, R"(#version 150
                         out vec4 color; void main() { color = vec4(1.0); })")}));
  }
  for (int i = 0; i < 3; i++) {
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glFinish();
  }
}

}  // namespace scene
