// The version of the interface, which CMake reads from here, and what a shared library shows of itself.
//
// Versions are semantic: a program works on with any later patch. Until 1.0 the next minor version may change the
// interface, from then on only the next major version may.
#pragma once

#define BROKKR_VERSION_MAJOR 0
#define BROKKR_VERSION_MINOR 2
#define BROKKR_VERSION_PATCH 0
#define BROKKR_VERSION "0.2.0"

// Namespaces of installed headers carry it: libbrokkr.so exports what they declare and hides all else.
#define BROKKR_API [[gnu::visibility("default")]]

namespace BROKKR_API brokkr {

// BROKKR_VERSION of the library that the program runs with, which may be a later patch than its headers.
const char* library_version();

}  // namespace brokkr
