// An OpenGL program for tests of imported frames: triangles whose edges run through sample centres, in all directions.
// An edge between two of them belongs to one: a sample that both or neither cover has another colour.
//
// It draws the same picture until it is ended.

#include "program.h"

namespace {

// Corners at the centre of pixel (x, y).
void corner(double x, double y) { glVertex2d((x + 0.5) / kSize * 2 - 1, (y + 0.5) / kSize * 2 - 1); }

void draw() {
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE);  // a sample that is covered twice is brighter
  glBegin(GL_TRIANGLES);
  for (int y = 0; y < 31; ++y) {
    for (int x = 0; x < 31; ++x) {
      const double left = 2 + 8 * x, low = 2 + 8 * y, right = left + 8, high = low + 8;
      glColor3d(0.25, 0.5, 0.125);
      corner(left, low), corner(right, low), corner(right, high);
      glColor3d(0.5, 0.125, 0.25);
      corner(left, low), corner(right, high), corner(left, high);
    }
  }
  glEnd();
}

}  // namespace

int main() {
  return show([] {}, draw);
}
