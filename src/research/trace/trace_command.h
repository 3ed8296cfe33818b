// The module of the path tracer: `brokkr trace`, and traced pictures in `brokkr view`.
#pragma once

#include "app/module.h"

namespace brokkr::app {

Module trace_module();
Command trace_command();
ViewPart trace_view_part();

}  // namespace brokkr::app
