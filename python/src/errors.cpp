#include <nanobind/stl/string.h>

#include "bind.h"
#include "brokkr/errors.h"

namespace {

// Raises the class of brokkr_render/errors.py with this name.
void raise(const char* name, const brokkr::Error& error, const std::string& shader = {}, int line = 0) {
  try {
    const nb::object type = nb::module_::import_("brokkr_render.errors").attr(name);
    nb::object made = type(text_of(error.what()));
    made.attr("field") = text_of(error.field());
    made.attr("remedy") = text_of(error.remedy());
    if (!shader.empty()) {
      made.attr("name") = text_of(shader);
      made.attr("line") = line;
    }
    PyErr_SetObject(type.ptr(), made.ptr());
  } catch (nb::python_error& failed) {
    failed.restore();
  }
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const brokkr::FileError& error) {
      raise("FileError", error);
    } catch (const brokkr::ShaderError& error) {
      raise("ShaderError", error, error.name(), error.line());
    } catch (const brokkr::MemoryLimitError& error) {
      raise("MemoryLimitError", error);
    } catch (const brokkr::MachineError& error) {
      raise("MachineError", error);
    } catch (const brokkr::Error& error) {
      raise("Error", error);
    }
  });
}
