// A frame that Python holds, and how it is loaded.
#pragma once

#include "bind.h"
#include "brokkr/frame.h"

// Shared by scenes, captures and what is prepared from them.
struct HeldFrame {
  brokkr::Frame frame;
};

// Calls f without the GIL, so that other threads of Python run.
template <class F>
auto without_gil(F&& f) {
  nb::gil_scoped_release release;
  return f();
}
