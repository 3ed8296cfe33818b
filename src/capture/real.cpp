// dlsym, glXGetProcAddress and eglGetProcAddress: where programs look functions up, they are given the hooks.
#include "capture/real.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "capture/hook_table.h"

namespace brokkr::capture {
namespace {

// What glibc calls the version of dlsym: its own since 2.34, before that each architecture's first.
constexpr const char* kDlsymVersions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.0", "GLIBC_2.27"};

using GetProcAddress = void* (*)(const char*);

void* find_in(const char* library, const char* name) {
  void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  return handle ? real_dlsym(handle, name) : nullptr;
}

bool is_gl_name(const char* name) {
  return name && (std::strncmp(name, "gl", 2) == 0 || std::strncmp(name, "egl", 3) == 0);
}

void* replace(const char* name, void* found) {
  if (!found || !is_gl_name(name)) return found;
  void* hook = find_hook(name);
  return hook ? hook : found;
}

void* look_up(const char* getter, const char* name) {
  const auto get = reinterpret_cast<GetProcAddress>(find_window_function(getter));
  return get ? replace(name, get(name)) : nullptr;
}

}  // namespace

DlsymFunction find_real_dlsym() {
  static const DlsymFunction found = [] {
    for (const char* version : kDlsymVersions) {
      if (void* function = dlvsym(RTLD_NEXT, "dlsym", version)) return reinterpret_cast<DlsymFunction>(function);
    }
    std::abort();  // no C library that this was written for
  }();
  return found;
}

void* real_dlsym(void* handle, const char* name) { return find_real_dlsym()(handle, name); }

void* find_window_function(const char* name) {
  if (void* found = real_dlsym(RTLD_NEXT, name)) return found;
  if (name[0] == 'e') return find_in("libEGL.so.1", name);
  if (void* found = find_in("libGL.so.1", name)) return found;
  return find_in("libGLX.so.0", name);
}

}  // namespace brokkr::capture

// glibc takes the caller of dlsym(RTLD_NEXT, …) from the return address, so this function must leave by a jump.
#if defined(__clang__)
#define BROKKR_TAIL_CALL [[clang::musttail]]
BROKKR_EXPORT void* dlsym(void* handle, const char* name) noexcept {
#else
#define BROKKR_TAIL_CALL
BROKKR_EXPORT __attribute__((optimize("O2", "omit-frame-pointer"))) void* dlsym(void* handle,
                                                                                const char* name) noexcept {
#endif
  using namespace brokkr::capture;
  if (handle != RTLD_NEXT && handle != RTLD_DEFAULT && is_gl_name(name)) {
    return replace(name, find_real_dlsym()(handle, name));
  }
  DlsymFunction next = find_real_dlsym();
  BROKKR_TAIL_CALL return next(handle, name);
}

BROKKR_EXPORT void* glXGetProcAddress(const unsigned char* name) {
  return brokkr::capture::look_up("glXGetProcAddress", reinterpret_cast<const char*>(name));
}

BROKKR_EXPORT void* glXGetProcAddressARB(const unsigned char* name) {
  return brokkr::capture::look_up("glXGetProcAddressARB", reinterpret_cast<const char*>(name));
}

BROKKR_EXPORT void* eglGetProcAddress(const char* name) { return brokkr::capture::look_up("eglGetProcAddress", name); }
