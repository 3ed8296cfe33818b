// Errors of what comes from outside: one line that names the place, the problem and the remedy.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

#include "brokkr/errors.h"

namespace brokkr {

// fail("{}: is a directory; name a file", path.string())
template <typename... Values>
[[noreturn]] void fail(fmt::format_string<Values...> text, Values&&... values) {
  throw std::runtime_error(fmt::format(text, std::forward<Values>(values)...));
}

// A limit of memory, time or size: nothing is drawn in place of what is beyond it.
using LimitReached = MemoryLimitError;

template <typename... Values>
[[noreturn]] void fail_limit(fmt::format_string<Values...> text, Values&&... values) {
  throw LimitReached(fmt::format(text, std::forward<Values>(values)...));
}

// Calls f() for a function of the installed interface: errors that have no type of their own become an E.
template <class E, class F>
auto typed(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw E(error.what());
  }
}

}  // namespace brokkr
