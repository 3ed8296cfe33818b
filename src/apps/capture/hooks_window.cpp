// Hooks for swaps and contexts of GLX and EGL.
#include <EGL/egl.h>
#include <GL/glx.h>

#include "capture/session.h"

using namespace brokkr::capture;

namespace {

Surface glx_surface(Display* display, GLXDrawable drawable) { return {false, display, drawable}; }
Surface egl_surface(EGLDisplay display, EGLSurface surface) {
  return {true, display, reinterpret_cast<uintptr_t>(surface)};
}

// Looks up an extension function, which only GetProcAddress knows.
template <typename Function>
Function* extension(const char* getter, const char* name) {
  const auto get = reinterpret_cast<void* (*)(const char*)>(find_window_function(getter));
  return get ? reinterpret_cast<Function*>(get(name)) : nullptr;
}
#define GLX_EXTENSION(name) extension<decltype(::name)>("glXGetProcAddressARB", #name)
#define EGL_EXTENSION(name) extension<decltype(::name)>("eglGetProcAddress", #name)

// Calls the real swap, with the layer's work before and after it. `none`: the result if there is no real function.
template <typename Function, typename Result, typename... Arguments>
Result swap(const Surface& surface, Function* real, Result none, Arguments... arguments) {
  if (!real) return none;
  before_swap(surface);
  const Result result = real(arguments...);
  after_swap(surface);
  return result;
}

// Calls the real creation of a context, which shares objects with another context.
template <typename Function, typename Share, typename... Arguments>
auto create(Share share, Function* real, Arguments... arguments) {
  const auto context = real ? real(arguments...) : nullptr;
  context_created(context, share);
  return context;
}

}  // namespace

BROKKR_EXPORT void glXSwapBuffers(Display* display, GLXDrawable drawable) {
  before_swap(glx_surface(display, drawable));
  if (const auto real = WINDOW(glXSwapBuffers)) real(display, drawable);
  after_swap(glx_surface(display, drawable));
}

BROKKR_EXPORT int64_t glXSwapBuffersMscOML(Display* display, GLXDrawable drawable, int64_t target, int64_t divisor,
                                           int64_t remainder) {
  return swap(glx_surface(display, drawable), GLX_EXTENSION(glXSwapBuffersMscOML), int64_t(-1), display, drawable,
              target, divisor, remainder);
}

BROKKR_EXPORT GLXContext glXCreateContext(Display* display, XVisualInfo* visual, GLXContext share, Bool direct) {
  return create(share, WINDOW(glXCreateContext), display, visual, share, direct);
}

BROKKR_EXPORT GLXContext glXCreateNewContext(Display* display, GLXFBConfig config, int type, GLXContext share,
                                             Bool direct) {
  return create(share, WINDOW(glXCreateNewContext), display, config, type, share, direct);
}

BROKKR_EXPORT GLXContext glXCreateContextAttribsARB(Display* display, GLXFBConfig config, GLXContext share, Bool direct,
                                                    const int* attributes) {
  return create(share, GLX_EXTENSION(glXCreateContextAttribsARB), display, config, share, direct, attributes);
}

// The real function makes display lists of bitmaps without calling the layer's hooks.
BROKKR_EXPORT void glXUseXFont(Font font, int first, int count, int list) {
  if (const auto real = WINDOW(glXUseXFont)) real(font, first, count, list);
  const Context* const context = is_armed() ? current_context() : nullptr;
  for (int i = 0; context && i < count; i++) {
    const auto name = static_cast<GLuint>(list + i);
    if (list_pieces(*context, name).front().content == 0)
      set_list_pieces(*context, name, {{.name = name, .content = kListPixels, .of_font = true}});
  }
}

BROKKR_EXPORT EGLContext eglCreateContext(EGLDisplay display, EGLConfig config, EGLContext share,
                                          const EGLint* attributes) {
  return create(share, WINDOW(eglCreateContext), display, config, share, attributes);
}

BROKKR_EXPORT EGLBoolean eglSwapBuffers(EGLDisplay display, EGLSurface surface) {
  return swap(egl_surface(display, surface), WINDOW(eglSwapBuffers), EGLBoolean(EGL_FALSE), display, surface);
}

BROKKR_EXPORT EGLBoolean eglSwapBuffersWithDamageKHR(EGLDisplay display, EGLSurface surface, const EGLint* rects,
                                                     EGLint n) {
  return swap(egl_surface(display, surface), EGL_EXTENSION(eglSwapBuffersWithDamageKHR), EGLBoolean(EGL_FALSE), display,
              surface, rects, n);
}

BROKKR_EXPORT EGLBoolean eglSwapBuffersWithDamageEXT(EGLDisplay display, EGLSurface surface, const EGLint* rects,
                                                     EGLint n) {
  return swap(egl_surface(display, surface), EGL_EXTENSION(eglSwapBuffersWithDamageEXT), EGLBoolean(EGL_FALSE), display,
              surface, rects, n);
}
