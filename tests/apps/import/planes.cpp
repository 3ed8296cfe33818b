// An OpenGL program for tests of imported frames: a rectangle that two clip planes cut, in front of one that they do
// not cut. Where the first is cut away, neither its colour nor its depth hides the second.
//
// It draws the same picture until it is ended.

#include "program.h"

namespace {

void rectangle(float side, float z) {
  glBegin(GL_TRIANGLE_STRIP);
  glVertex3f(-side, -side, z), glVertex3f(side, -side, z);
  glVertex3f(-side, side, z), glVertex3f(side, side, z);
  glEnd();
}

void draw() {
  glClearColor(0, 0.25f, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glEnable(GL_DEPTH_TEST);
  const double planes[2][4] = {{1, 0.25, 0, 0.3}, {-0.5, 1, 0, 0.4}};
  for (int i = 0; i < 2; ++i) {
    glClipPlane(GLenum(GL_CLIP_PLANE0 + i), planes[i]);
    glEnable(GLenum(GL_CLIP_PLANE0 + i));
  }
  glColor3f(1, 0.5f, 0);
  rectangle(0.9f, -0.5f);
  for (int i = 0; i < 2; ++i) glDisable(GLenum(GL_CLIP_PLANE0 + i));
  glColor3f(0, 0.5f, 1);
  rectangle(0.7f, 0.5f);
}

}  // namespace

int main() {
  return show([] {}, draw);
}
