// The functions that the layer stands in for, by name.
#pragma once

namespace brokkr::capture {

// The layer's function for `name`, or null where it has none.
void* find_hook(const char* name);

}  // namespace brokkr::capture

// What the library exports; everything else stays inside.
#define BROKKR_EXPORT extern "C" __attribute__((visibility("default")))

// An extension's name for a hook of this file with the same parameters.
#define BROKKR_ALIAS(name, hook) extern "C" decltype(::name) name __attribute__((alias(#hook), visibility("default")))
