// The parts of the extension module: each adds its functions and classes. The Python code in brokkr_render checks what
// users give; what arrives here has the shapes and types that it states.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>

namespace nb = nanobind;

// A contiguous array in host memory, read only.
template <class T, class... Shape>
using In = nb::ndarray<const T, nb::c_contig, nb::device::cpu, Shape...>;

// A str of any bytes. Bytes that are not UTF-8, such as a part of a broken file, become \xNN.
inline nb::object text_of(const std::string& text) {
  PyObject* const made = PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "backslashreplace");
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

void bind_diff(nb::module_& m);
void bind_errors(nb::module_& m);
void bind_machines(nb::module_& m);
void bind_scene(nb::module_& m);
void bind_render(nb::module_& m);
