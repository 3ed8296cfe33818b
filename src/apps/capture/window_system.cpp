#include "capture/window_system.h"

#include <EGL/egl.h>
#include <GL/glx.h>
#include <dlfcn.h>

#include "capture/lookup.h"

namespace brokkr::capture {
namespace {

template <typename Function>
Function* x11_function(const char* name) {
  static void* const library = dlopen("libX11.so.6", RTLD_LAZY);
  return library ? reinterpret_cast<Function*>(real_dlsym(library, name)) : nullptr;
}
#define X11(name) x11_function<decltype(::name)>(#name)

bool x_error = false;
int note_x_error(Display*, XErrorEvent*) {
  x_error = true;
  return 0;
}

std::pair<int, int> glx_size(const Surface& surface) {
  const auto query = WINDOW(glXQueryDrawable);
  const auto set_handler = X11(XSetErrorHandler);
  const auto sync = X11(XSync);
  if (!query || !set_handler || !sync) return {0, 0};
  auto* display = static_cast<Display*>(surface.display);
  // Some drivers do not accept a plain window as a GLX drawable, and report an error that would end the program.
  x_error = false;
  sync(display, False);
  const XErrorHandler before = set_handler(note_x_error);
  unsigned width = 0, height = 0;
  query(display, surface.drawable, GLX_WIDTH, &width);
  query(display, surface.drawable, GLX_HEIGHT, &height);
  sync(display, False);
  if (x_error || width == 0) {
    const auto geometry = X11(XGetGeometry);
    Window root = 0;
    int x = 0, y = 0;
    unsigned border = 0, depth = 0;
    x_error = false;
    if (!geometry || !geometry(display, surface.drawable, &root, &x, &y, &width, &height, &border, &depth)) {
      width = height = 0;
    }
    sync(display, False);
  }
  set_handler(before);
  return {static_cast<int>(width), static_cast<int>(height)};
}

}  // namespace

void* current_context_handle() {
  if (const auto get = WINDOW(glXGetCurrentContext)) {
    if (void* context = get()) return context;
  }
  const auto get = WINDOW(eglGetCurrentContext);
  return get ? get() : nullptr;
}

Surface current_surface() {
  const auto get_context = WINDOW(glXGetCurrentContext);
  const auto get_display = WINDOW(glXGetCurrentDisplay);
  const auto get_drawable = WINDOW(glXGetCurrentDrawable);
  if (get_context && get_display && get_drawable && get_context()) {
    return {false, get_display(), static_cast<uintptr_t>(get_drawable())};
  }
  const auto egl_display = WINDOW(eglGetCurrentDisplay);
  const auto egl_surface = WINDOW(eglGetCurrentSurface);
  if (!egl_display || !egl_surface) return {};
  return {true, egl_display(), reinterpret_cast<uintptr_t>(egl_surface(EGL_DRAW))};
}

std::pair<int, int> surface_size(const Surface& surface) {
  if (surface.drawable == 0) return {0, 0};
  if (!surface.egl) return glx_size(surface);
  const auto query = WINDOW(eglQuerySurface);
  EGLint width = 0, height = 0;
  void* const egl_surface = reinterpret_cast<void*>(surface.drawable);
  if (!query || !query(surface.display, egl_surface, EGL_WIDTH, &width) ||
      !query(surface.display, egl_surface, EGL_HEIGHT, &height)) {
    return {0, 0};
  }
  return {width, height};
}

Keyboard::Keyboard(const std::string& key) {
  const auto open = X11(XOpenDisplay);
  const auto to_symbol = X11(XStringToKeysym);
  const auto to_code = X11(XKeysymToKeycode);
  if (!open || !to_symbol || !to_code) {
    problem_ = "libX11 was not found; keys are watched through the X server";
    return;
  }
  // The layer uses its own connection, because several threads of the program may use the program's.
  auto* display = open(nullptr);
  const KeySym symbol = to_symbol(key.c_str());
  if (!display) {
    problem_ = "no X server answers; keys are watched through it";
  } else if (symbol == NoSymbol || (code_ = to_code(display, symbol)) == 0) {
    problem_ = "the keyboard has no key '" + key + "'; name an X11 keysym such as F10";
  } else {
    display_ = display;
  }
}

bool Keyboard::is_down() const {
  const auto query = X11(XQueryKeymap);
  if (!display_ || !query) return false;
  char keys[32] = {};
  query(static_cast<Display*>(display_), keys);
  return (keys[code_ / 8] >> (code_ % 8) & 1) != 0;
}

}  // namespace brokkr::capture
