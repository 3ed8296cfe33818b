// dlsym, glXGetProcAddress and eglGetProcAddress: return the hooks to programs that look functions up.
#include "capture/lookup.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "capture/session.h"

namespace brokkr::capture {
namespace {

// glibc's versions of the symbol dlsym: a new one since 2.34, and before that the first version of each architecture.
constexpr const char* kDlsymVersions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.0", "GLIBC_2.27"};

using GetProcAddress = void* (*)(const char*);

// Searches a library that the program has loaded. Programs with their own loader keep it outside the global scope,
// where RTLD_NEXT does not find it.
void* find_in(const char* library, const char* name) {
  void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  return handle ? real_dlsym(handle, name) : nullptr;
}

void* ask(void* get_proc_address, const char* name) {
  return get_proc_address ? reinterpret_cast<GetProcAddress>(get_proc_address)(name) : nullptr;
}

void* find_in(const char* library, const char* get_proc_address, const char* name) {
  void* const found = find_in(library, name);
  return found ? found : ask(find_in(library, get_proc_address), name);
}

// The layer's function for `name`, or null. The layer exports each hook under the name of its function and depends on
// no GL library, so the search finds nothing else.
void* find_hook(const char* name) {
  static void* const opened_library = [] {
    Dl_info info{};
    const bool known = dladdr(reinterpret_cast<void*>(&find_hook), &info) != 0 && info.dli_fname;
    return known ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  }();
  return opened_library ? real_dlsym(opened_library, name) : nullptr;
}

// Returns true if `found` belongs to the program's own EGL or OpenGL ES library (ANGLE), which the layer must not
// intercept.
bool is_foreign(const char* name, const void* found) {
  struct Library {
    const char *part, *system;
  };
  Dl_info info{};
  if (dladdr(found, &info) == 0 || !info.dli_fname) return false;
  for (const Library& library : {Library{"/libEGL.so", "libEGL.so.1"}, Library{"/libGLESv2.so", "libGLESv2.so.2"}}) {
    if (!std::strstr(info.dli_fname, library.part)) continue;
    Dl_info system{};
    const void* const known = find_in(library.system, name);
    return !known || dladdr(known, &system) == 0 || system.dli_fbase != info.dli_fbase;
  }
  return false;
}

void* replace(const char* name, void* found) {
  if (!found || !is_gl_name(name)) return found;
  void* hook = find_hook(name);
  return hook ? hook : found;
}

}  // namespace

// Threads that arrive first at the same time find the same function, so no guard is needed. A guard would run thread
// sanitizer code before its initialization.
DlsymFunction find_real_dlsym() {
  static std::atomic<DlsymFunction> found{nullptr};
  if (const DlsymFunction known = found.load(std::memory_order_relaxed)) return known;
  for (const char* version : kDlsymVersions) {
    const auto function = reinterpret_cast<DlsymFunction>(dlvsym(RTLD_NEXT, "dlsym", version));
    if (function == nullptr) continue;
    found.store(function, std::memory_order_relaxed);
    return function;
  }
  std::abort();  // unknown C library
}

bool is_gl_name(const char* name) {
  return name && (std::strncmp(name, "gl", 2) == 0 || std::strncmp(name, "egl", 3) == 0);
}

void* real_dlsym(void* handle, const char* name) { return find_real_dlsym()(handle, name); }

namespace {

void* dlsym_replaced(void* handle, const char* name) {
  void* const found = real_dlsym(handle, name);
  void* const hook = found ? find_hook(name) : nullptr;
  if (!hook) return found;
  // The program's own handle finds exports of this library before those of any other.
  if (found == hook) return real_dlsym(RTLD_NEXT, name) ? hook : nullptr;
  return is_foreign(name, found) ? found : hook;
}

}  // namespace

void* dlsym_gl(void* handle, const char* name) {
  void* const result = dlsym_replaced(handle, name);
  // Programs take a message of dlerror() for a failure (GLib's modules), so those of the layer's own searches must not
  // remain.
  if (result) dlerror();
  return result;
}

bool is_only_exported(const char* name, const void* caller) {
  if (!find_hook(name) || real_dlsym(RTLD_NEXT, name)) return false;
  Dl_info info{};
  if (dladdr(caller, &info) == 0 || !info.dli_fname) return true;
  void* const library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);  // null for the program itself
  if (!library) return true;
  void* const found = real_dlsym(library, name);
  dlclose(library);
  return !found;
}

void* find_gl_function(const char* name) {
  if (void* found = real_dlsym(RTLD_NEXT, name)) return found;
  if (void* found = ask(real_dlsym(RTLD_NEXT, "glXGetProcAddressARB"), name)) return found;
  if (void* found = find_in("libGL.so.1", "glXGetProcAddressARB", name)) return found;
  if (void* found = find_in("libGLX.so.0", "glXGetProcAddressARB", name)) return found;
  if (void* found = find_in("libOpenGL.so.0", name)) return found;
  if (void* found = ask(real_dlsym(RTLD_NEXT, "eglGetProcAddress"), name)) return found;
  return find_in("libEGL.so.1", "eglGetProcAddress", name);
}

void* find_window_function(const char* name) {
  if (void* found = real_dlsym(RTLD_NEXT, name)) return found;
  if (name[0] == 'e') return find_in("libEGL.so.1", name);
  if (void* found = find_in("libGL.so.1", name)) return found;
  return find_in("libGLX.so.0", name);
}

}  // namespace brokkr::capture

using namespace brokkr::capture;

BROKKR_EXPORT void* glXGetProcAddress(const unsigned char* text) {
  const auto* name = reinterpret_cast<const char*>(text);
  return replace(name, ask(find_window_function("glXGetProcAddress"), name));
}

BROKKR_EXPORT void* glXGetProcAddressARB(const unsigned char* text) {
  const auto* name = reinterpret_cast<const char*>(text);
  return replace(name, ask(find_window_function("glXGetProcAddressARB"), name));
}

BROKKR_EXPORT void* eglGetProcAddress(const char* name) {
  return replace(name, ask(find_window_function("eglGetProcAddress"), name));
}
