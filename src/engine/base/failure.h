// Errors of what comes from outside: one line that names the place, the problem and the remedy.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

namespace brokkr {

// fail("{}: is a directory; name a file", path.string())
template <typename... Values>
[[noreturn]] void fail(fmt::format_string<Values...> text, Values&&... values) {
  throw std::runtime_error(fmt::format(text, std::forward<Values>(values)...));
}

// A limit of memory, time or size: nothing is drawn in place of what is beyond it.
struct LimitReached : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename... Values>
[[noreturn]] void fail_limit(fmt::format_string<Values...> text, Values&&... values) {
  throw LimitReached(fmt::format(text, std::forward<Values>(values)...));
}

}  // namespace brokkr
