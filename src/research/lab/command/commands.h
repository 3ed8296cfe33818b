// The commands that only measure, one per file.
#pragma once

#include "app/command.h"

namespace brokkr::app {

Command queues_command();
Command schedule_command();
Command patterns_command();
Command batches_command();

}  // namespace brokkr::app
