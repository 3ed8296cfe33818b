// Looks up functions of the driver and the window system for the layer, bypassing the names that the layer exports.
#pragma once

#ifndef GL_GLEXT_PROTOTYPES
#define GL_GLEXT_PROTOTYPES
#endif
#include <GL/gl.h>
#include <GL/glext.h>

#include <atomic>
#include <cstddef>

namespace brokkr::capture {

// The C library's dlsym.
using DlsymFunction = void* (*)(void*, const char*) noexcept;
DlsymFunction find_real_dlsym();

// Returns true if `name` has the prefix of an OpenGL, GLX or EGL function.
bool is_gl_name(const char* name);

// The result of a program's dlsym for such a name: the layer's hook if there is one, otherwise the library's function.
// Null if the search would fail without the layer.
void* dlsym_gl(void* handle, const char* name);

// Returns true if a search in RTLD_DEFAULT by `caller` (an address in its code) finds only this library's export.
bool is_only_exported(const char* name, const void* caller);

// The C library's dlsym. With RTLD_NEXT the search starts after this library.
void* real_dlsym(void* handle, const char* name);

// The driver's OpenGL function of that name, or null. The sources are glXGetProcAddress, eglGetProcAddress and the
// library. A GL library must already be loaded, so call it only from hooks.
void* find_gl_function(const char* name);

// The library's GLX or EGL function (such as glXSwapBuffers), or null.
void* find_window_function(const char* name);

// A name as a template argument, so that each name is looked up once, wherever it is called.
template <size_t N>
struct FunctionName {
  char text[N];
  constexpr FunctionName(const char (&name)[N]) {
    for (size_t i = 0; i < N; i++) text[i] = name[i];
  }
};

template <FunctionName name, typename Function>
Function* gl_function() {
  static auto* const found = reinterpret_cast<Function*>(find_gl_function(name.text));
  return found;
}

// The lookup is repeated until the library is loaded.
template <FunctionName name, typename Function>
Function* window_function() {
  static std::atomic<Function*> found{nullptr};  // threads that search at the same time find the same
  Function* function = found.load(std::memory_order_relaxed);
  if (function) return function;
  function = reinterpret_cast<Function*>(find_window_function(name.text));
  found.store(function, std::memory_order_relaxed);
  return function;
}

}  // namespace brokkr::capture

// The driver's function: GL(DrawArrays)(GL_POINTS, 0, 3). Null if the driver lacks it; a non-null pointer does not mean
// that the context supports it (see ContextInfo).
#define GL(name) (brokkr::capture::gl_function<"gl" #name, decltype(::gl##name)>())

// As GL, for GLX and EGL, whose headers the caller must include: WINDOW(eglSwapBuffers)(display, surface).
#define WINDOW(name) (brokkr::capture::window_function<#name, decltype(::name)>())
