// The version of the interface, which CMake reads from this file, and the symbols that a shared library exports.
//
// Versions are semantic: a program works with any later patch version. Before 1.0, a minor version may change the
// interface; afterwards, only a major version may.
#pragma once

#define BROKKR_VERSION_MAJOR 0
#define BROKKR_VERSION_MINOR 2
#define BROKKR_VERSION_PATCH 0
#define BROKKR_VERSION "0.2.0"

// libbrokkr.so exports what installed headers declare between these pragmas, and hides everything else. (For GCC, an
// attribute of the namespace would suffice, but clang does not apply it to definitions elsewhere.)
#pragma GCC visibility push(default)
namespace brokkr {

// The BROKKR_VERSION of the library that the program runs with. It may be a later patch version than that of the
// headers.
const char* library_version();

}  // namespace brokkr
#pragma GCC visibility pop
