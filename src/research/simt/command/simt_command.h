// The command `brokkr simt`.
#pragma once

#include "app/command.h"

namespace brokkr::app {

Command simt_command();

}  // namespace brokkr::app
