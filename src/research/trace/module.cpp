#include "trace/module.h"

namespace brokkr::app {

ViewPart trace_view_part() {
  ViewPart part;
  part.options = {
      flag("--trace", "Trace the light of the scene, as brokkr trace does; the picture grows while it is shown")};
  return part;
}

Module trace_module() {
  Module module;
  module.commands = {trace_command()};
  module.view = trace_view_part();
  return module;
}

}  // namespace brokkr::app
