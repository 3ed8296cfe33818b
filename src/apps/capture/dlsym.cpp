// The exported dlsym. glibc determines the caller of dlsym(RTLD_NEXT, …) from the return address, so this function must
// end in a jump. The file is compiled without exceptions, because clang emits no tail call from a function that must
// terminate the program if an exception is thrown.
#include <dlfcn.h>

#include "capture/lookup.h"

using namespace brokkr::capture;

#if defined(__clang__)
#define BROKKR_TAIL_CALL [[clang::musttail]]
#define BROKKR_LEAVES_BY_A_JUMP
#else
#define BROKKR_TAIL_CALL
#define BROKKR_LEAVES_BY_A_JUMP __attribute__((optimize("O2", "omit-frame-pointer")))
#endif

extern "C" __attribute__((visibility("default"))) BROKKR_LEAVES_BY_A_JUMP void* dlsym(void* handle,
                                                                                      const char* name) noexcept {
  if (handle != RTLD_NEXT && handle != RTLD_DEFAULT && is_gl_name(name)) return dlsym_gl(handle, name);
  if (handle == RTLD_DEFAULT && is_gl_name(name) && is_only_exported(name, __builtin_return_address(0))) return nullptr;
  BROKKR_TAIL_CALL return find_real_dlsym()(handle, name);
}
