// The parts of the extension module: each adds its functions and classes. The Python code in brokkr_render checks what
// users give; what arrives here has the shapes and types that it states.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;

// A contiguous array in host memory, read only.
template <class T, class... Shape>
using In = nb::ndarray<const T, nb::c_contig, nb::device::cpu, Shape...>;

void bind_diff(nb::module_& m);
void bind_errors(nb::module_& m);
void bind_machines(nb::module_& m);
void bind_scene(nb::module_& m);
void bind_render(nb::module_& m);
