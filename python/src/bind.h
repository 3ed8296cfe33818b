// The parts of the extension module: each adds its functions and classes.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_machines(nb::module_& m);
