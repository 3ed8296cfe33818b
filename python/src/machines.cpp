#include <nanobind/stl/string.h>

#include "bind.h"
#include "brokkr/renderer.h"

void bind_machines(nb::module_& m) {
  m.def("library_version", [] { return std::string(brokkr::library_version()); });
  m.def("machines", [] {
    nb::list all;
    for (const brokkr::MachineInfo& one : brokkr::find_machines()) {
      nb::dict d;
      d["name"] = one.name;
      d["isa"] = one.isa;
      d["width"] = one.width;
      d["workers"] = one.workers;
      d["available"] = one.available;
      d["note"] = one.note;
      all.append(d);
    }
    return all;
  });
}
