// brokkr probe.
#pragma once

#include "app/command.h"

namespace brokkr::app {

Command probe_command();

}  // namespace brokkr::app
