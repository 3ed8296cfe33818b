#pragma once
// The window of the OpenGL programs for tests of imported frames.

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <X11/Xlib.h>

#include <cstdio>

constexpr int kSize = 256;  // pixels of the window's side

// Calls `make` once, and `draw` for each frame, until the program is ended. Returns the exit code if there is no
// window.
inline int show(void (*make)(), void (*draw)()) {
  Display* const display = XOpenDisplay(nullptr);
  if (display == nullptr) {
    std::fprintf(stderr, "no display\n");
    return 1;
  }
  int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8,   GLX_GREEN_SIZE, 8, GLX_BLUE_SIZE,
                  8,        GLX_DEPTH_SIZE,   24,           None};
  XVisualInfo* const visual = glXChooseVisual(display, DefaultScreen(display), wanted);
  if (visual == nullptr) {
    std::fprintf(stderr, "no visual\n");
    return 1;
  }
  const Window root = RootWindow(display, visual->screen);
  XSetWindowAttributes with{};
  with.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
  with.border_pixel = 0;
  const Window window = XCreateWindow(display, root, 0, 0, kSize, kSize, 0, visual->depth, InputOutput, visual->visual,
                                      CWColormap | CWBorderPixel, &with);
  XMapWindow(display, window);
  glXMakeCurrent(display, window, glXCreateContext(display, visual, nullptr, True));
  make();
  for (;;) {
    draw();
    glXSwapBuffers(display, window);
  }
}
