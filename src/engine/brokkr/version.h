// The version of the interface, which CMake reads from here, and what a shared library shows of itself.
//
// Versions are semantic: a program works on with any later patch. Until 1.0 the next minor version may change the
// interface, from then on only the next major version may.
#pragma once

#define BROKKR_VERSION_MAJOR 0
#define BROKKR_VERSION_MINOR 2
#define BROKKR_VERSION_PATCH 0
#define BROKKR_VERSION "0.2.0"

// libbrokkr.so exports what installed headers declare between these pragmas, and hides all else. (An attribute of the
// namespace would do for GCC; clang does not apply it to definitions elsewhere.)
#pragma GCC visibility push(default)
namespace brokkr {

// BROKKR_VERSION of the library that the program runs with, which may be a later patch than its headers.
const char* library_version();

}  // namespace brokkr
#pragma GCC visibility pop
