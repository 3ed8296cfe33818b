// The dynamic linker's own functions, past the ones that the layer exports.
#pragma once

namespace brokkr::capture {

// noexcept: what calls it last can then leave by a jump.
using DlsymFunction = void* (*)(void*, const char*) noexcept;

DlsymFunction find_real_dlsym();

// dlsym as the C library has it. With RTLD_NEXT the search begins after this library.
void* real_dlsym(void* handle, const char* name);

// The library's function behind an exported window-system hook (`glXSwapBuffers`, …), or null.
void* find_window_function(const char* name);

}  // namespace brokkr::capture
