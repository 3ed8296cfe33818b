// Functions by name: the driver's and the window system's for the layer, past the names that the layer exports.
#pragma once

#ifndef GL_GLEXT_PROTOTYPES
#define GL_GLEXT_PROTOTYPES
#endif
#include <GL/gl.h>
#include <GL/glext.h>

#include <cstddef>

namespace brokkr::capture {

// The C library's dlsym.
using DlsymFunction = void* (*)(void*, const char*) noexcept;
DlsymFunction find_real_dlsym();

// Whether `name` begins as functions of OpenGL, GLX or EGL do.
bool is_gl_name(const char* name);

// What dlsym gives programs for such a name: the layer's hook where it has one, else the library's function.
void* dlsym_gl(void* handle, const char* name);

// dlsym as the C library has it. With RTLD_NEXT the search begins after this library.
void* real_dlsym(void* handle, const char* name);

// The driver's OpenGL function of that name, or null: what glXGetProcAddress, eglGetProcAddress or the library has. A
// GL library must have been loaded before: call it from hooks only.
void* find_gl_function(const char* name);

// The library's function behind a name of GLX or EGL (`glXSwapBuffers`, …), or null.
void* find_window_function(const char* name);

// A name as a template argument: each name is looked up once, however many places call it.
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

// Looked up again until the library is there.
template <FunctionName name, typename Function>
Function* window_function() {
  static Function* found = nullptr;
  if (!found) found = reinterpret_cast<Function*>(find_window_function(name.text));
  return found;
}

}  // namespace brokkr::capture

// The driver's function: GL(DrawArrays)(GL_POINTS, 0, 3). Null where the driver lacks it; one that is not null says
// nothing about whether the context has it (ContextInfo does).
#define GL(name) (brokkr::capture::gl_function<"gl" #name, decltype(::gl##name)>())

// The same of GLX and EGL, whose headers are included where it is used: WINDOW(eglSwapBuffers)(display, surface).
#define WINDOW(name) (brokkr::capture::window_function<#name, decltype(::name)>())
