// Swaps and contexts of GLX and EGL.
#include <EGL/egl.h>
#include <GL/glx.h>

#include "capture/context.h"
#include "capture/hook_table.h"
#include "capture/real.h"
#include "capture/session.h"

// The library's function behind the hook of that name.
#define BROKKR_REAL(name)                                                                       \
  [] {                                                                                          \
    static const auto found = reinterpret_cast<decltype(&::name)>(find_window_function(#name)); \
    return found;                                                                               \
  }()

using namespace brokkr::capture;

namespace {

Surface glx_surface(Display* display, GLXDrawable drawable) { return {false, display, drawable}; }
Surface egl_surface(EGLDisplay display, EGLSurface surface) {
  return {true, display, reinterpret_cast<uintptr_t>(surface)};
}

// Extensions are known to their GetProcAddress only.
template <typename Function>
Function* extension(Function*, const char* getter, const char* name) {
  const auto get = reinterpret_cast<void* (*)(const char*)>(find_window_function(getter));
  return get ? reinterpret_cast<Function*>(get(name)) : nullptr;
}

using SwapWithDamage = EGLBoolean(EGLDisplay, EGLSurface, const EGLint*, EGLint);
using SwapAtCount = int64_t(Display*, GLXDrawable, int64_t, int64_t, int64_t);
using CreateWithAttributes = GLXContext(Display*, GLXFBConfig, GLXContext, Bool, const int*);

EGLBoolean swap_with_damage(const char* name, EGLDisplay display, EGLSurface surface, const EGLint* rects, EGLint n) {
  const auto real = extension(static_cast<SwapWithDamage*>(nullptr), "eglGetProcAddress", name);
  if (!real) return EGL_FALSE;
  before_swap(egl_surface(display, surface));
  const EGLBoolean result = real(display, surface, rects, n);
  after_swap(egl_surface(display, surface));
  return result;
}

}  // namespace

BROKKR_EXPORT void glXSwapBuffers(Display* display, GLXDrawable drawable) {
  before_swap(glx_surface(display, drawable));
  if (const auto real = BROKKR_REAL(glXSwapBuffers)) real(display, drawable);
  after_swap(glx_surface(display, drawable));
}

BROKKR_EXPORT int64_t glXSwapBuffersMscOML(Display* display, GLXDrawable drawable, int64_t target, int64_t divisor,
                                           int64_t remainder) {
  static const auto real =
      extension(static_cast<SwapAtCount*>(nullptr), "glXGetProcAddressARB", "glXSwapBuffersMscOML");
  if (!real) return -1;
  before_swap(glx_surface(display, drawable));
  const int64_t result = real(display, drawable, target, divisor, remainder);
  after_swap(glx_surface(display, drawable));
  return result;
}

BROKKR_EXPORT GLXContext glXCreateContext(Display* display, XVisualInfo* visual, GLXContext share, Bool direct) {
  const auto real = BROKKR_REAL(glXCreateContext);
  GLXContext context = real ? real(display, visual, share, direct) : nullptr;
  context_created(context, share);
  return context;
}

BROKKR_EXPORT GLXContext glXCreateNewContext(Display* display, GLXFBConfig config, int type, GLXContext share,
                                             Bool direct) {
  const auto real = BROKKR_REAL(glXCreateNewContext);
  GLXContext context = real ? real(display, config, type, share, direct) : nullptr;
  context_created(context, share);
  return context;
}

BROKKR_EXPORT GLXContext glXCreateContextAttribsARB(Display* display, GLXFBConfig config, GLXContext share, Bool direct,
                                                    const int* attributes) {
  static const auto real =
      extension(static_cast<CreateWithAttributes*>(nullptr), "glXGetProcAddressARB", "glXCreateContextAttribsARB");
  GLXContext context = real ? real(display, config, share, direct, attributes) : nullptr;
  context_created(context, share);
  return context;
}

BROKKR_EXPORT EGLContext eglCreateContext(EGLDisplay display, EGLConfig config, EGLContext share,
                                          const EGLint* attributes) {
  const auto real = BROKKR_REAL(eglCreateContext);
  EGLContext context = real ? real(display, config, share, attributes) : EGL_NO_CONTEXT;
  context_created(context, share);
  return context;
}

BROKKR_EXPORT EGLBoolean eglSwapBuffers(EGLDisplay display, EGLSurface surface) {
  const auto real = BROKKR_REAL(eglSwapBuffers);
  if (!real) return EGL_FALSE;
  before_swap(egl_surface(display, surface));
  const EGLBoolean result = real(display, surface);
  after_swap(egl_surface(display, surface));
  return result;
}

BROKKR_EXPORT EGLBoolean eglSwapBuffersWithDamageKHR(EGLDisplay display, EGLSurface surface, const EGLint* rects,
                                                     EGLint n) {
  return swap_with_damage("eglSwapBuffersWithDamageKHR", display, surface, rects, n);
}

BROKKR_EXPORT EGLBoolean eglSwapBuffersWithDamageEXT(EGLDisplay display, EGLSurface surface, const EGLint* rects,
                                                     EGLint n) {
  return swap_with_damage("eglSwapBuffersWithDamageEXT", display, surface, rects, n);
}
