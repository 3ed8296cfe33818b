// The modules of research for the window.
#pragma once

#include <vector>

#include "viewer/module.h"

namespace brokkr::viewer {

// In the order of their panels.
std::vector<Module> research_view_modules();

}  // namespace brokkr::viewer
