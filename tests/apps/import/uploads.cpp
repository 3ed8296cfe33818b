// An OpenGL program for tests of imported frames: each frame loads texels into a texture, draws a second texture,
// copies it to a third, and then draws all three to the window, each twice in one pass.
//
// It draws the same picture until it is ended.

#include <array>
#include <cstdint>

#include "program.h"

namespace {

constexpr int kSide = 32;  // texels of the textures' sides

struct Textures {
  GLuint loaded = 0, drawn = 0, copied = 0, framebuffer = 0;
} textures;

GLuint make_texture() {
  GLuint name = 0;
  glGenTextures(1, &name);
  glBindTexture(GL_TEXTURE_2D, name);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, kSide, kSide, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  return name;
}

void make_textures() {
  textures = {make_texture(), make_texture(), make_texture()};
  glGenFramebuffers(1, &textures.framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, textures.framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures.drawn, 0);
}

// A rectangle of clip space with the whole texture.
void rectangle(float left, float low, float right, float high) {
  glBegin(GL_TRIANGLE_STRIP);
  glTexCoord2f(0, 0), glVertex2f(left, low);
  glTexCoord2f(1, 0), glVertex2f(right, low);
  glTexCoord2f(0, 1), glVertex2f(left, high);
  glTexCoord2f(1, 1), glVertex2f(right, high);
  glEnd();
}

void load(GLuint texture) {
  std::array<uint8_t, 4 * kSide * kSide> texels;
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = uint8_t(i * 37 + i / 128 * 11);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kSide, kSide, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
}

void draw() {
  load(textures.loaded);
  glBindFramebuffer(GL_FRAMEBUFFER, textures.framebuffer);
  glViewport(0, 0, kSide, kSide);
  glClearColor(0, 0.25f, 0.5f, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glEnable(GL_TEXTURE_2D);
  rectangle(-0.5f, -0.75f, 1, 0.25f);
  glBindTexture(GL_TEXTURE_2D, textures.copied);
  glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, kSide, kSide);

  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, kSize, kSize);
  glClearColor(0.5f, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  const GLuint names[] = {textures.loaded, textures.drawn, textures.copied};
  for (int i = 0; i < 3; ++i) {
    glBindTexture(GL_TEXTURE_2D, names[i]);
    const float left = -1 + 0.5f * float(i), low = -0.5f + 0.25f * float(i);
    rectangle(left, low, left + 0.75f, low + 0.75f);
    glColorMask(GL_FALSE, GL_TRUE, GL_TRUE, GL_TRUE);
    rectangle(left + 0.25f, low - 0.25f, left + 0.5f, low + 1);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  }
}

}  // namespace

int main() { return show(make_textures, draw); }
