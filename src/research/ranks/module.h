// What ranks hand in to the programs: `brokkr ranks`, and `brokkr render` and `brokkr view` over several processes.
#pragma once

#include "app/module.h"

namespace brokkr::app {

Module ranks_module();
Command ranks_command();
ViewPart ranks_view_part();

}  // namespace brokkr::app
