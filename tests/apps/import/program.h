#pragma once
// The window of the OpenGL programs for tests of imported frames.

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <X11/Xlib.h>

#include <cstdio>

constexpr int kSize = 256;  // pixels of the window's side

// The kind of a program's window.
struct WindowKind {
  bool core = false;  // the context is one of OpenGL 4.5, in the core profile
  int samples = 0;    // of a pixel
};

// A context for the configuration.
inline GLXContext make_context(Display* display, GLXFBConfig config, bool core) {
  if (!core) return glXCreateNewContext(display, config, GLX_RGBA_TYPE, nullptr, True);
  const auto create = reinterpret_cast<PFNGLXCREATECONTEXTATTRIBSARBPROC>(
      glXGetProcAddress(reinterpret_cast<const GLubyte*>("glXCreateContextAttribsARB")));
  const int wanted[] = {
      GLX_CONTEXT_MAJOR_VERSION_ARB,    4,   GLX_CONTEXT_MINOR_VERSION_ARB, 5, GLX_CONTEXT_PROFILE_MASK_ARB,
      GLX_CONTEXT_CORE_PROFILE_BIT_ARB, None};
  return create(display, config, nullptr, True, wanted);
}

// Calls `make` once, and `draw` for each frame, until the program is ended. Returns the exit code if there is no
// window.
inline int show(void (*make)(), void (*draw)(), const WindowKind& kind = {}) {
  Display* const display = XOpenDisplay(nullptr);
  if (display == nullptr) {
    std::fprintf(stderr, "no display\n");
    return 1;
  }
  const int wanted[] = {
      GLX_X_RENDERABLE, True, GLX_DOUBLEBUFFER, True,         GLX_RED_SIZE, 8, GLX_GREEN_SIZE, 8, GLX_BLUE_SIZE, 8,
      GLX_DEPTH_SIZE,   24,   GLX_SAMPLES,      kind.samples, None};
  int found = 0;
  GLXFBConfig* const configs = glXChooseFBConfig(display, DefaultScreen(display), wanted, &found);
  XVisualInfo* const visual = found > 0 ? glXGetVisualFromFBConfig(display, configs[0]) : nullptr;
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
  const GLXContext context = make_context(display, configs[0], kind.core);
  if (context == nullptr) {
    std::fprintf(stderr, "no context\n");
    return 1;
  }
  glXMakeCurrent(display, window, context);
  make();
  for (;;) {
    draw();
    glXSwapBuffers(display, window);
  }
}
