// The modules of research for the command line.
#pragma once

#include <vector>

#include "app/module.h"

namespace brokkr::app {

// In the order of help.
std::vector<Module> research_modules();

}  // namespace brokkr::app
