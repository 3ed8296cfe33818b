// Errors of input: one line that names the place, the problem and the remedy.
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

// A limit of memory, time or size was exceeded. The input is refused, not drawn in part.
using LimitReached = MemoryLimitError;

template <typename... Values>
[[noreturn]] void fail_limit(fmt::format_string<Values...> text, Values&&... values) {
  throw LimitReached(fmt::format(text, std::forward<Values>(values)...));
}

// Calls f() for a function of the installed interface. Errors without a type of the library become an E.
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
