// Defines which sanitizers this build has, as 0 or 1. gcc and clang from 20 on define macros; older clang has features.
#pragma once

#if defined(__has_feature)
#define BROKKR_HAS_FEATURE(name) __has_feature(name)
#else
#define BROKKR_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || BROKKR_HAS_FEATURE(address_sanitizer)
#define BROKKR_ADDRESS_SANITIZER 1
#else
#define BROKKR_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || BROKKR_HAS_FEATURE(thread_sanitizer)
#define BROKKR_THREAD_SANITIZER 1
#else
#define BROKKR_THREAD_SANITIZER 0
#endif
