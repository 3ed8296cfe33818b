#include "capture/hook_table.h"

#include <dlfcn.h>

#include "capture/real.h"

namespace brokkr::capture {
namespace {

// The layer itself: what it exports under a name is the hook of that name. It depends on no GL library, so that nothing
// else is found.
void* own_library() {
  static void* const handle = [] {
    Dl_info info{};
    const bool known = dladdr(reinterpret_cast<void*>(&find_hook), &info) != 0 && info.dli_fname;
    return known ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  }();
  return handle;
}

}  // namespace

void* find_hook(const char* name) {
  void* const library = own_library();
  return library ? real_dlsym(library, name) : nullptr;
}

}  // namespace brokkr::capture
