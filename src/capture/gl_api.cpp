#include "capture/gl_api.h"

#include <dlfcn.h>

#include "capture/real.h"

namespace brokkr::capture {
namespace {

using GetProcAddress = void* (*)(const char*);

// A GL library that the program has loaded, or null. Programs that look functions up themselves load it out of the
// global scope, where RTLD_NEXT does not see it.
void* loaded_library(const char* name) { return dlopen(name, RTLD_LAZY | RTLD_NOLOAD); }

void* from_library(const char* library, const char* get_proc_address, const char* name) {
  void* handle = loaded_library(library);
  if (!handle) return nullptr;
  if (void* found = real_dlsym(handle, name)) return found;
  if (void* get = real_dlsym(handle, get_proc_address)) return reinterpret_cast<GetProcAddress>(get)(name);
  return nullptr;
}

GlApi load() {
  GlApi api;
#define BROKKR_GL_LOAD(name) api.name = reinterpret_cast<decltype(api.name)>(find_gl_function("gl" #name));
  BROKKR_GL_FUNCTIONS(BROKKR_GL_LOAD)
#undef BROKKR_GL_LOAD
  return api;
}

}  // namespace

void* find_gl_function(const char* name) {
  if (void* found = real_dlsym(RTLD_NEXT, name)) return found;
  if (void* get = real_dlsym(RTLD_NEXT, "glXGetProcAddressARB")) {
    if (void* found = reinterpret_cast<GetProcAddress>(get)(name)) return found;
  }
  if (void* found = from_library("libGL.so.1", "glXGetProcAddressARB", name)) return found;
  if (void* found = from_library("libGLX.so.0", "glXGetProcAddressARB", name)) return found;
  if (void* found = from_library("libOpenGL.so.0", "", name)) return found;
  if (void* get = real_dlsym(RTLD_NEXT, "eglGetProcAddress")) {
    if (void* found = reinterpret_cast<GetProcAddress>(get)(name)) return found;
  }
  return from_library("libEGL.so.1", "eglGetProcAddress", name);
}

const GlApi& gl() {
  static const GlApi api = load();
  return api;
}

}  // namespace brokkr::capture
