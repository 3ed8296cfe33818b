// What the path tracer hands in to the programs: `brokkr trace`, and traced pictures in `brokkr view`.
#pragma once

#include "app/module.h"

namespace brokkr::app {

Module trace_module();
Command trace_command();
ViewPart trace_view_part();

}  // namespace brokkr::app
